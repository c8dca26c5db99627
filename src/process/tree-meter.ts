// Measures the processes of a command: processor time, and the memory that they use at the same time. It looks at
// them now and then, so a short peak can be missed. The processor time of a command that is over is known exactly if no
// other command ran at the same time. Without /proc nothing is measured.

import { readFileSync } from 'node:fs'
import { factsOf, type ProcessFacts } from './identity.ts'
import { membersOf, type Known, type Traces } from './kill-descendants.ts'

export interface TreeUsage {
  /** undefined: not measured. */
  readonly cpuMs: number | undefined
  readonly peakBytes: number | undefined
}

/** Clock ticks per second in /proc, on every platform that Linux runs on. */
const ticksPerSecond = 100

/** Commands that run in this process, and how many have begun. */
const commands = { running: 0, begun: 0 }

export class TreeMeter {
  readonly #traces: Traces
  readonly #known: Known = { ours: new Map(), others: new Map() }
  #last: ReadonlyMap<number, ProcessFacts> = new Map()
  /** Of processes whose parent did not wait for them. */
  #lostTicks = 0
  #ticks = 0
  #peakBytes = 0
  #isMeasured = false
  #before: { readonly begun: number; readonly childTicks: number } | undefined
  #exactTicks: number | undefined

  constructor(traces: Traces) {
    this.#traces = traces
  }

  get usage(): TreeUsage {
    const ticks = Math.max(this.#ticks, this.#exactTicks ?? 0)
    return {
      cpuMs:
        this.#isMeasured || this.#exactTicks !== undefined ? Math.round((ticks * 1000) / ticksPerSecond) : undefined,
      peakBytes: this.#isMeasured ? this.#peakBytes : undefined,
    }
  }

  /** The command begins. */
  begin(): void {
    commands.running += 1
    commands.begun += 1
    const childTicks = factsOf(process.pid)?.childTicks
    if (commands.running === 1 && childTicks !== undefined) this.#before = { begun: commands.begun, childTicks }
  }

  /** The command is over, and was waited for. */
  end(): void {
    commands.running -= 1
    const childTicks = factsOf(process.pid)?.childTicks
    if (this.#before?.begun === commands.begun && childTicks !== undefined)
      this.#exactTicks = childTicks - this.#before.childTicks
  }

  sample(): void {
    const members = membersOf(this.#traces, this.#known)
    if (members.length === 0) return
    this.#isMeasured = true
    const now = new Map(members.map((each) => [each.pid, each]))
    for (const each of this.#last.values()) {
      if (now.get(each.pid)?.start === each.start) continue
      // The time of a process that ended is part of its parent's, or of the one above if that ended too.
      if (!hasLiveAncestor(each, this.#last, now)) this.#lostTicks += each.ticks + each.childTicks
    }
    const ticks = members.reduce((sum, each) => sum + each.ticks + each.childTicks, this.#lostTicks)
    this.#ticks = Math.max(this.#ticks, ticks)
    this.#last = now
    // Shared pages are divided among their processes. That takes longer to read, and is never more than this sum.
    if (members.reduce((sum, { pages }) => sum + pages, 0) * pageSize() <= this.#peakBytes) return
    const bytes = members.reduce((sum, { pid, pages }) => sum + (proportionalBytes(pid) ?? pages * pageSize()), 0)
    this.#peakBytes = Math.max(this.#peakBytes, bytes)
  }
}

function hasLiveAncestor(
  { parent }: ProcessFacts,
  last: ReadonlyMap<number, ProcessFacts>,
  now: ReadonlyMap<number, ProcessFacts>,
): boolean {
  const seen = new Set<number>()
  for (let at = parent; !seen.has(at); at = last.get(at)?.parent ?? 0) {
    if (now.has(at)) return true
    if (!last.has(at)) return false
    seen.add(at)
  }
  return false
}

function proportionalBytes(pid: number): number | undefined {
  try {
    const [, kilobytes] = /^Pss: +(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')) ?? []
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
  } catch {
    return undefined
  }
}

let knownPageSize: number | undefined

/** Node does not tell it: this process' own memory, once in pages and once in bytes. */
function pageSize(): number {
  if (knownPageSize !== undefined) return knownPageSize
  const pages = factsOf(process.pid)?.pages ?? 0
  const ratio = pages === 0 ? 4096 : process.memoryUsage.rss() / pages
  return (knownPageSize = 2 ** Math.max(12, Math.round(Math.log2(ratio))))
}
