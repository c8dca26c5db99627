// `git plan reject`: records a rejection and its reason.

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
