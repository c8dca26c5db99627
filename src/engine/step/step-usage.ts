// What the commands of a step have used.

import type { PlanEvent } from '../../plan/record/trailers.ts'
import type { TreeUsage } from '../../process/tree-meter.ts'

/** The kernel counts in ticks of 10 ms, and nobody needs to know of less. */
const leastCpuMs = 50

export class StepUsage {
  cpuMs: number | undefined
  peakBytes: number | undefined
  outputBytes = 0
  #hasRun = false

  /** What was not measured is not recorded: the command was short, or the platform does not tell. */
  add({ cpuMs, peakBytes }: TreeUsage, outputBytes: number): void {
    this.#hasRun = true
    this.outputBytes += outputBytes
    if (cpuMs !== undefined) this.cpuMs = (this.cpuMs ?? 0) + cpuMs
    if (peakBytes !== undefined) this.peakBytes = Math.max(this.peakBytes ?? 0, peakBytes)
  }

  /** For the trailers of a commit. */
  facts(): Pick<PlanEvent, 'cpuMs' | 'peakBytes' | 'outputBytes'> {
    return {
      ...(this.cpuMs === undefined || this.cpuMs < leastCpuMs ? {} : { cpuMs: this.cpuMs }),
      ...(this.peakBytes === undefined ? {} : { peakBytes: this.peakBytes }),
      ...(this.#hasRun ? { outputBytes: this.outputBytes } : {}),
    }
  }
}
