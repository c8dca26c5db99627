// The same with a reader that breaks each promise at some inputs: whether the fuzz finds out.

import { work, type Job } from './child.ts'
import { Inputs, type Input } from './inputs.ts'
import { Violation, type Verdict } from './judge.ts'
import { readSeeds } from './seeds.ts'

export const inputOf = (root: string, seed: number, n: number): Input => new Inputs(readSeeds(root), seed).at(n)

const faults: Readonly<Record<string, () => void>> = {
  throw: () => {
    throw new TypeError('thrown on purpose')
  },
  place: () => {
    throw new Violation('places', 'on purpose')
  },
  hang: () => {
    for (;;);
  },
  memory: () => {
    const held: unknown[] = []
    for (;;) held.push(Array<number>(1_000_000).fill(0.5))
  },
}

let isFirst = true

/** Only where the file has a step that runs something: what shrinking must keep. */
function judgeBadly({ bytes }: Input): Verdict {
  // Before the first input every process reads one plan.
  const isInput = !isFirst
  isFirst = false
  if (isInput && Buffer.from(bytes).includes('run: ')) faults[process.env['FUZZ_FAULT'] ?? '']?.()
  return { outcome: 'accepted', ms: 1 }
}

const job = process.argv[2] ?? ''
if (job.startsWith('{')) process.stdout.write(JSON.stringify(await work(JSON.parse(job) as Job, judgeBadly)))
