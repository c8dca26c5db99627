// What the commands of a step have used.

import type { PlanEvent } from '../../plan/record/trailers.ts'
import type { TreeUsage } from '../../process/tree-meter.ts'

export class StepUsage {
  cpuMs: number | undefined
  peakBytes: number | undefined
  outputBytes = 0
  #hasRun = false

  /** `tree` is undefined if nothing was measured: the command was short, or the platform does not tell. */
  add(tree: TreeUsage | undefined, outputBytes: number): void {
    this.#hasRun = true
    this.outputBytes += outputBytes
    if (tree === undefined) return
    this.cpuMs = (this.cpuMs ?? 0) + tree.cpuMs
    this.peakBytes = Math.max(this.peakBytes ?? 0, tree.peakBytes)
  }

  /** For the trailers of a commit. */
  facts(): Pick<PlanEvent, 'cpuMs' | 'peakBytes' | 'outputBytes'> {
    return {
      ...(this.cpuMs === undefined ? {} : { cpuMs: this.cpuMs }),
      ...(this.peakBytes === undefined ? {} : { peakBytes: this.peakBytes }),
      ...(this.#hasRun ? { outputBytes: this.outputBytes } : {}),
    }
  }
}
