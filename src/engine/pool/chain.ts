// Integrates the results of a wave: one commit per step, in order, made in memory. Branch and work tree move to the last
// one together.

import { requirePermit } from '../../approval/rules/permit.ts'
import { PlanError } from '../../errors.ts'
import { rawPath, shown, type RawPath } from '../../git/read/raw-path.ts'
import type { RefMove } from '../../git/read/refs.ts'
import type { TreeFile } from '../../git/read/tree-text.ts'
import { millisecondsBetween } from '../../plan/record/trailers.ts'
import type { Oid, StepId } from '../../plan/model/ids.ts'
import type { Step } from '../../plan/model/plan.ts'
import { globMatcher } from '../../plan/text/glob.ts'
import { refuseMovedBranch } from '../record/checkpoint.ts'
import { planAfter } from '../record/record-event.ts'
import type { CommitOutput, PlanAtTip, Run } from '../run/run.ts'
import { updateStaleFiles } from '../workspace/checkout.ts'
import { ChangedPaths } from './changed-paths.ts'
import type { Result } from './results.ts'

/**
 * `again`: a step before it in the wave changed the same path, or the user has an ignored file there. `check`: a step
 * before it changed a file that the step declares.
 */
export type Fit =
  | { readonly kind: 'clean' | 'check' }
  | { readonly kind: 'again'; readonly path: RawPath; readonly why: string }

export class Chain {
  readonly #run: Run
  /** The commit that the steps of the wave started from. */
  readonly #base: Oid
  #at: PlanAtTip
  #paths = new ChangedPaths()
  #outputs: CommitOutput[] = []
  #moves: RefMove[] = []
  #done: { readonly step: StepId; readonly commit: Oid; readonly result: Result }[] = []

  constructor(run: Run) {
    this.#run = run
    this.#base = run.at.tip
    this.#at = run.at
  }

  /** Tells how a result goes on top of the chain. */
  async fit(step: Step, result: Result): Promise<Fit> {
    const paths = new ChangedPaths()
    // A result of an earlier run: the branch has moved since.
    if (result.base !== this.#base) paths.add(await this.#changes(result.base, this.#base))
    for (const each of [paths, this.#paths]) {
      const path = each.conflictWith(result.changes)
      if (path !== undefined) return { kind: 'again', path, why: 'was also changed by a step before it' }
    }
    const ignored = await this.#ignoredInTheWay(result)
    if (ignored !== undefined) return { kind: 'again', path: ignored, why: 'is an ignored file in the work tree' }
    if (step.files === undefined || !hasChecks(step)) return { kind: 'clean' }
    const isDeclared = globMatcher(step.files, { steps: 200e6 })
    return { kind: paths.some(isDeclared) || this.#paths.some(isDeclared) ? 'check' : 'clean' }
  }

  /** Git would replace an ignored file without a word. */
  async #ignoredInTheWay({ changes }: Result): Promise<RawPath | undefined> {
    const { tree, preserved } = this.#run.checkedOut
    for (const path of await tree.filesInTheWayOf(changes))
      if (preserved.covers(path) || (await tree.isIgnored(shown(path)))) return path
    return undefined
  }

  async addResult(step: Step, result: Result): Promise<void> {
    const edits = new Map<RawPath, TreeFile | undefined>(
      result.changes.map(({ path, newMode, oid }) => [path, oid === undefined ? undefined : { mode: newMode, oid }]),
    )
    const { objects, planPath, remarks } = this.#run
    const message = withRemarks(result.message, remarks.splice(0))
    const steps = new Map([[step.id, 'done' as const]])
    const { bytes, plan, source } = planAfter(this.#run, this.#at, { event: 'step', steps })
    edits.set(rawPath(planPath), { mode: '100644', oid: await objects.blob(bytes) })
    const tree = await objects.treeWithAll(await objects.treeOf(this.#at.tip), edits)
    const commit = await objects.commit({ tree, parents: [this.#at.tip], message })
    this.#at = { tip: commit, plan, source }
    this.#paths.add(result.changes)
    this.#outputs.push({ commit, output: result.output })
    this.#moves.push({ ref: result.ref, from: result.oid, to: undefined })
    this.#done.push({ step: step.id, commit, result })
  }

  /** Moves branch, index and files to the end of the chain. */
  async land(): Promise<void> {
    const run = this.#run
    const { tree, objects } = run.checkedOut
    const [from, to] = [run.at.tip, this.#at.tip]
    if (from === to) return
    requirePermit(run.permit, run.at.plan)
    await refuseMovedBranch(run.worker)
    const note = await run.note(objects, ...this.#outputs)
    await objects.flush()
    await run.intend({ kind: 'tree', input: from })
    const moves = [...this.#moves, { ref: run.branch, from, to }]
    const { isSilent } = await tree
      .goFrom(from, to, () => run.moveWithNote(note, moves))
      .catch(async (error: unknown) => {
        if (!isRefusal(error)) throw error
        await run.settle()
        throw changedMeanwhile(run, error)
      })
    if (!isSilent) await updateStaleFiles(tree, { from, to })
    await run.settle()
    run.at = this.#at
    await this.#report()
    this.#outputs = []
    this.#moves = []
    this.#done = []
  }

  async #report(): Promise<void> {
    const { checkedOut, world } = this.#run
    const hooks = await checkedOut.hooks()
    for (const { step, commit, result } of this.#done) {
      await hooks.run('post-commit', [], checkedOut.tree.indexPath)
      const durationMs = millisecondsBetween(result.times)
      world.emit({ kind: 'step-done', step, integrated: true, attempt: result.attempt, commit, durationMs })
    }
  }

  /** After a step has run in the plan's own checkout. */
  async catchUp(): Promise<void> {
    const { at } = this.#run
    if (at.tip === this.#at.tip) return
    this.#paths.add(await this.#changes(this.#at.tip, at.tip))
    this.#at = at
  }

  async #changes(from: Oid, to: Oid): ReturnType<Run['checkedOut']['tree']['changesBetween']> {
    const changes = await this.#run.checkedOut.tree.changesBetween(from, to)
    return changes.filter(({ path }) => path !== rawPath(this.#run.planPath))
  }
}

/** Our trailers are the last paragraph. */
const withRemarks = (message: string, remarks: readonly string[]): string =>
  remarks.length === 0 ? message : message.replace(/\n(?=(?:[^\n]+\n)+$)/, () => `\n${remarks.join('\n')}\n\n`)

const hasChecks = ({ verify, criteria, test }: Step): boolean =>
  test !== undefined || verify.length > 0 || criteria.some((each) => each.verify.length > 0)

/** Git compares all files before it changes one. */
const isRefusal = (error: unknown): error is PlanError =>
  error instanceof PlanError && /not uptodate|would be (overwritten|removed)/.test(error.message)

const changedMeanwhile = (run: Run, error: PlanError): PlanError =>
  new PlanError(
    'dirty-tree',
    `files in ${run.checkedOut.tree.root} were changed while steps ran, and their results touch the same files: ${error.message}`,
    { hint: { 'stash them': 'git stash --include-untracked', 'then resume': `git plan resume ${run.id}` } },
  )
