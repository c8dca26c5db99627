// `git plan next`: hands the next step to a driver, who does the work itself and reports. The executor checks and
// commits it.

import { PlanError } from '../../errors.ts'
import { Fingerprint } from '../../git/trust/fingerprint.ts'
import { isFinal } from '../../plan/model/lifecycle.ts'
import type { Claim } from '../../plan/model/claim.ts'
import { parseDuration } from '../../plan/model/ids.ts'
import type { Plan, Step } from '../../plan/model/plan.ts'
import { nextStep } from '../../plan/graph/graph.ts'
import { singleLine } from '../../plan/text/display.ts'
import { criteriaOf, promptFor, type Told } from '../../plan/agents/prompt.ts'
import { withPlanTools } from '../../plan/agents/allowed-tools.ts'
import { claimInText } from '../../plan/agents/read-report.ts'
import type { AgentSpec } from '../../plan/verbs/agent.ts'
import { agentOf } from '../../plan/verbs/index.ts'
import { refuseSecrets } from '../../engine/record/quarantine.ts'
import { forgetQuarantined } from '../../engine/record/quarantine-journal.ts'
import { refuseEditedPlanFile } from '../../engine/record/plan-file-in-tree.ts'
import type { Run } from '../../engine/run/run.ts'
import {
  closeOpenStep,
  dropOpenStep,
  openStep,
  refuseGitChangedByDriver,
  renewOpenStep,
  saveOpenWork,
} from '../../engine/run/open-step.ts'
import type { RunEnd } from '../../engine/schedule/run-end.ts'
import { failHere } from '../../engine/schedule/run-here.ts'
import { applyTree } from '../../engine/step/apply-tree.ts'
import { emitOutcome } from '../../engine/step/emit-outcome.ts'
import { keptBranches } from '../../engine/step/other-branches.ts'
import { performStep } from '../../engine/step/perform-step.ts'
import { toldAbout, toldToAgent } from '../../engine/agent/told-about.ts'
import { scanWorkspace } from '../../engine/workspace/preserved-ignored.ts'
import { permitAgain, refuseForeignAttempt } from '../../approval/flow/gate.ts'
import {
  commitsSinceLastEvent,
  refuseCommitsSinceLastEvent,
  refusePlanFileCommits,
} from '../../approval/flow/commits-since-last-event.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import type { HandedStep, NextData, PeekedData } from '../../operation/results.ts'
import { withRun, hintFor } from '../../operation/with-run.ts'
import { isExpired, readOpenStep, type OpenStep } from '../../store/open-step.ts'
import {
  askRemote,
  ensureApproved,
  enterWorkTree,
  holdWorkTree,
  leavePlanMode,
  phase,
  preflight,
  publishing,
  refuseFinished,
  requireCleanTree,
  runPhases,
  runStepsOf,
  type Phase,
  type RunAnswer,
  type RunFacts,
  type RunRequest,
} from '../../protocol/run-protocol.ts'
import { runResult } from '../../protocol/run-result.ts'
import { withPlan } from '../with-repository.ts'
import { findRetry, type RetryRequest } from './resume-retry.ts'

export interface NextRequest extends RunRequest, Omit<RetryRequest, 'continueSession'> {
  readonly plan?: string
  readonly done?: string
  readonly failed?: string
  readonly release?: string
  readonly message?: string
  /** The name of the driver. */
  readonly as?: string
  /** How long the step waits for the driver. */
  readonly for?: string
  /** Only show the next step. */
  readonly peek?: boolean
}

interface NextFacts extends RunFacts<NextRequest> {
  open?: OpenStep | undefined
}

const nextPhases: readonly Phase<NextRequest>[] = [
  phase('require a plan that has not ended', async (facts) => {
    refuseContradiction(facts.request)
    if (isFinal(facts.run.at.plan.status))
      throw new PlanError('wrong-state', `plan ${facts.run.id} is ${facts.run.at.plan.status}`, {
        hint: await hintFor(facts),
      })
  }),
  refuseFinished,
  phase('refuse a changed plan file', ({ run }) => refusePlanFileCommits(run)),
  phase('find the step of the driver', findOpenStep),
  // Also without an approval: nothing runs.
  { name: 'give the step back', run: async (facts: NextFacts) => release(facts) },
  askRemote,
  holdWorkTree,
  ensureApproved,
  enterWorkTree,
  leavePlanMode,
  { name: 'take what the driver reports', run: takeReport },
  phase('find the step to retry', async (facts) => {
    await refuseEditedPlanFile(facts.run.worker)
    facts.retry = await findRetry(facts.run, facts.request)
    const attempt = facts.retry?.fromAttempt
    if (facts.retry !== undefined && attempt !== undefined) await refuseForeignAttempt(facts, facts.retry.step, attempt)
  }),
  requireCleanTree,
  preflight,
  { name: 'run the steps before the next one of an agent', run: runUpToNext },
]

export const next = (request: NextRequest, context: CommandContext): Promise<RunAnswer | CommandResult> =>
  request.peek === true
    ? peek(request, context)
    : withRun(context, { plan: request.plan, command: 'next' }, (writing) => runPhases(nextPhases, writing, request))

