// `git plan replan`: replaces the text of the plan. Steps that are done must stay unchanged; the rest needs a new
// approval.

import { isSettled } from '../../plan/model/step-status.ts'
import { requiredApproval, waysToApprove } from '../../operation/approval-ways.ts'
import { copyFile, realpath, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isOnlyRemoval } from '../../approval/rules/removal.ts'
import { PlanError } from '../../errors.ts'
import { hasErrors, type Finding } from '../../plan/model/finding.ts'
import { isFinal } from '../../plan/model/lifecycle.ts'
import { readPlan } from '../../plan/file/read-plan.ts'
import { statusOf, type Plan, type Step, type StepStatus } from '../../plan/model/plan.ts'
import { isSameStep, keepsStatus } from '../../plan/model/same-step.ts'
import type { StepId } from '../../plan/model/ids.ts'
import { asProposed } from '../../plan/file/write.ts'
import type { PlanEvent } from '../../plan/record/trailers.ts'
import { askAgent } from '../../protocol/ask-agent.ts'
import { recordEvent } from '../../engine/record/record-event.ts'
import { restorePlanFile, writePlanFile } from '../../engine/record/plan-file-in-tree.ts'
import type { Run } from '../../engine/run/run.ts'
import { checkFacts, findingsOnTree } from '../../operation/check-findings.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { invalidPlan } from '../../operation/invalid-plan.ts'
import { expandInput } from '../../operation/expand-input.ts'
import { readPlanInput, type PlanInput } from '../../operation/read-plan-input.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import { rollbackBefore } from '../../view/rollback-before.ts'
import { readApprovalState } from '../../approval/flow/approval-state.ts'
import { whatHappened } from '../../engine/agent/told-about.ts'
import { readRemarks } from '../../remote/read-remarks.ts'
import { historyOf, withRun, type WriteContext } from '../../operation/with-run.ts'
import type { ReplannedData } from '../../operation/results.ts'
import { draftStep } from '../../plan/model/draft.ts'
import { titleFrom } from '../../plan/model/names.ts'
import { verbOf } from '../../plan/verbs/index.ts'

export interface ReplanRequest {
  readonly plan?: string
  readonly from?: string
  readonly message?: string
  /** `NAME=VALUE` */
  readonly param?: readonly string[]
  /** The agent that writes the new text. */
  readonly agent?: string
  readonly model?: string
}

export function replan(request: ReplanRequest, context: CommandContext): Promise<CommandResult<ReplannedData>> {
  return withRun(context, { plan: request.plan, command: 'replan' }, async (writing) => {
    const { run } = writing
    if (request.agent !== undefined) return replanByAgent(writing, request, request.agent)
    if (request.from === undefined)
      throw new PlanError('usage', 'replan needs the new text of the plan', {
        hint: {
          'from a file': `git plan replan ${run.id} --from FILE`,
          'in your editor': `git plan edit ${run.id}`,
          'by an agent': `git plan replan ${run.id} --agent claude`,
        },
      })
    const input = await readPlanInput(request.from, context)
    const how = { reason: request.message, param: request.param }
    if (input.path === undefined || !(await isOwnFile(run, input.path))) return revise(writing, input, how)
    const stored = await run.repo.readBlob(await run.objects.blob(input.bytes, run.planPath))
    const own = { ...input, bytes: stored ?? input.bytes }
    const result = await revise(writing, own, { ...how, before: () => replaceEditedFile(run) })
    // If only the executor's own lines were changed, they are restored.
    await run.intend({ kind: 'event', input: run.at.tip })
    await restorePlanFile(run.worker)
    await run.settle()
    return result
  })
}

