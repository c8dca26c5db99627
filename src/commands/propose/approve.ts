// `git plan approve`: records a decision bound to the digest.

import { PlanError } from '../../errors.ts'
import { isResultAsked, unapprovedCommits } from '../../approval/rules/decisions.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { refuseErrors, refuseOtherDigest } from '../../approval/flow/ensure-approved.ts'
import { judgeForDecision, showWarnings } from '../../approval/flow/judge-plan.ts'
import { approveByCampaign, approveNow, type CampaignFile } from '../../approval/flow/record-approval.ts'
import { askApproval } from '../../approval/flow/approval-question.ts'
import {
  adoptRevision,
  describeCommits,
  refuseUnapprovedCommits,
  refuseStrayBase,
} from '../../approval/flow/unapproved-commits.ts'
import { hasUnprovenCommits } from '../../approval/flow/untrusted-pushes.ts'
import { readPlanInput } from '../../operation/read-plan-input.ts'
import { refuseForged } from '../../approval/flow/gate.ts'
import { hasApproved, progressText, readApprovalState } from '../../approval/flow/approval-state.ts'
import { decide } from '../../approval/flow/decide.ts'
import { historyOf, type WriteContext } from '../../operation/with-run.ts'
import { isBegun } from '../../plan/model/step-status.ts'
import type { DecidedData } from '../../operation/results.ts'

export interface DecisionRequest {
  readonly plan?: string
  readonly message?: string
  readonly digest?: string
}

export interface ApproveRequest extends DecisionRequest {
  readonly sign?: boolean
  readonly files?: boolean
  readonly campaign?: string
}

async function ask(writing: WriteContext, unapproved: Parameters<typeof describeCommits>[0]): Promise<void> {
  const { id, status } = writing.run.at.plan
  const isResult = status === 'completed'
  const also = [
    ...(isResult ? [`Its result: git plan diff ${id}`] : []),
    ...(unapproved.length === 0 ? [] : [`These commits are approved too: ${describeCommits(unapproved)}`]),
  ]
  if (await askApproval(writing, isResult ? 'Approve its result?' : 'Approve this plan?', also)) return
  throw new PlanError('not-approved', `you did not approve plan ${id}`, {
    hint: isResult
      ? `git plan diff ${id}`
      : { 'change it': `git plan edit ${id}`, 'reject it': `git plan reject ${id} -m WHY` },
  })
}

async function readCampaignFile(name: string, context: CommandContext): Promise<CampaignFile> {
  const { bytes } = await readPlanInput(name, context)
  try {
    const { campaign, proof } = JSON.parse(Buffer.from(bytes).toString()) as Partial<Record<string, unknown>>
    if (typeof campaign === 'string' && typeof proof === 'string') return { campaign, proof }
  } catch {
    // Reported below.
  }
  throw new PlanError('usage', `${name} is not the proof of a campaign`, { hint: 'git plan fleet -h' })
}

export function approve(request: ApproveRequest, context: CommandContext): Promise<CommandResult<DecidedData>> {
  return decide(context, { plan: request.plan, command: 'approve' }, async (writing) => {
    const { run, settings } = writing
    if (run.at.plan.status === 'cancelled')
      throw new PlanError('wrong-state', `plan ${run.id} is cancelled`, { hint: `git plan clone ${run.id}` })
    await adoptRevision(run)
    refuseOtherDigest(run, request.digest)
    await refuseForged(writing, { sparesTop: true })
    await refuseStrayBase(run)
    if (request.files !== true) await refuseUnapprovedCommits(writing)
    const before = await readApprovalState(run, settings, context.now(), 'approver')
    const unapproved = unapprovedCommits(await historyOf(run))
    const isNaming = unapproved.length > 0
    // A level of `none` is satisfied without a decision; the policy may still ask for one about the result.
    const isResultOpen =
      run.at.plan.status === 'completed' &&
      isResultAsked(settings.config.approval, before.history.events) &&
      !before.decisions.some(({ source, problem }) => source !== 'policy' && problem === undefined)
    const { status } = run.at.plan
    const isUnproven =
      request.sign === true && before.verdict.isSatisfied && (await hasUnprovenCommits(writing, before))
    const isUndecided = isNaming || isResultOpen || isUnproven || status === 'rejected'
    const wasApproved =
      !isUndecided &&
      (before.verdict.isSatisfied || (request.campaign === undefined && (await hasApproved(run, before))))
    // A policy that asks for no approval has judged nothing.
    const isJudged = status === 'completed' || (wasApproved && status !== 'proposed')
    const findings = isJudged ? [] : await judgeForDecision(writing, { checksTree: true })
    refuseErrors(run, findings)
    // A digest says that the text was read; otherwise the person at the terminal sees what is approved.
    const isAsking =
      !wasApproved && context.isInteractive && request.digest === undefined && request.campaign === undefined
    if (!wasApproved && request.campaign !== undefined)
      await approveByCampaign(writing, before, await readCampaignFile(request.campaign, context))
    else if (!wasApproved) {
      await approveNow(writing, before, {
        reason: request.message,
        sign: request.sign,
        files: request.files,
        ask: async () => {
          if (!isAsking) return
          showWarnings(run, findings)
          await ask(writing, unapproved)
        },
      })
    }
    const { plan, tip } = run.at
    const { verdict, circumstances } = await readApprovalState(run, settings, context.now(), 'approver')
    const isResult = plan.status === 'completed'
    const what = wasApproved
      ? verdict.isSatisfied
        ? `${plan.id} is already approved`
        : `You have already approved ${plan.id}`
      : `Approved ${isResult ? 'the result of ' : ''}${plan.id} (digest ${plan.digest.slice(0, 12)})`
    return {
      kind: 'approved',
      exitCode: 0,
      data: {
        id: plan.id,
        digest: plan.digest,
        tip,
        required: verdict.required,
        given: verdict.counted.length,
        findings: isAsking ? [] : findings,
        message: verdict.isSatisfied ? what : `${what}: ${progressText({ verdict, circumstances })}`,
      },
      next: verdict.isSatisfied
        ? [`git plan ${isResult ? 'finish' : isBegun(plan.status) ? 'resume' : 'start'} ${plan.id}`]
        : [`git plan status ${plan.id}`],
    }
  })
}
