// Performs steps in a work tree of the pool. HEAD is detached there: the commit of a step moves it, and waits under a
// ref until it is integrated into the plan's branch.

import { ObjectWriter } from '../../git/write/objects.ts'
import { ObjectStore } from '../../git/write/object-store.ts'
import { resultRef, type Oid, type StepId } from '../../plan/model/ids.ts'
import { gitMarker } from '../../process/kill-descendants.ts'
import type { RunEvent } from '../run/events.ts'
import type { PlanAtTip, Run } from '../run/run.ts'
import type { Moves, Worker } from '../run/worker.ts'
import { PlanDir } from '../workspace/plan-dir.ts'
import { Workspace } from '../workspace/workspace.ts'

/** The file with the output of the step in the tree of a result. */
export const outputName = 'output'

export const poolDir = (run: Pick<Run, 'home' | 'id'>, number: number): PlanDir =>
  new PlanDir(run.home.commonDir, run.id, 'workers', String(number))

export class PoolWorker implements Worker {
  readonly run: Run
  readonly number: number
  readonly workspace: Workspace
  readonly #store: ObjectStore
  /** The step that it performs now. */
  step: StepId | undefined
  at: PlanAtTip
  signal: AbortSignal

  constructor(run: Run, number: number, tree: { readonly root: string; readonly gitDir: string }) {
    this.run = run
    this.number = number
    this.at = run.at
    this.signal = run.world.signal
    this.#store = new ObjectStore(run.home.commonDir)
    const repo = run.home.at(tree.root, tree.gitDir, { env: { [gitMarker]: this.mark }, store: this.#store })
    const dir = poolDir(run, number)
    const intents = run.intentsIn(dir, this.mark)
    this.workspace = new Workspace({ repo, objects: new ObjectWriter(repo), dir, intents })
  }

  /** Its own: what ends with one step must not end the processes of another. */
  get mark(): string {
    return `${this.run.token}.${this.number}`
  }

  emit(event: RunEvent): void {
    this.run.world.emit({ ...event, worker: this.number })
  }

  async movesTo(commit: Oid, output: Uint8Array | undefined): Promise<Moves> {
    const { objects } = this.workspace
    const { run, step } = this
    if (step === undefined) throw new Error('a worker of the pool has no step')
    const empty = await objects.emptyTree()
    const tree =
      output === undefined || output.length === 0
        ? empty
        : await objects.treeWith(empty, outputName, await objects.blob(output))
    const message = `Result of ${step}\n\nPlan-Id: ${run.id}\nPlan-Step: ${step}\nPlan-Run: ${run.token}\n`
    const result = await objects.commit({ tree, parents: [commit], message, isUnsigned: true })
    return {
      note: [],
      refs: [
        { ref: resultRef(run.id, step), from: undefined, to: result },
        { ref: 'HEAD', from: this.at.tip, to: commit },
      ],
    }
  }

  withKeptObjects<T>(action: () => Promise<T>): Promise<T> {
    return this.#store.withKeptObjects(action)
  }

  async close(): Promise<void> {
    this.workspace.close()
    this.workspace.repo.close()
    this.#store.close()
    await this.workspace.dir.removeIfEmpty('intent.json')
  }
}
