// A step in the hands of a driver: an agent, a person or a program that does the work itself, between two commands. A
// ref says who has it and until when; each command of the driver renews it.

import { PlanError } from '../../errors.ts'
import { Fingerprint } from '../../git/trust/fingerprint.ts'
import { openStepRef, treeLockName, type StepId } from '../../plan/model/ids.ts'
import { withPlanTools } from '../../plan/agents/allowed-tools.ts'
import type { Claim } from '../../plan/model/claim.ts'
import { isSettled } from '../../plan/model/step-status.ts'
import type { Step } from '../../plan/model/plan.ts'
import { agentOf } from '../../plan/verbs/index.ts'
import {
  handedFile,
  isExpired,
  openStepText,
  readOpenStep,
  type HandedHere,
  type OpenStep,
} from '../../store/open-step.ts'
import { PlanDir } from '../workspace/plan-dir.ts'
import { nextAttempt, restoreTip, saveAttempt, type SavedAttempt } from '../record/restore.ts'
import { scanLeft } from '../record/scan-left.ts'
import { requireGitState } from '../step/git-changes.ts'
import { keepBranches } from '../step/other-branches.ts'
import { keepPreserved, recallPreserved, scanWorkspace, stageable } from '../workspace/preserved-ignored.ts'
import type { Run } from './run.ts'

const openStepMs = 30 * 60_000

/** `forMs`: how long it waits for the driver. */
export async function openStep(run: Run, step: Step, holder: string, forMs = openStepMs): Promise<OpenStep> {
  const now = run.world.now()
  const attempt = await nextAttempt(run, step.id)
  // The user's ignored files must be known before the driver can change the ignore rules.
  await scanWorkspace(run.checkedOut)
  await keepPreserved(run.checkedOut)
  await keepBranches(run)
  const { digest: gitState, parts: gitParts } = await Fingerprint.take(run.repo)
  const since = now.toISOString()
  const until = new Date(now.getTime() + forMs).toISOString()
  return write(run, step.id, { holder, attempt, since, until, tip: run.at.tip, gitState, gitParts }, undefined)
}

export async function renewOpenStep(run: Run, open: OpenStep, forMs = openStepMs): Promise<OpenStep> {
  const until = new Date(run.world.now().getTime() + forMs).toISOString()
  return write(run, open.step, { ...open, until, attempt: await nextAttempt(run, open.step) }, open)
}

async function write(
  run: Run,
  step: StepId,
  facts: Omit<OpenStep, 'oid' | 'step'>,
  before: OpenStep | undefined,
): Promise<OpenStep> {
  await tellGuard(run, step, facts.until)
  const oid = await run.withKeptObjects(async () => {
    const blob = await run.objects.blob(Buffer.from(openStepText(facts)))
    await run.objects.flush([blob])
    await run.moveRefsWithIntent(() =>
      run.repo.moveRefs([{ ref: openStepRef(run.id, step), from: before?.oid, to: blob }]),
    )
    return blob
  })
  return { ...facts, step, oid }
}

/** What the guard allows in this work tree while the step is open. Before the ref, without which it does not count. */
async function tellGuard({ id, at, repo, tree }: Run, step: StepId, until: string): Promise<void> {
  if (tree === undefined) return
  const spec = at.plan.steps.find((each) => each.id === step)
  const agent = spec === undefined ? undefined : agentOf(spec)
  const tools = agent === undefined ? undefined : withPlanTools(at.plan, agent).tools
  const dir = new PlanDir(repo.gitDir, treeLockName)
  dir.ensure()
  await dir.writeJson(handedFile, { plan: id, step, until, tools } satisfies HandedHere)
}

export async function dropOpenStep(run: Run, { step, oid }: OpenStep): Promise<void> {
  await run.moveRefsWithIntent(() => run.repo.moveRefs([{ ref: openStepRef(run.id, step), from: oid, to: undefined }]))
  await new PlanDir(run.repo.gitDir, treeLockName).remove(handedFile)
}

