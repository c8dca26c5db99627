// Performs steps of a run in a workspace: in the plan's own checkout, or in a work tree of the pool.

import type { RefMove } from '../../git/read/refs.ts'
import type { Oid } from '../../plan/model/ids.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { RunEvent } from './events.ts'
import type { PlanAtTip, Run } from './run.ts'

export interface Worker {
  readonly run: Run
  readonly workspace: Workspace
  /** The number of a work tree of the pool; undefined: the plan's own checkout. */
  readonly number: number | undefined
  /** The commit that a step starts from, and the plan at it. */
  at: PlanAtTip
  /** Marks every process that it starts. */
  readonly mark: string
  readonly signal: AbortSignal
  emit(event: RunEvent): void
  /** Prepares to name the commit of a step, with its output; the moves are made once the objects are flushed. */
  movesTo(commit: Oid, output: Uint8Array | undefined): Promise<Moves>
  /** Keeps new objects until a ref names them: see git/write/object-store.ts. */
  withKeptObjects<T>(action: () => Promise<T>): Promise<T>
}

export interface Moves {
  /** Moves that may fail without failing the step. */
  readonly note: readonly RefMove[]
  readonly refs: readonly RefMove[]
}

/** Works in the plan's own checkout: the commit of a step moves the plan's branch. */
export class PlanWorker implements Worker {
  readonly run: Run
  readonly workspace: Workspace
  readonly number = undefined

  constructor(run: Run, workspace: Workspace) {
    this.run = run
    this.workspace = workspace
  }

  get at(): PlanAtTip {
    return this.run.at
  }

  set at(at: PlanAtTip) {
    this.run.at = at
  }

  get mark(): string {
    return this.run.token
  }

  get signal(): AbortSignal {
    return this.run.world.signal
  }

  emit(event: RunEvent): void {
    this.run.world.emit(event)
  }

  async movesTo(commit: Oid, output: Uint8Array | undefined): Promise<Moves> {
    const note = await this.run.note(this.workspace.objects, { commit, output })
    return { note, refs: [{ ref: this.run.branch, from: this.at.tip, to: commit }] }
  }

  withKeptObjects<T>(action: () => Promise<T>): Promise<T> {
    return this.workspace.repo.store.withKeptObjects(action)
  }
}
