// A checkpoint: the changes of a step and the updated plan file in one commit. The branch moves last.

import { readFile, rm, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PlanError } from '../../errors.ts'
import { isUnfiltered, unfilteredEntries } from '../../git/worktree/unfiltered-files.ts'
import { describePaths, rawPath, shown, type RawPath } from '../../git/read/raw-path.ts'
import type { TreeChange, TreeEdits, TreeFile } from '../../git/read/tree-text.ts'
import type { Scan } from '../../git/worktree/work-tree.ts'
import type { PlanEventName } from '../../plan/model/lifecycle.ts'
import type { Step, StepStatus } from '../../plan/model/plan.ts'
import { parseMessage, type PlanEvent } from '../../plan/record/trailers.ts'
import type { Oid, StepId } from '../../plan/model/ids.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import { rememberIgnored, stageable } from '../workspace/preserved-ignored.ts'
import { messageOf, planAfter } from './record-event.ts'
import { planBlobIn, putPlanBlob, treeWithPlanBlob, writePlanFile } from './plan-file-in-tree.ts'
import type { SecretGuard } from './quarantine.ts'
import { scanLeft } from './scan-left.ts'
import type { Run } from '../run/run.ts'
import type { Worker } from '../run/worker.ts'
import type { Workspace } from '../workspace/workspace.ts'

/**
 * The differences from the checkpoint: in a temporary index, or, if Git would store the files unchanged, as edits of
 * the tip's tree.
 */
export type Staged = {
  readonly changes: readonly TreeChange[]
  readonly scan: Scan
  readonly guard: SecretGuard | undefined
  /** Outside the sparse checkout: saved, but not committed. */
  readonly outside: readonly RawPath[]
} & (
  | { readonly kind: 'index'; readonly next: string; readonly tree: Oid }
  | { readonly kind: 'edits'; readonly tipTree: Oid; readonly edits: TreeEdits }
)

/**
 * Stages the differences from the checkpoint, except files that were ignored before the step: those were never the
 * step's. Secrets are removed before anything is stored. `touched`: every path that can differ, if only we have written
 * since the checkpoint.
 */
export async function stageChanges(
  worker: Worker,
  guard?: SecretGuard,
  touched?: ReadonlySet<RawPath>,
): Promise<Staged> {
  return (
    (await stageUnfiltered(worker, guard, touched)) ??
    stageInto(worker, await worker.workspace.tree.indexOf(worker.at.tip), guard)
  )
}

async function stageInto(
  worker: Worker,
  next: string,
  guard: SecretGuard | undefined,
): Promise<Staged & { kind: 'index' }> {
  const { tree: workTree } = worker.workspace
  const scan = await scanLeft(worker, () => workTree.scan(next, worker.workspace.preserved))
  if (await guard?.removeSecrets(stageable(worker.workspace, scan))) return stageInto(worker, next, guard)
  const paths = stageable(worker.workspace, scan).filter((path) => !scan.staged.has(path))
  const outside = await workTree.stage(next, guard === undefined ? paths : await guard.withoutTaken(paths))
  await workTree.untrack(next, await workTree.untrackedByCommand(worker.at.tip))
  const tree = await workTree.writeTree(next)
  const tipTree = await worker.workspace.objects.treeOf(worker.at.tip)
  const changes = tree === tipTree ? [] : await workTree.changesBetween(tipTree, tree)
  return { kind: 'index', next, tree, changes, scan, guard, outside }
}