/** The open step, or the one that would be handed out; nothing is written. */
const peek = (request: NextRequest, context: CommandContext): Promise<CommandResult> =>
  withPlan(
    request.plan,
    context,
    async ({ summary, plan, events }, { repo }) => {
      const open = await readOpenStep(repo, summary.id)
      const step = plan.steps.find(({ id }) => id === (open?.step ?? nextStep(plan)?.id))
      const told =
        step !== undefined && agentOf(step) !== undefined
          ? await toldAbout({ repo, id: summary.id, events }, step)
          : undefined
      const handed =
        step === undefined || told === undefined ? null : handedStep({ plan, step, root: undefined }, told, open)
      const data: PeekedData = { id: summary.id, status: summary.status, next: step?.id ?? null, handed }
      return { kind: 'next', exitCode: 0, data }
    },
    'next',
  )

async function findOpenStep(facts: NextFacts): Promise<void> {
  const { run, request } = facts
  const named = request.done ?? request.failed ?? request.release
  const open = await readOpenStep(run.repo, run.id)
  if (named !== undefined && open?.step !== named)
    throw new PlanError('wrong-state', `step ${named.slice(0, 80)} of ${run.id} was not handed out`, {
      hint: `git plan next ${run.id}`,
    })
  const commits = await commitsSinceLastEvent(run)
  const isAnothers = open !== undefined && named === undefined && open.holder !== (await holderOf(facts))
  if (open === undefined || isAnothers) refuseCommitsSinceLastEvent(run, commits)
  if (open === undefined) return
  if (isAnothers) return takeOver(run, open)
  if (commits.length > 0 && request.failed === undefined && request.release === undefined)
    throw new PlanError(
      'branch-moved',
      `${commits.length === 1 ? 'a commit was' : `${commits.length} commits were`} made on ${run.branch.slice(11)} while ${open.step} was open: git plan makes the commit of a step`,
      {
        hint: `git reset --soft ${open.tip.slice(0, 12)} && git plan next ${run.id} --done ${open.step}`,
      },
    )
  facts.open = open
  // Its changes are in the work tree.
  facts.takesWork = true
  await refuseGitChangedByDriver(run, open)
}

/** A person may take a step away from a driver, or report for one; another driver only gets it when its time is over. */
async function takeOver(run: Run, open: OpenStep): Promise<void> {
  if (isExpired(open, run.world.now())) return closeOpenStep(run, open)
  throw new PlanError('held', `step ${open.step} of ${run.id} was handed to ${open.holder} until ${open.until}`, {
    hint: {
      'continue as the same driver': `git plan next ${run.id} --as ${JSON.stringify(open.holder)}`,
      'take it away': `git plan next ${run.id} --release ${open.step}`,
    },
    facts: { step: open.step, holder: open.holder, until: open.until },
  })
}

const holderOf = async ({ run, request, context }: RunFacts<NextRequest>): Promise<string> =>
  singleLine(
    request.as ?? context.env['GIT_PLAN_DRIVER'] ?? (await run.objects.committer()).replace(/ \d+ [+-]\d{4}$/, ''),
  ).slice(0, 200)

/** An answer ends the command: the step stays open, or was given back. */
async function takeReport(facts: NextFacts): Promise<RunAnswer | undefined> {
  const { run, request, open } = facts
  if (open === undefined) return undefined
  const step = run.at.plan.steps.find(({ id }) => id === open.step)
  if (step === undefined) throw new Error(`no step ${open.step}`)
  if (request.failed !== undefined) return reportFailure(facts, open, step)
  if (request.done !== undefined) {
    const missing = await commitWork(facts, open, step)
    if (missing === undefined) {
      facts.takesWork = false
      facts.open = undefined
      await scanWorkspace(run.checkedOut)
      await permitAgain(facts, { adopts: false })
      return undefined
    }
    return renew(facts, open, { step, message: `${step.id} is not done yet: ${missing}`, exitCode: 1 })
  }
  return renew(facts, open, { step })
}

/** The driver keeps the step. */
const renew = (
  facts: NextFacts,
  open: OpenStep,
  answer: { readonly step: Step; readonly message?: string; readonly exitCode?: number },
): Promise<RunAnswer> =>
  publishing(facts, async () =>
    handedResult(facts, answer.step, await renewOpenStep(facts.run, open, timeFor(facts.request)), answer),
  )

/** The executor checks the work as that of an agent, and commits it. Returns what is missing. */
async function commitWork({ run, request }: NextFacts, open: OpenStep, step: Step): Promise<string | undefined> {
  const { dirty } = await scanWorkspace(run.checkedOut)
  await refuseSecrets(run.worker, step, dirty)
  const outcome = await performStep(run.worker, step, {
    keepTree: true,
    isDeclared: true,
    fingerprint: await Fingerprint.take(run.repo),
    claim: claimFrom(request, open.holder),
    branches: await keptBranches(run),
    startedAt: open.since,
  })
  if (outcome.kind === 'waiting') throw new Error('a reported step cannot wait')
  emitOutcome(run.worker, step, outcome)
  if (outcome.kind === 'failed') {
    await forgetQuarantined(run, (each) => each.run === run.token)
    return outcome.message
  }
  await dropOpenStep(run, open)
  return undefined
}

