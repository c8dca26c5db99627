// `git plan approve`: records a decision bound to the digest.

import { PlanError } from '../../errors.ts'
import { unapprovedCommits } from '../../approval/rules/decisions.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { refuseFindings, refuseOtherDigest } from '../../approval/flow/ensure-approved.ts'
import { approveNow } from '../../approval/flow/record-approval.ts'
import { adoptRevision, refuseUnapprovedCommits, refuseStrayBase } from '../../approval/flow/unapproved-commits.ts'
import { refuseForged } from '../../approval/flow/gate.ts'
import { hasApproved, progressText, readApprovalState } from '../../approval/flow/approval-state.ts'
import { decide } from '../../approval/flow/decide.ts'
import { historyOf } from '../../operation/with-run.ts'
import type { DecidedData } from '../../operation/results.ts'

export interface DecisionRequest {
  readonly plan?: string
  readonly message?: string
  readonly digest?: string
}

export interface ApproveRequest extends DecisionRequest {
  readonly sign?: boolean
  readonly files?: boolean
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
    if (request.files !== true) await refuseUnapprovedCommits(run)
    const before = await readApprovalState(run, settings, context.now(), 'approver')
    const isNaming = unapprovedCommits(await historyOf(run)).length > 0
    const wasApproved = !isNaming && (before.verdict.isSatisfied || (await hasApproved(run, before)))
    if (!wasApproved) {
      if (run.at.plan.status !== 'completed') await refuseFindings(run, settings)
      await approveNow(writing, before, { reason: request.message, sign: request.sign, files: request.files })
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
        message: verdict.isSatisfied ? what : `${what}: ${progressText({ verdict, circumstances })}`,
      },
      next: verdict.isSatisfied
        ? [`git plan ${isResult ? 'finish' : plan.state.size > 0 ? 'resume' : 'start'} ${plan.id}`]
        : [`git plan status ${plan.id}`],
    }
  })
}
