// `git plan reject`: records a rejection and its reason.

import { PlanError } from '../../errors.ts'
import { isFinal } from '../../plan/model/lifecycle.ts'
import { isBegun } from '../../plan/model/step-status.ts'
import { recordEvent } from '../../engine/record/record-event.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { refuseOtherDigest } from '../../approval/flow/ensure-approved.ts'
import type { DecisionRequest } from './approve.ts'
import { decide } from '../../approval/flow/decide.ts'
import type { DecidedData } from '../../operation/results.ts'

export function reject(request: DecisionRequest, context: CommandContext): Promise<CommandResult<DecidedData>> {
  return decide(context, { plan: request.plan, command: 'reject' }, async ({ run }) => {
    refuseOtherDigest(run, request.digest)
    const { plan } = run.at
    if (isBegun(plan.status) && !isFinal(plan.status))
      throw new PlanError('wrong-state', `plan ${plan.id} has already been started`, {
        hint: `git plan cancel ${plan.id} -m WHY`,
      })
    await recordEvent(run, {
      event: 'rejected',
      subject: `Rejected: ${plan.title}`,
      facts: request.message === undefined ? {} : { reason: request.message },
    })
    return {
      kind: 'rejected',
      exitCode: 0,
      data: { id: plan.id, digest: plan.digest, tip: run.at.tip, message: `Rejected ${plan.id}` },
      next: [`git plan edit ${plan.id}`],
    }
  })
}