/** The driver may have changed what Git executes: only a person accepts that. */
export async function refuseGitChangedByDriver(run: Run, { gitState, gitParts }: OpenStep): Promise<void> {
  if (run.tree === undefined) return
  await requireGitState(run, run.repo, gitState, ({ parts }) =>
    [...new Set([...Object.keys(gitParts), ...Object.keys(parts)])]
      .filter((name) => gitParts[name] !== parts[name])
      .toSorted(),
  )
}

/** True: a person has accepted what the driver changed. The driver keeps the step. */
async function acceptGitChanges(run: Run, open: OpenStep): Promise<boolean> {
  if (run.tree === undefined) return false
  await refuseGitChangedByDriver(run, open)
  const { digest: gitState, parts: gitParts } = await Fingerprint.take(run.repo)
  if (gitState === open.gitState) return false
  await write(run, open.step, { ...open, gitState, gitParts }, open)
  return true
}

/** Saves the work of the driver as an attempt, and resets the work tree. undefined: there was none. */
export async function saveOpenWork(
  run: Run,
  open: OpenStep,
  { reason, message, claim }: { readonly reason: string; readonly message: string; readonly claim?: Claim },
): Promise<SavedAttempt | undefined> {
  if (run.tree === undefined) return undefined
  await recallPreserved(run.checkedOut)
  const scan = await scanLeft(run.worker)
  if (stageable(run.checkedOut, scan).length + scan.nested.length === 0) return undefined
  const attempt = await nextAttempt(run, open.step)
  await run.intend({ kind: 'step', step: open.step, attempt, input: run.at.tip, gitState: open.gitState })
  const times = { startedAt: open.since, endedAt: run.world.now().toISOString() }
  const saved = await saveAttempt(run.worker, { step: open.step, attempt, reason, message, times, claim })
  await restoreTip(run.worker, saved, { label: `${open.step}-${attempt}` })
  await run.settle()
  return saved
}

/** Commands that do not touch the work of a driver; `next` decides for itself. */
const harmless = new Set(['new', 'import', 'clone', 'submit', 'approve', 'reject', 'prune', 'doctor', 'cache'])
/** Commands by which a person takes the step away. */
const taking = new Set(['cancel', 'rollback'])

/** Before a command that writes: what an open step means for it. A step whose holder did not come back is closed. */
export async function settleOpenStep(run: Run): Promise<void> {
  const open = await readOpenStep(run.repo, run.id)
  if (open === undefined) return
  const { step, holder, until } = open
  if (isSettled(run.at.plan, step) || run.at.plan.steps.every(({ id }) => id !== step)) return dropOpenStep(run, open)
  if (run.command === 'next') return
  const isOver = isExpired(open, run.world.now())
  if (!isOver && harmless.has(run.command)) return
  if (!isOver && run.command === 'resume' && (await acceptGitChanges(run, open))) return
  if (!isOver && !taking.has(run.command))
    throw new PlanError('held', `step ${step} of ${run.id} was handed to ${holder} until ${until}`, {
      hint: {
        'when it is done': `git plan next ${run.id} --done ${step}`,
        'when it cannot be done': `git plan next ${run.id} --failed ${step} -m WHY`,
        'take it away': `git plan next ${run.id} --release ${step}`,
      },
      facts: { step, holder, until },
    })
  await closeOpenStep(run, open)
}

/** Takes the step away from its driver: the changes are saved as an attempt. */
export async function closeOpenStep(run: Run, open: OpenStep): Promise<void> {
  await refuseGitChangedByDriver(run, open)
  const who = `${open.holder}${isExpired(open, run.world.now()) ? ', who did not come back' : ''}`
  const saved = await saveOpenWork(run, open, { reason: 'interrupted', message: `the step was handed to ${who}` })
  await dropOpenStep(run, open)
  run.world.emit({
    kind: 'notice',
    message: `${open.step} was handed to ${who}; ${saved === undefined ? 'it had changed no files' : `its changes are saved as attempt ${saved.facts.attempt}`}`,
  })
}