async function reportFailure(facts: NextFacts, open: OpenStep, step: Step): Promise<RunAnswer> {
  const { run, request } = facts
  const message = request.message ?? 'its driver says that it cannot be done'
  const claim = claimFrom(request, open.holder)
  const saved = await saveOpenWork(run, open, { reason: 'agent', message, claim })
  const end = await failHere(run, step, {
    message,
    saved,
    startedAt: open.since,
    claim,
  })
  await dropOpenStep(run, open)
  return publishing(facts, () => runResult(facts, end, { keepsTree: false }))
}

async function release(facts: NextFacts): Promise<RunAnswer | undefined> {
  const { run, request, open } = facts
  if (request.release === undefined || open === undefined) return undefined
  const saved = await saveOpenWork(run, open, { reason: 'interrupted', message: 'the step was given back' })
  await dropOpenStep(run, open)
  const left = saved === undefined ? 'no files had changed' : `its changes are saved as attempt ${saved.facts.attempt}`
  const result = await runResult(
    facts,
    { kind: 'waiting', step: open.step, for: 'driver', message: '' },
    { keepsTree: true },
  )
  return {
    ...result,
    exitCode: 0,
    data: { ...result.data, end: 'released', handed: null, message: `Took back ${open.step}: ${left}` },
  }
}

function runUpToNext(facts: RunFacts<NextRequest>): Promise<RunAnswer> {
  return runStepsOf(facts, { handsOut: true }, async (end, keepsTree): Promise<RunAnswer> => {
    const { run, request } = facts
    const step = end.kind === 'waiting' && end.for === 'driver' ? stepOf(run.at.plan, end) : undefined
    if (step === undefined) return runResult(facts, end, { keepsTree })
    const open = await openStep(run, step, await holderOf(facts), timeFor(request))
    const attempt = facts.retry?.step === step.id ? facts.retry.fromAttempt : undefined
    if (attempt !== undefined) {
      await run.intend({
        kind: 'step',
        step: step.id,
        attempt: open.attempt,
        input: run.at.tip,
        gitState: open.gitState,
      })
      await applyTree(run.worker, attempt)
      await run.settle()
    }
    return handedResult(facts, step, open, {})
  })
}

const stepOf = (plan: Plan, end: RunEnd & { kind: 'waiting' }): Step | undefined =>
  plan.steps.find(({ id }) => id === end.step)

async function handedResult(
  facts: RunFacts<NextRequest>,
  step: Step,
  open: OpenStep,
  { message, exitCode = 0 }: { readonly message?: string; readonly exitCode?: number },
): Promise<RunAnswer> {
  const { run } = facts
  run.handedUntil = new Date(open.until)
  const result = await runResult(
    facts,
    { kind: 'waiting', step: step.id, for: 'driver', message: step.title },
    { keepsTree: true },
  )
  const told = await toldToAgent(run.worker, step)
  const data: NextData = {
    ...result.data,
    end: 'handed-out',
    handed: handedStep(
      { plan: run.at.plan, step, root: run.tree?.root },
      { ...told, isPushed: run.publish !== undefined },
      open,
    ),
    message: message ?? `${step.id} is yours until ${open.until}`,
  }
  return {
    kind: 'next',
    exitCode,
    data,
    next: [
      `git plan next ${run.id} --done ${step.id} -m SUMMARY`,
      `git plan next ${run.id} --failed ${step.id} -m WHY`,
    ],
  }
}

/** `root`: the work tree of the plan, if it has one. */
function handedStep(
  { plan, step, root }: { readonly plan: Plan; readonly step: Step; readonly root: string | undefined },
  told: Told,
  open: OpenStep | undefined,
): HandedStep {
  return {
    step: step.id,
    title: step.title,
    attempt: open?.attempt ?? 1,
    holder: open?.holder ?? null,
    until: open?.until ?? null,
    prompt: promptFor(plan, step, { ...told, isDriver: true, root }),
    files: step.files ?? null,
    changes: step.changes,
    criteria: criteriaOf(step),
    tools: withPlanTools(plan, step.spec as AgentSpec).tools ?? null,
  }
}

/** The summary may be a whole report, as agents write it. */
const claimFrom = ({ message = '' }: NextRequest, holder: string): Claim => claimInText(holder, message)

function timeFor({ for: text }: NextRequest): number | undefined {
  if (text === undefined) return undefined
  const time = parseDuration(text)
  if (time === undefined || time > mostTime)
    throw new PlanError('usage', `--for needs a time up to 24h, not ${JSON.stringify(text)}`, {
      hint: 'git plan next --for 2h',
    })
  return time
}

const mostTime = 24 * 3_600_000

function refuseContradiction(request: NextRequest): void {
  timeFor(request)
  const given = (['done', 'failed', 'release', 'retry'] as const).filter((name) => request[name] !== undefined)
  if (given.length < 2) return
  throw new PlanError('usage', `${given.map((name) => `--${name}`).join(' and ')} cannot be combined`, {
    hint: 'git plan next -h',
  })
}