/** undefined: Git has to store one of the files, or the command has written the index. */
async function stageUnfiltered(
  worker: Worker,
  guard: SecretGuard | undefined,
  touched: ReadonlySet<RawPath> | undefined,
): Promise<Staged | undefined> {
  const { tree, repo, objects } = worker.workspace
  if (
    !(await tree.isIndexKnown()) ||
    !tree.isIndexSimple() ||
    !(await isUnfiltered(repo, rawPath(worker.run.planPath)))
  )
    return undefined
  const scan = touched === undefined ? await scanLeft(worker) : scanOf(worker.workspace, touched)
  if (await guard?.removeSecrets(stageable(worker.workspace, scan))) return stageUnfiltered(worker, guard, touched)
  const edits = await unfilteredEntries(repo, objects, stageable(worker.workspace, scan))
  if (edits === undefined) return undefined
  const tipTree = await worker.workspace.objects.treeOf(worker.at.tip)
  return { kind: 'edits', tipTree, edits, changes: await objects.changesBy(tipTree, edits), scan, guard, outside: [] }
}

/** The scan of a tree in which only these paths can have changed. */
const scanOf = (workspace: Workspace, touched: ReadonlySet<RawPath>): Scan => ({
  changed: [...touched],
  staged: new Set(),
  untracked: [],
  ignored: workspace.preserved,
  nested: [],
  unmerged: [],
})

/** A file outside the sparse checkout is not on disk, so writing to its path would discard its contents unseen. */
export function outsideSparse({
  outside: [first, ...rest],
}: Staged): { readonly message: string; readonly remedy: string } | undefined {
  if (first === undefined) return undefined
  const name = shown(first)
  const remedy = `git sparse-checkout add ${quoteIfNeeded(name.includes('/') ? dirname(name) : name)}`
  return { message: `files outside the sparse checkout were changed: ${describePaths([first, ...rest])}`, remedy }
}

export const treeOf = async (worker: Worker, staged: Staged): Promise<Oid> =>
  staged.kind === 'index' ? staged.tree : worker.workspace.objects.treeWithAll(staged.tipTree, staged.edits)

/** Blobs of files, without submodules. */
export const blobsOf = ({ kind, changes }: Staged): Oid[] =>
  kind === 'edits'
    ? []
    : changes.flatMap(({ newMode, oid }) => (oid === undefined || newMode === '160000' ? [] : [oid]))

export async function discard(staged: Staged): Promise<void> {
  if (staged.kind === 'index') await rm(staged.next, { force: true })
}

export interface StepCommit {
  readonly event: PlanEventName
  readonly step: Step | undefined
  readonly steps: ReadonlyMap<StepId, StepStatus>
  readonly subject: string
  readonly body?: string
  readonly facts: Partial<Omit<PlanEvent, 'event' | 'plan'>>
  readonly note?: Uint8Array | undefined
  readonly withHooks: boolean
}

export type Committed = { readonly ok: true; readonly commit: Oid } | { readonly ok: false; readonly message: string }

/** `judge` sees the changes again, since hooks may have added some; its message stops the commit. */
export async function commitStaged(
  worker: Worker,
  staged: Staged,
  request: StepCommit,
  judge: Judge,
): Promise<Committed> {
  const hooks = request.withHooks ? await worker.workspace.hooks() : undefined
  const isHooked = hooks !== undefined && (await hooks.hasAny())
  // Hooks need an index.
  const ready =
    staged.kind === 'edits' && isHooked
      ? await stageInto(worker, await worker.workspace.tree.indexOf(worker.at.tip), staged.guard)
      : staged
  const committed = await tryCommit(worker, ready, request, judge)
  if (!committed.ok) await discard(ready)
  return committed
}

type Judge = (changes: readonly TreeChange[]) => string | undefined

