// A checkpoint: what the step changed and the plan file that says so, in one commit. The branch moves last.

import { readFile, rm, unlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PlanError } from '../errors.ts'
import { isPlain, plainFiles } from '../git/plain-files.ts'
import { describePaths, rawPath, shown, type RawPath } from '../git/raw-path.ts'
import type { TreeChange, TreeEdits, TreeFile } from '../git/tree-text.ts'
import type { Scan } from '../git/work-tree.ts'
import type { PlanEventName } from '../plan/lifecycle.ts'
import type { Step, StepStatus } from '../plan/plan.ts'
import { parseMessage, type PlanEvent } from '../plan/trailers.ts'
import type { Oid, StepId } from '../plan/values.ts'
import { wordOf } from '../process/shell-words.ts'
import { rememberIgnored, stageable } from './not-ours.ts'
import { messageOf, planAfter, planBlobIn, putPlanBlob, treeWithPlanBlob, writePlanFile } from './record.ts'
import type { SecretGuard } from './quarantine.ts'
import { scanLeft } from './scan-left.ts'
import type { Session } from './session.ts'

/** What differs from the checkpoint: in a temporary index, or, where git would store the files as they are, as edits of the tip's tree. */
export type Staged = {
  readonly changes: readonly TreeChange[]
  readonly scan: Scan
  readonly guard: SecretGuard | undefined
  /** Left out by a sparse checkout: to be saved, but not to be committed. */
  readonly outside: readonly RawPath[]
} & ({ readonly kind: 'index'; readonly next: string; readonly tree: Oid } | { readonly kind: 'plain'; readonly tipTree: Oid; readonly edits: TreeEdits })

/**
 * Stages what differs from the checkpoint, except what was ignored before the step: that was never the step's. Secrets are taken out before anything is stored.
 * `touched`: all that can differ, where nobody but us has written since the checkpoint.
 */
export async function stageChanges(session: Session, guard?: SecretGuard, touched?: ReadonlySet<RawPath>): Promise<Staged> {
  return (await stagePlain(session, guard, touched)) ?? stageInto(session, await session.place.indexOf(session.at.tip), guard)
}

async function stageInto(session: Session, next: string, guard: SecretGuard | undefined): Promise<Staged & { kind: 'index' }> {
  const { place } = session
  const scan = await scanLeft(session, () => place.scan(next, session.notOurs))
  if (await guard?.takes(stageable(session, scan))) return stageInto(session, next, guard)
  const paths = stageable(session, scan).filter((path) => !scan.staged.has(path))
  const outside = await place.stage(next, guard === undefined ? paths : await guard.withoutTaken(paths))
  await place.untrack(next, await place.untrackedByCommand(session.at.tip))
  const tree = await place.writeTree(next)
  const tipTree = await session.objects.treeOf(session.at.tip)
  const changes = tree === tipTree ? [] : await place.changesBetween(tipTree, tree)
  return { kind: 'index', next, tree, changes, scan, guard, outside }
}

/** undefined: something here is git's to store, or the command has written the index. */
async function stagePlain(session: Session, guard: SecretGuard | undefined, touched: ReadonlySet<RawPath> | undefined): Promise<Staged | undefined> {
  const { place, repo, objects } = session
  if (!(await place.isIndexKnown()) || !place.isIndexPlain() || !(await isPlain(repo, rawPath(session.planPath)))) return undefined
  const scan = touched === undefined ? await scanLeft(session) : scanOf(session, touched)
  if (await guard?.takes(stageable(session, scan))) return stagePlain(session, guard, touched)
  const edits = await plainFiles(repo, objects, stageable(session, scan))
  if (edits === undefined) return undefined
  const tipTree = await session.objects.treeOf(session.at.tip)
  return { kind: 'plain', tipTree, edits, changes: await objects.changesBy(tipTree, edits), scan, guard, outside: [] }
}

/** What git would say of a tree in which nothing but these can have changed. */
const scanOf = (session: Session, touched: ReadonlySet<RawPath>): Scan => ({
  changed: [...touched],
  staged: new Set(),
  untracked: [],
  ignored: session.notOurs,
  nested: [],
  unmerged: [],
})