/** The agent gets the plan, its history and what people said about it, and writes the steps that are not done. */
async function replanByAgent(
  writing: WriteContext,
  { from, message, model, param = [] }: ReplanRequest,
  agent: string,
): Promise<CommandResult<ReplannedData>> {
  const { run, settings, context } = writing
  const { plan } = run.at
  if (from !== undefined || param.length > 0)
    throw new PlanError('usage', '--agent cannot be combined with --from or -p', { hint: 'git plan replan -h' })
  refuseFinal(plan)
  const done = plan.steps.filter(({ id }) => isSettled(plan, id)).map(({ id }) => id)
  const { events } = await historyOf(run)
  const happened = await whatHappened({ repo: run.repo, id: run.id, events }, plan)
  const why = [...happened, ...(await readRemarks(writing)).map((each) => `A reviewer wrote: ${each}`)]
  const request = message ?? plan.request ?? `Finish the plan "${plan.title}".`
  return askAgent(
    {
      repo: run.repo,
      settings,
      context,
      agent,
      model,
      commit: run.at.tip,
      again: (file) => `git plan replan ${run.id} --from ${file}`,
      byHand: `git plan edit ${run.id}`,
    },
    {
      request,
      current: { text: run.at.source.text, done, why },
    },
    (text, facts) =>
      revise(writing, { bytes: Buffer.from(text), file: `${run.id}.md`, path: undefined }, { reason: message, facts }),
  )
}

/** True for the plan file in the plan's own work tree, whose edited text is the new one. */
async function isOwnFile(run: Run, path: string): Promise<boolean> {
  if (run.tree === undefined) return false
  const [given, own] = await Promise.all(
    [path, join(run.checkedOut.tree.root, run.planPath)].map((each) => realpath(each).catch(() => undefined)),
  )
  return given !== undefined && given === own
}

/** Replaces the edited file by the tip's; the edited one is kept aside until the new text is recorded. */
async function replaceEditedFile(run: Run): Promise<EditedFile> {
  const path = join(run.checkedOut.tree.root, run.planPath)
  const blob = await run.repo.resolve(`${run.at.tip}:${run.planPath}`, 'object')
  if (blob === undefined) throw new Error(`${run.at.tip} has no plan file`)
  const aside = await run.dir.newAside('replan')
  const kept = join(aside, basename(path))
  await copyFile(path, kept)
  await rm(path)
  await writePlanFile(run.worker, blob)
  return { failed: () => copyFile(kept, path), done: () => rm(aside, { recursive: true }) }
}

interface EditedFile {
  failed(): Promise<void>
  done(): Promise<void>
}

export function refuseFinal({ id, status }: Plan): void {
  if (isFinal(status)) throw new PlanError('wrong-state', `plan ${id} is ${status}`, { hint: `git plan clone ${id}` })
}

interface Revision {
  readonly reason?: string | undefined
  readonly before?: () => Promise<EditedFile>
  readonly param?: readonly string[] | undefined
  /** Facts about how the text was made. */
  readonly facts?: Partial<PlanEvent>
}

