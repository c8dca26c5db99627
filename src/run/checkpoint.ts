// A checkpoint: what the step changed and the plan file that says so, in one commit. The branch moves last.

import { readFile, rm, unlink, writeFile } from 'node:fs/promises'
import { PlanError } from '../errors.ts'
import { rawPath } from '../git/raw-path.ts'
import type { Scan, TreeChange } from '../git/work-tree.ts'
import type { PlanEventName } from '../plan/lifecycle.ts'
import type { Step, StepStatus } from '../plan/plan.ts'
import { parseMessage, type PlanEvent } from '../plan/trailers.ts'
import type { Oid, StepId } from '../plan/values.ts'
import { rememberIgnored, stageable } from './not-ours.ts'
import { messageOf, planAfter, planBlobIn, putPlanBlob, treeWithPlanBlob, writePlanFile } from './record.ts'
import type { Session } from './session.ts'

export interface Staged {
  /** A temporary index that holds the tree. */
  readonly next: string
  readonly tree: Oid
  readonly changes: readonly TreeChange[]
  readonly scan: Scan
}

/** Stages what differs from the checkpoint, except what was ignored before the step: that was never the step's. */
export async function stageChanges(session: Session, into?: string): Promise<Staged> {
  const { place } = session
  const next = into ?? (await place.indexOf(session.at.tip))
  const scan = await place.scan(next)
  const paths = stageable(session, scan)
  await place.stage(next, paths)
  await place.untrack(next, await place.untrackedByCommand(session.at.tip))
  const tree = await place.writeTree(next)
  const tipTree = await session.repo.resolve(session.at.tip, 'tree')
  if (tipTree === undefined) throw new Error(`${session.at.tip} has no tree`)
  const changes = tree === tipTree ? [] : await place.changesBetween(tipTree, tree)
  return { next, tree, changes, scan }
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
  const committed = await tryCommit(session, staged, request, judge)
  if (!committed.ok) await rm(staged.next, { force: true })
  return committed
}

type Judge = (changes: readonly TreeChange[]) => string | undefined

async function tryCommit(session: Session, staged: Staged, request: StepCommit, judge: Judge): Promise<Committed> {
  const { place } = session
  const { bytes, plan, source } = planAfter(session, request)
  const blob = await session.objects.blob(bytes)
  await writePlanFile(session, blob)
  let { scan } = staged
  let tree: Oid
  if (request.withHooks && (await (await session.commitHooks()).has('pre-commit'))) {
    await putPlanBlob(session, staged.next, blob)
    const answer = await (await session.commitHooks()).run('pre-commit', [], staged.next)
    if (answer.code !== 0) return { ok: false, message: `the pre-commit hook refused: ${said(answer)}` }
    const again = await stageChanges(session, staged.next)
    const problem = judge(again.changes.filter(({ path }) => path !== rawPath(session.planPath)))
    if (problem !== undefined) return { ok: false, message: `after the pre-commit hook: ${problem}` }
    scan = again.scan
    tree = await place.writeTree(staged.next)
    if ((await planBlobIn(session, tree)) !== blob) return { ok: false, message: `the pre-commit hook changed ${session.planPath}` }
  } else tree = await treeWithPlanBlob(session, staged.next, blob)

  const message = await messageThroughHooks(session, messageOf(session, request, session.at.plan.digest), request.withHooks, staged.next)
  if (!message.ok) return message
  const commit = await session.objects.commit({ tree, parents: [session.at.tip], message: message.text })
  await session.note(commit, request.note)
  await session.objects.flush()
  await place.installIndex(staged.next, () => session.repo.moveRefs([{ ref: session.branch, from: session.at.tip, to: commit }]))
  rememberIgnored(session, scan)
  await place.rememberIndex()
  session.at = { tip: commit, plan, source }
  if (request.withHooks) await (await session.commitHooks()).run('post-commit', [], place.indexPath)
  return { ok: true, commit }
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
  if (changed.includes('\0')) return { ok: false, message: 'the commit-msg hook left a NUL in the message, which git does not take' }
  const before = parseMessage(text).trailers
  const after = parseMessage(changed).trailers
  const lost = [...before].find(([key, value]) => after.get(key) !== value)
  if (lost !== undefined) return { ok: false, message: `the commit-msg hook changed the trailer ${lost[0]}` }
  return { ok: true, text: changed }
}

const said = (answer: { stdout: Buffer; stderr: string }): string => {
  const text = `${answer.stderr}${answer.stdout.toString()}`.trim()
  return text === '' ? 'it said nothing' : text.split('\n').slice(-5).join('\n')
}

/** The message that `commit.subject` of the configuration makes of a title. */
export function subjectOf(session: Session, title: string, step?: string): string {
  const values: Record<string, string> = { title, plan: session.id, step: step ?? '' }
  return session.settings.subject.replace(/\{(title|plan|step)\}/g, (_, key: string) => values[key] ?? '')
}

export async function refuseMovedBranch(session: Session): Promise<void> {
  const [tip, head] = [await session.repo.tipOf(session.branch), await session.repo.headBranch()]
  if (head !== session.branch) {
    throw new PlanError('branch-moved', `the step switched the work tree away from plan/${session.id}`, {
      hint: `git checkout plan/${session.id} && git plan resume ${session.id}`,
    })
  }
  if (tip === undefined) {
    // The attempt that is saved of this step has the lost tip as its parent: git keeps it.
    throw new PlanError('branch-moved', `plan/${session.id} was deleted while the step ran`, {
      hint: `bring it back: git update-ref ${session.branch} ${session.at.tip.slice(0, 12)}; then: git plan resume ${session.id}`,
    })
  }
  if (tip !== session.at.tip) {
    throw new PlanError('branch-moved', `plan/${session.id} moved while the step ran`, {
      hint: `look: git log plan/${session.id}; keep the new commits: git plan resume ${session.id} --fix; drop them: git reset --hard ${session.at.tip.slice(0, 12)}`,
    })
  }
}
