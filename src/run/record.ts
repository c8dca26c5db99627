// Commits on the plan's branch: one for each event, each with the plan file that says what is then true.

import { lstatSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync, type BigIntStats } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PlanError } from '../errors.ts'
import { Inside } from '../git/inside.ts'
import { isPlain } from '../git/plain-files.ts'
import { rawPath } from '../git/raw-path.ts'
import type { RefMove } from '../git/refs.ts'
import { nextStatus, type PlanEventName } from '../plan/lifecycle.ts'
import { statusOf, type Plan, type PlanStatus, type StepStatus } from '../plan/plan.ts'
import { readPlan, type PlanText } from '../plan/read-plan.ts'
import { trailersOf, type PlanEvent } from '../plan/trailers.ts'
import type { Oid, StepId } from '../plan/values.ts'
import { withState, type Written } from '../plan/write.ts'
import { maskedMessage } from './known-secrets.ts'
import type { Session } from './session.ts'

export interface EventRequest {
  readonly event: PlanEventName
  /** Where the table allows more than one. */
  readonly status?: PlanStatus
  readonly steps?: ReadonlyMap<StepId, StepStatus>
  readonly subject: string
  readonly body?: string
  readonly facts?: Partial<Omit<PlanEvent, 'event' | 'plan'>>
  readonly note?: Uint8Array | undefined
  /** A new text of the whole plan file (replan, edit); default: the one at the tip. */
  readonly planBytes?: Uint8Array
  /** Other refs that move together with the branch, before it. */
  readonly refs?: readonly RefMove[]
  /** Signed, whatever the configuration says; `judge` sees the commit before the branch has it, and throws where it is not to. */
  readonly signed?: { readonly judge: (commit: Oid) => Promise<void> }
}

/** The plan file after an event, from the plan at the tip. */
export function planAfter(session: Session, request: Pick<EventRequest, 'event' | 'status' | 'steps' | 'planBytes'>): Written {
  const { plan } = session.at
  const status = nextStatus(request.event, plan.status, request.status)
  const state = new Map(plan.state)
  for (const [step, value] of request.steps ?? []) {
    if (value === 'pending') state.delete(step)
    else state.set(step, value)
  }
  return withState(request.planBytes === undefined ? session.at : validPlan(session, request.planBytes), status, state)
}

export function messageOf(session: Session, request: Pick<EventRequest, 'event' | 'subject' | 'body' | 'facts'>, digest: string): string {
  const event: PlanEvent = { event: request.event, plan: session.id, run: session.run, digest, ...request.facts }
  const { subject, body } = request
  // A reason that a person gives may quote what a program has printed.
  return maskedMessage(session.mask, { subject, ...(body === undefined ? {} : { body }), trailers: trailersOf(event) })
}

/** An event that changes nothing but the plan file. What the user has changed or staged meanwhile is left as it is. */
export const recordEvent = (session: Session, request: EventRequest): Promise<Oid> => session.keepingObjects(() => record(session, request))

async function record(session: Session, request: EventRequest): Promise<Oid> {
  const { bytes, plan, source } = planAfter(session, request)
  const { tip } = session.at
  const blob = await session.objects.blob(bytes)
  const tree = await session.objects.treeWith(await session.objects.treeOf(tip), session.planPath, blob)
  const isSigned = request.signed !== undefined
  const commit = await session.objects.commit({ tree, parents: [tip], message: messageOf(session, request, plan.digest), isSigned })
  await request.signed?.judge(commit)
  const note = await session.note(commit, request.note)
  await session.objects.flush()
  const moves = [...(request.refs ?? []), { ref: session.branch, from: tip, to: commit }]
  if (session.tree === undefined) await session.movingRefs(() => session.moveWithNote(note, moves))
  else {
    await session.intend({ kind: 'event', input: tip })
    const facts = await writePlanFile(session, blob, bytes)
    const { tree: place } = session
    await place.editIndex(
      (next) => putPlanBlob(session, next, blob, facts),
      () => session.moveWithNote(note, moves),
    )
    await session.settle()
  }
  session.at = { tip: commit, plan, source }
  return commit
}

/** The plan's bytes are the author's: they go into the index without filters, whatever the attributes say. */
export async function putPlanBlob(session: Session, index: string, blob: Oid, facts: PlanFileFacts = {}): Promise<void> {
  if (await isPlain(session.repo, rawPath(session.planPath)))
    return session.place.putInto(index, new Map([[rawPath(session.planPath), { mode: '100644', oid: blob, ...facts }]]))
  await stagePlanFile(session, index)
  const staged = await session.repo.git.text(['ls-files', '-s', '--', session.planPath], { index })
  if (staged.split(/\s/)[1] !== blob) await putUnfiltered(session, index, blob)
}

/** The same, where the tree is wanted: that a filter made other bytes of the file can be told from it, without asking for the index. */
export async function treeWithPlanBlob(session: Session, index: string, blob: Oid): Promise<Oid> {
  await stagePlanFile(session, index)
  const tree = await session.place.writeTree(index)
  if ((await planBlobIn(session, tree)) === blob) return tree
  await putUnfiltered(session, index, blob)
  return session.place.writeTree(index)
}

export const planBlobIn = (session: Session, tree: Oid): Promise<Oid | undefined> => session.repo.resolve(`${tree}:${session.planPath}`, 'object')