/** Records a new text of the plan, if it differs. */
export async function revise(
  { run, settings, context }: WriteContext,
  input: PlanInput,
  { reason, before, param, facts: made }: Revision = {},
): Promise<CommandResult<ReplannedData>> {
  const { plan } = run.at
  const { file } = input
  const now = context.now()
  refuseFinal(plan)
  const { bytes, relocate = (finding: Finding) => finding } = await expandInput(input, {
    repo: run.home,
    dir: settings.dir,
    context,
    param,
    command: `git plan replan ${plan.id} --from ${quoteIfNeeded(file)}`,
  })
  const origin = { file, id: plan.id, ...(plan.base === undefined ? {} : { base: plan.base }) }
  const parsed = readPlan(bytes, origin)
  if (!parsed.ok) throw invalidPlan(file, parsed.findings.map(relocate))
  const next = asProposed(parsed)
  const kept = plan.steps.filter((step) => isSettled(plan, step.id))
  // The rules name the file by its path in the repository; the findings should name the given one.
  const revised = {
    plan: { ...next.plan, state: new Map(kept.map(({ id }) => [id, statusOf(plan, id)])) },
    tip: run.at.tip,
  }
  const facts = checkFacts(
    { plan: revised.plan, source: parsed.source },
    { file: run.planPath, config: settings.config },
  )
  const findings = (await findingsOnTree(run.home, revised, context, facts)).map((finding) =>
    relocate({ ...finding, file }),
  )
  if (hasErrors(findings)) throw invalidPlan(file, findings)
  if (next.plan.digest === plan.digest)
    return {
      kind: 'replanned',
      exitCode: 0,
      data: {
        id: plan.id,
        digest: plan.digest,
        changed: false,
        status: plan.status,
        findings,
        message: `${plan.id} is unchanged`,
      },
    }

  for (const step of kept) {
    const same = next.plan.steps.find((each) => each.id === step.id)
    if (same !== undefined && isSameStep(same, step)) continue
    const message = `step ${step.id} is ${statusOf(plan, step.id)} and cannot be ${same === undefined ? 'removed' : 'changed'}`
    throw new PlanError('invalid-plan', message, {
      hint: `keep it unchanged, or first: ${rollbackBefore((await historyOf(run)).events, step.id, plan.id)}`,
      facts: { findings: [{ rule: 'step-settled', severity: 'error', message, file, step: step.id }] },
    })
  }
  const steps = new Map<StepId, StepStatus>(
    [...plan.state.keys()].filter((id) => !keepsStatus(plan, next.plan, id)).map((id) => [id, 'pending']),
  )
  const isBegun = steps.size < plan.state.size
  const isFirst = kept.length === 0 && (plan.status === 'proposed' || plan.status === 'rejected')
  const isCovered =
    !isFirst &&
    settings.config.approval.removals === 'allow' &&
    isOnlyRemoval(plan, next.plan) &&
    plan.status !== 'proposed' &&
    plan.status !== 'rejected' &&
    (await readApprovalState(run, settings, now)).verdict.isSatisfied
  const editedFile = await before?.()
  try {
    await recordEvent(run, {
      event: isFirst ? 'proposed' : 'replanned',
      steps,
      planBytes: next.bytes,
      subject: `${isFirst ? 'Plan' : 'Replan'}: ${next.plan.title}`,
      ...(isCovered ? { status: isBegun ? ('active' as const) : ('approved' as const) } : {}),
      facts: { ...made, ...(reason === undefined ? {} : { reason }), ...(isCovered ? { replaces: plan.digest } : {}) },
    })
  } catch (error) {
    await editedFile?.failed()
    throw error
  }
  await editedFile?.done()
  reportStaleTitles(run, plan.steps, next.plan.steps)
  const verb = isBegun ? 'resume' : 'start'
  return {
    kind: 'replanned',
    exitCode: 0,
    data: {
      id: plan.id,
      digest: run.at.plan.digest,
      changed: true,
      status: run.at.plan.status,
      findings,
      message: `Replanned ${plan.id} (digest ${run.at.plan.digest.slice(0, 12)}); ${isCovered ? 'it only has fewer steps, so its approval remains valid' : 'it needs a new approval'}`,
    },
    next: [
      `git plan show ${plan.id}`,
      ...(isCovered
        ? [`git plan ${verb} ${plan.id}`]
        : waysToApprove(plan.id, await requiredApproval(run.home, next.plan, settings), verb)),
    ],
  }
}

/**
 * A derived title, and that of a draft, is written to the file and stays when its step changes: the commit would be named after a command
 * that it never ran.
 */
function reportStaleTitles(run: Run, before: readonly Step[], after: readonly Step[]): void {
  const derived = (step: Step): string | undefined => titleFrom(verbOf(step).derive(step.spec).title)
  for (const step of after) {
    const old = before.find((each) => each.id === step.id)
    if (old === undefined || old.title !== step.title || derived(step) === step.title) continue
    if (old.title !== derived(old) && old.title !== draftStep) continue
    run.world.emit({
      kind: 'notice',
      message: `step ${step.id} still has its old title ${JSON.stringify(step.title)}`,
      hint: `git plan edit ${run.id}`,
    })
  }
}