async function tryCommit(worker: Worker, staged: Staged, request: StepCommit, judge: Judge): Promise<Committed> {
  const { tree } = worker.workspace
  const { bytes, plan, source } = planAfter(worker.run, worker.at, request)
  const blob = await worker.workspace.objects.blob(bytes)
  // Git has to see the objects that it works on.
  if (staged.kind === 'index') await worker.workspace.objects.writeOut()
  const facts = await writePlanFile(worker, blob, bytes)
  const whole =
    staged.kind === 'edits'
      ? await withPlanFile(worker, staged, { mode: '100644', oid: blob, ...facts })
      : await runPreCommit(worker, staged, { request, judge, blob })
  if (!whole.ok) return whole

  const message = await runMessageHooks(
    worker,
    messageOf(worker.run, request, worker.at.plan.digest),
    request.withHooks,
    whole.next ?? tree.indexPath,
  )
  if (!message.ok) return message
  const commit = await worker.workspace.objects.commit({
    tree: whole.tree,
    parents: [worker.at.tip],
    message: message.text,
    // In the pool it is only a draft of the commit on the plan's branch.
    isUnsigned: worker.number !== undefined,
  })
  const { note, refs } = await worker.movesTo(commit, request.note)
  await worker.workspace.objects.flush(whole.blobs)
  const move = (): Promise<void> => worker.run.moveWithNote(note, refs, worker.workspace.repo)
  if (whole.edits !== undefined) await tree.putIntoIndex(whole.edits, move)
  else {
    await tree.installIndex(whole.next, move)
    tree.rememberIndex()
  }
  rememberIgnored(worker.workspace, whole.scan)
  worker.at = { tip: commit, plan, source }
  if (request.withHooks && worker.number === undefined)
    await (await worker.workspace.hooks()).run('post-commit', [], tree.indexPath)
  return { ok: true, commit }
}

/**
 * The contents of the commit and its index. `blobs`: blobs that Git may have found already written by somebody else.
 */
type CommitContents = { readonly ok: true; readonly tree: Oid; readonly scan: Scan; readonly blobs: readonly Oid[] } & (
  | { readonly next: string; readonly edits?: undefined }
  | { readonly next?: undefined; readonly edits: TreeEdits }
)

async function withPlanFile(
  worker: Worker,
  { tipTree, edits, scan }: Staged & { kind: 'edits' },
  planFile: TreeFile,
): Promise<CommitContents> {
  const all = new Map(edits).set(rawPath(worker.run.planPath), planFile)
  return { ok: true, tree: await worker.workspace.objects.treeWithAll(tipTree, all), edits: all, scan, blobs: [] }
}

async function runPreCommit(
  worker: Worker,
  staged: Staged & { kind: 'index' },
  { request, judge, blob }: { request: StepCommit; judge: Judge; blob: Oid },
): Promise<CommitContents | { readonly ok: false; readonly message: string }> {
  const { next } = staged
  const hooks = request.withHooks ? await worker.workspace.hooks() : undefined
  if (hooks === undefined || !(await hooks.has('pre-commit')))
    return {
      ok: true,
      tree: await treeWithPlanBlob(worker, next, blob),
      next,
      scan: staged.scan,
      blobs: blobsOf(staged),
    }
  await putPlanBlob(worker, next, blob)
  // A hook sees only objects in the repository itself.
  await worker.workspace.objects.flush()
  const answer = await hooks.run('pre-commit', [], next)
  if (answer.code !== 0) return { ok: false, message: `the pre-commit hook refused: ${hookOutput(answer)}` }
  const again = await stageInto(worker, next, staged.guard)
  if ((staged.guard?.taken.length ?? 0) > 0)
    return { ok: false, message: `after the pre-commit hook: ${staged.guard!.message}` }
  const problem = judge(again.changes.filter(({ path }) => path !== rawPath(worker.run.planPath)))
  if (problem !== undefined) return { ok: false, message: `after the pre-commit hook: ${problem}` }
  const tree = await worker.workspace.tree.writeTree(next)
  if ((await planBlobIn(worker, tree)) !== blob)
    return { ok: false, message: `the pre-commit hook changed ${worker.run.planPath}` }
  return { ok: true, tree, next, scan: again.scan, blobs: blobsOf(again) }
}

