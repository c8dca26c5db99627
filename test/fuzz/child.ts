// One process of the fuzz: judges its share of the inputs, and writes down which one it is at, so that whoever watches
// it can name the one that it hangs at.

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { Inputs, type Input, type Kind } from './inputs.ts'
import { judge, Violation, type Verdict } from './judge.ts'
import { readSeeds } from './seeds.ts'
import { shrink } from './shrink.ts'

export interface Job {
  readonly root: string
  readonly seed: number
  readonly from: number
  readonly to: number
  /**
   * The number of the input, and how many times anything was judged, are written there before it is: nothing new there
   * for long means that it hangs.
   */
  readonly progress: string
  /** Judged instead of those with numbers: an input that a process hung at, or died of. */
  readonly only?: { readonly kind: Kind; readonly file: string }
}

export interface Broken {
  readonly n: number
  readonly kind: Kind
  readonly promise: string
  readonly message: string
  readonly base64: string
}

export interface Share {
  readonly judged: Record<Kind, { accepted: number; refused: number; bytes: number }>
  readonly rules: Record<string, number>
  readonly slowest: { readonly ms: number; readonly n: number }
  /** Bytes of the process: its highest, and what it had when it was loaded and had read one plan. */
  readonly peak: number
  readonly baseline: number
  readonly broken: readonly Broken[]
}

const maxBroken = 5

/** A thread beside the one that may hang: whoever watches this process may be gone before it. */
function endWithParent(): void {
  const code = `setInterval(() => { if (process.ppid !== ${process.ppid}) process.kill(process.pid, 'SIGKILL') }, 500)`
  new Worker(code, { eval: true }).unref()
}

export async function work(job: Job, judgeIt: (input: Input) => Verdict = judge): Promise<Share> {
  endWithParent()
  const progress = openSync(job.progress, 'w')
  writeSync(progress, `${job.from} 0`.padEnd(24), 0)
  const seeds = readSeeds(job.root)
  judgeIt({ kind: 'mutated plan', bytes: Buffer.from(seeds.plans[0]!) })
  const baseline = process.resourceUsage().maxRSS * 1024
  const inputs = new Inputs(seeds, job.seed)
  const none = () => ({ accepted: 0, refused: 0, bytes: 0 })
  const judged = { 'mutated plan': none(), 'generated plan': none(), configuration: none() }
  const rules: Record<string, number> = {}
  const broken: Broken[] = []
  let slowest = { ms: 0, n: job.from }

  let calls = 0
  const violationOf = (input: Input, n: number): Violation | Verdict => {
    calls += 1
    writeSync(progress, `${n} ${calls}`.padEnd(24), 0)
    try {
      return judgeIt(input)
    } catch (error) {
      return error instanceof Violation
        ? error
        : new Violation('nothing thrown', error instanceof Error ? (error.stack ?? error.message) : String(error))
    }
  }

  const { only } = job
  for (let n = job.from; n < job.to && broken.length < maxBroken; n += 1) {
    const input = only === undefined ? inputs.at(n) : { kind: only.kind, bytes: readFileSync(only.file) }
    const found = violationOf(input, n)
    const count = judged[input.kind]
    count.bytes += input.bytes.length
    if (found instanceof Violation) {
      const isStillBad = async (bytes: Uint8Array): Promise<boolean> => {
        const again = violationOf({ kind: input.kind, bytes }, n)
        return again instanceof Violation && again.promise === found.promise
      }
      // One that is slow is slow to shrink, too.
      const small =
        only === undefined ? await shrink(input.bytes, isStillBad, found.promise === 'time' ? 20 : 400) : input.bytes
      broken.push({
        n,
        kind: input.kind,
        promise: found.promise,
        message: found.message,
        base64: Buffer.from(small).toString('base64'),
      })
      continue
    }
    if (found.ms > slowest.ms) slowest = { ms: found.ms, n }
    if (found.outcome === 'accepted') count.accepted += 1
    else {
      count.refused += 1
      for (const rule of found.outcome) rules[rule] = (rules[rule] ?? 0) + 1
    }
  }
  closeSync(progress)
  return { judged, rules, slowest, peak: process.resourceUsage().maxRSS * 1024, baseline, broken }
}