/** Through `add` first, so that the index remembers the file's times and `git status` has nothing to compare. */
const stagePlanFile = (session: Session, index: string): Promise<unknown> => session.place.stage(index, [rawPath(session.planPath)])

const putUnfiltered = (session: Session, index: string, blob: Oid): Promise<unknown> =>
  session.repo.git.run(['update-index', '--add', '--cacheinfo', `100644,${blob},${session.planPath}`], { index })

/** The plan file in the work tree, as a checkout would write it. Refuses to overwrite a change that is not ours. */
export async function writePlanFile(session: Session, blob: Oid, known?: Uint8Array): Promise<PlanFileFacts> {
  const path = join(session.place.root, session.planPath)
  const isUnfiltered = (await isAsAtTip(session, path)) || (await isPlain(session.repo, rawPath(session.planPath)))
  const bytes = isUnfiltered && known !== undefined ? known : await asCheckedOut(session, blob)
  mkdirSync(dirname(path), { recursive: true })
  return putPlanFile(path, bytes, planFileDraft(session, session.run))
}

/** In one step: at no moment is there no plan file. */
function putPlanFile(path: string, bytes: Uint8Array, temporary: string): PlanFileFacts {
  writeFileSync(temporary, bytes)
  const draft = statSync(temporary, { bigint: true })
  renameSync(temporary, path)
  const facts = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  // A rename changes one of the times. Another file, or other times of its contents, and somebody was faster than we could look.
  return facts !== undefined && facts.ino === draft.ino && facts.mtimeNs === draft.mtimeNs && facts.size === draft.size ? { facts } : {}
}

/** Of the plan file as it was written, where nobody can have changed it since. */
interface PlanFileFacts {
  readonly facts?: BigIntStats
}

/** It lies there as it is at the tip, byte for byte, and no filter is at work: git need not be asked. Refuses one that was changed. */
async function isAsAtTip(session: Session, path: string): Promise<boolean> {
  const found = await new Inside(session.place.root).look(rawPath(session.planPath))
  const isFile = found.kind === 'there' && found.facts.isFile()
  const isSame = isFile && readFileSync(path).equals(Buffer.from(session.at.source.text))
  if (!isSame) await refuseEditedPlanFile(session)
  return isSame && !session.at.source.text.includes('$Id')
}

const asCheckedOut = async (session: Session, blob: Oid): Promise<Buffer> =>
  (await session.repo.git.run(['cat-file', '--filters', `--path=${session.planPath}`, blob])).stdout

/** Beside the plan file, so that it can be renamed into place; recovery removes one that a crash left. */
const planFileDraft = (session: Session, run: string): string => join(session.place.root, dirname(session.planPath), `.${session.id}.${run}`)

export async function refuseEditedPlanFile(session: Session): Promise<void> {
  if (!(await isPlanFileEdited(session))) return
  throw new PlanError('spec-changed', `${session.planPath} was changed in the work tree, but only the approved text runs`, {
    hint: { 'propose the change': `git plan replan ${session.id} --from ${session.planPath}`, 'undo the change': `git checkout -- ${session.planPath}` },
  })
}

async function isPlanFileEdited(session: Session): Promise<boolean> {
  // A link in the place of the file or of its directory is an edit, and nothing to read or write through.
  const found = await new Inside(session.place.root).look(rawPath(session.planPath))
  if (found.kind === 'above' || (found.kind === 'there' && !found.facts.isFile())) return true
  const current = found.kind === 'there' ? bytesAt(join(session.place.root, session.planPath)) : undefined
  if (current === undefined) return false
  const atTip = await session.repo.readBlob(`${session.at.tip}:${session.planPath}`)
  if (atTip === undefined || current.equals(atTip)) return false
  const shown = await session.repo.git.run(['cat-file', '--filters', `${session.at.tip}:${session.planPath}`])
  return !current.equals(shown.stdout)
}

function bytesAt(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

/**
 * Puts the tip's plan file back where only its tail differs: that is an unfinished write of ours. Another digest is somebody's edit, and stays.
 * `run` is the one that began to write it: the draft has its name, so that whoever comes after a second crash finds it too.
 */
export async function restorePlanFile(session: Session, run: string = session.run): Promise<void> {
  const draft = planFileDraft(session, run)
  await rm(draft, { force: true })
  if (!(await isPlanFileEdited(session))) return
  const path = join(session.place.root, session.planPath)
  const found = await new Inside(session.place.root).look(rawPath(session.planPath))
  if (found.kind !== 'there' || !found.facts.isFile()) return
  const parsed = readPlan(await readFile(path), { file: session.planPath, id: session.id })
  if (!parsed.ok || parsed.plan.digest !== session.at.plan.digest) return
  const blob = await session.repo.resolve(`${session.at.tip}:${session.planPath}`, 'object')
  if (blob !== undefined) putPlanFile(path, await asCheckedOut(session, blob), draft)
}

export const stepsDone = (session: Session): number => session.at.plan.steps.filter((step) => statusOf(session.at.plan, step.id) === 'done').length

function validPlan(session: Session, bytes: Uint8Array): { readonly plan: Plan; readonly source: PlanText } {
  const parsed = readPlan(bytes, { file: session.planPath, id: session.id })
  if (!parsed.ok) throw new Error('the plan file that was about to be written is not valid')
  return parsed
}