async function runMessageHooks(
  worker: Worker,
  text: string,
  withHooks: boolean,
  index: string,
): Promise<{ ok: true; text: string } | { ok: false; message: string }> {
  const hooks = await worker.workspace.hooks()
  if (!withHooks || !((await hooks.has('commit-msg')) || (await hooks.has('prepare-commit-msg'))))
    return { ok: true, text }
  const file = worker.workspace.dir.file('message')
  await worker.workspace.objects.flush()
  await writeFile(file, text)
  for (const [hook, args] of [
    ['prepare-commit-msg', [file, 'message']],
    ['commit-msg', [file]],
  ] as const) {
    const answer = await hooks.run(hook, args, index)
    if (answer.code !== 0) return { ok: false, message: `the ${hook} hook refused: ${hookOutput(answer)}` }
  }
  const changed = `${(await readFile(file, 'utf8')).trimEnd()}\n`
  await unlink(file)
  if (changed.includes('\0'))
    return { ok: false, message: 'the commit-msg hook left a NUL in the message, which Git does not accept' }
  const before = parseMessage(text).trailers
  const after = parseMessage(changed).trailers
  const lost = [...before].find(([key, value]) => after.get(key) !== value)
  if (lost !== undefined) return { ok: false, message: `the commit-msg hook changed the trailer ${lost[0]}` }
  return { ok: true, text: changed }
}

const hookOutput = (answer: { stdout: Buffer; stderr: string }): string => {
  const text = `${answer.stderr}${answer.stdout.toString()}`.trim()
  return text === '' ? 'it printed nothing' : text.split('\n').slice(-5).join('\n')
}

/** The commit subject for a title, from `commit.subject` in the configuration. */
export function subjectOf(run: Run, title: string, step?: string): string {
  const values: Record<string, string> = { title, plan: run.id, step: step ?? '' }
  return run.settings.subject.replace(/\{(title|plan|step)\}/g, (_, key: string) => values[key] ?? '')
}

export async function refuseMovedBranch(worker: Worker): Promise<void> {
  const { run, workspace } = worker
  if (worker.number !== undefined) return refuseMovedHead(worker)
  const [tip, head] = await Promise.all([workspace.repo.tipOf(run.branch), workspace.repo.headBranch()])
  if (tip === undefined) {
    // The saved attempt of this step has the lost tip as its parent, so Git keeps it.
    const [oid, resume] = [worker.at.tip.slice(0, 12), `git plan resume ${worker.run.id}`]
    throw new PlanError('branch-moved', `plan/${worker.run.id} was deleted while the step ran`, {
      hint:
        head === worker.run.branch
          ? `git update-ref ${worker.run.branch} ${oid} && ${resume}`
          : `git branch plan/${worker.run.id} ${oid} && git checkout plan/${worker.run.id} && ${resume}`,
    })
  }
  if (head !== worker.run.branch) {
    throw new PlanError(
      'branch-moved',
      `the work tree was switched away from plan/${worker.run.id} while the step ran`,
      {
        hint: `git checkout plan/${worker.run.id} && git plan resume ${worker.run.id}`,
      },
    )
  }
  if (tip !== worker.at.tip) {
    throw new PlanError(
      'branch-moved',
      `new commits appeared on plan/${run.id} while the step ran; if the step made them, remove \`git commit\` from it, since git plan commits its changes`,
      {
        hint: {
          'look at the new commits': `git log ${run.at.tip.slice(0, 12)}..plan/${run.id}`,
          'keep them': `git plan resume ${run.id} --fix`,
          'drop them': `git reset --hard ${run.at.tip.slice(0, 12)}`,
        },
      },
    )
  }
}

/** In the pool HEAD is detached: a step that moves it runs again in the plan's own checkout, where it is refused. */
async function refuseMovedHead({ run, workspace: { repo }, at }: Worker): Promise<void> {
  // A detached HEAD is the name of a commit.
  const head = await readFile(join(repo.gitDir, 'HEAD'), 'utf8').catch(() => '')
  if (head.trim() === at.tip) return
  // Refs may be stored elsewhere.
  if ((await repo.headBranch()) === undefined && (await repo.resolve('HEAD')) === at.tip) return
  throw new PlanError('branch-moved', `HEAD of ${repo.root} was moved while the step ran`, {
    hint: `git plan resume ${run.id}`,
  })
}