/** A file that a sparse checkout leaves out was not there for whoever wrote in its place. */
export function outsideSparse({ outside: [first, ...rest] }: Staged): { readonly message: string; readonly remedy: string } | undefined {
  if (first === undefined) return undefined
  const name = shown(first)
  const remedy = `git sparse-checkout add ${wordOf(name.includes('/') ? dirname(name) : name)}`
  return { message: `files outside the sparse checkout were changed: ${describePaths([first, ...rest])}`, remedy }
}

export const treeOf = async (session: Session, staged: Staged): Promise<Oid> =>
  staged.kind === 'index' ? staged.tree : session.objects.treeWithAll(staged.tipTree, staged.edits)

/** Of files, not of submodules. */
export const blobsOf = ({ kind, changes }: Staged): Oid[] =>
  kind === 'plain' ? [] : changes.flatMap(({ newMode, oid }) => (oid === undefined || newMode === '160000' ? [] : [oid]))

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

/** `judge` sees the changes again after hooks may have added to them; its message stops the commit. */
export async function commitStaged(session: Session, staged: Staged, request: StepCommit, judge: Judge): Promise<Committed> {
  const hooks = request.withHooks ? await session.commitHooks() : undefined
  const isHooked = hooks !== undefined && (await hooks.hasAny())
  // Hooks look at an index.
  const fit = staged.kind === 'plain' && isHooked ? await stageInto(session, await session.place.indexOf(session.at.tip), staged.guard) : staged
  const committed = await tryCommit(session, fit, request, judge)
  if (!committed.ok) await discard(fit)
  return committed
}

type Judge = (changes: readonly TreeChange[]) => string | undefined

async function tryCommit(session: Session, staged: Staged, request: StepCommit, judge: Judge): Promise<Committed> {
  const { place } = session
  const { bytes, plan, source } = planAfter(session, request)
  const blob = await session.objects.blob(bytes)
  // Git has to see what it is to work on.
  if (staged.kind === 'index') await session.objects.writeOut()
  const facts = await writePlanFile(session, blob, bytes)
  const whole =
    staged.kind === 'plain'
      ? await withPlanFile(session, staged, { mode: '100644', oid: blob, ...facts })
      : await throughPreCommit(session, staged, { request, judge, blob })
  if (!whole.ok) return whole

  const message = await messageThroughHooks(session, messageOf(session, request, session.at.plan.digest), request.withHooks, whole.next ?? place.indexPath)
  if (!message.ok) return message
  const commit = await session.objects.commit({ tree: whole.tree, parents: [session.at.tip], message: message.text })
  const note = await session.note(commit, request.note)
  await session.objects.flush(whole.blobs)
  const move = (): Promise<void> => session.moveWithNote(note, [{ ref: session.branch, from: session.at.tip, to: commit }])
  if (whole.edits !== undefined) await place.putIntoIndex(whole.edits, move)
  else {
    await place.installIndex(whole.next, move)
    place.rememberIndex()
  }
  rememberIgnored(session, whole.scan)
  session.at = { tip: commit, plan, source }
  if (request.withHooks) await (await session.commitHooks()).run('post-commit', [], place.indexPath)
  return { ok: true, commit }
}

/** All that the commit holds, and the index that goes with it. `blobs`: those of which git may have found that somebody else had written them. */
type Whole = { readonly ok: true; readonly tree: Oid; readonly scan: Scan; readonly blobs: readonly Oid[] } & (
  | { readonly next: string; readonly edits?: undefined }
  | { readonly next?: undefined; readonly edits: TreeEdits }
)

async function withPlanFile(session: Session, { tipTree, edits, scan }: Staged & { kind: 'plain' }, planFile: TreeFile): Promise<Whole> {
  const all = new Map(edits).set(rawPath(session.planPath), planFile)
  return { ok: true, tree: await session.objects.treeWithAll(tipTree, all), edits: all, scan, blobs: [] }
}

async function throughPreCommit(
  session: Session,
  staged: Staged & { kind: 'index' },
  { request, judge, blob }: { request: StepCommit; judge: Judge; blob: Oid },
): Promise<Whole | { readonly ok: false; readonly message: string }> {
  const { next } = staged
  const hooks = request.withHooks ? await session.commitHooks() : undefined
  if (hooks === undefined || !(await hooks.has('pre-commit')))
    return { ok: true, tree: await treeWithPlanBlob(session, next, blob), next, scan: staged.scan, blobs: blobsOf(staged) }
  await putPlanBlob(session, next, blob)
  // A hook looks into the repository, and nowhere else.
  await session.objects.flush()
  const answer = await hooks.run('pre-commit', [], next)
  if (answer.code !== 0) return { ok: false, message: `the pre-commit hook refused: ${said(answer)}` }
  const again = await stageInto(session, next, staged.guard)
  if ((staged.guard?.taken.length ?? 0) > 0) return { ok: false, message: `after the pre-commit hook: ${staged.guard!.message}` }
  const problem = judge(again.changes.filter(({ path }) => path !== rawPath(session.planPath)))
  if (problem !== undefined) return { ok: false, message: `after the pre-commit hook: ${problem}` }
  const tree = await session.place.writeTree(next)
  if ((await planBlobIn(session, tree)) !== blob) return { ok: false, message: `the pre-commit hook changed ${session.planPath}` }
  return { ok: true, tree, next, scan: again.scan, blobs: blobsOf(again) }
}

async function messageThroughHooks(
  session: Session,
  text: string,
  withHooks: boolean,
  index: string,
): Promise<{ ok: true; text: string } | { ok: false; message: string }> {
  const hooks = await session.commitHooks()
  if (!withHooks || !((await hooks.has('commit-msg')) || (await hooks.has('prepare-commit-msg')))) return { ok: true, text }
  const file = session.dir.file('message')
  await session.objects.flush()
  await writeFile(file, text)
  for (const [hook, args] of [
    ['prepare-commit-msg', [file, 'message']],
    ['commit-msg', [file]],
  ] as const) {
    const answer = await hooks.run(hook, args, index)
    if (answer.code !== 0) return { ok: false, message: `the ${hook} hook refused: ${said(answer)}` }
  }
  const changed = `${(await readFile(file, 'utf8')).trimEnd()}\n`
  await unlink(file)
  if (changed.includes('\0')) return { ok: false, message: 'the commit-msg hook left a NUL in the message, which Git does not accept' }
  const before = parseMessage(text).trailers
  const after = parseMessage(changed).trailers
  const lost = [...before].find(([key, value]) => after.get(key) !== value)
  if (lost !== undefined) return { ok: false, message: `the commit-msg hook changed the trailer ${lost[0]}` }
  return { ok: true, text: changed }
}

const said = (answer: { stdout: Buffer; stderr: string }): string => {
  const text = `${answer.stderr}${answer.stdout.toString()}`.trim()
  return text === '' ? 'it printed nothing' : text.split('\n').slice(-5).join('\n')
}

/** The message that `commit.subject` of the configuration makes of a title. */
export function subjectOf(session: Session, title: string, step?: string): string {
  const values: Record<string, string> = { title, plan: session.id, step: step ?? '' }
  return session.settings.subject.replace(/\{(title|plan|step)\}/g, (_, key: string) => values[key] ?? '')
}

export async function refuseMovedBranch(session: Session): Promise<void> {
  const { repo, branch } = session
  const [tip, head] = await Promise.all([repo.tipOf(branch), repo.headBranch()])
  if (tip === undefined) {
    // The attempt that is saved of this step has the lost tip as its parent: git keeps it.
    const [oid, resume] = [session.at.tip.slice(0, 12), `git plan resume ${session.id}`]
    throw new PlanError('branch-moved', `plan/${session.id} was deleted while the step ran`, {
      hint:
        head === session.branch
          ? `git update-ref ${session.branch} ${oid} && ${resume}`
          : `git branch plan/${session.id} ${oid} && git checkout plan/${session.id} && ${resume}`,
    })
  }
  if (head !== session.branch) {
    throw new PlanError('branch-moved', `the step switched the work tree away from plan/${session.id}`, {
      hint: `git checkout plan/${session.id} && git plan resume ${session.id}`,
    })
  }
  if (tip !== session.at.tip) {
    throw new PlanError('branch-moved', `plan/${session.id} moved while the step ran`, {
      hint: {
        'look at the new commits': `git log plan/${session.id}`,
        'keep them': `git plan resume ${session.id} --fix`,
        'drop them': `git reset --hard ${session.at.tip.slice(0, 12)}`,
      },
    })
  }
}
