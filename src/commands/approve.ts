// `git plan approve`: records a decision bound to the digest.

import type { CommandContext, CommandResult } from './context.ts'
import { approveNow, isApproved, refuseFindings, refuseForeign, refuseOtherDigest } from './approval.ts'
import { withSession } from './with-session.ts'
import type { DecidedData } from './results.ts'

export interface DecisionRequest {
  readonly plan?: string
  readonly message?: string
  readonly digest?: string
}

export function approve(request: DecisionRequest, context: CommandContext): Promise<CommandResult<DecidedData>> {
  return withSession(context, { plan: request.plan, command: 'approve' }, async ({ session, settings }) => {
    refuseOtherDigest(session, request.digest)
    await refuseForeign(session)
    const wasApproved = await isApproved(session)
    if (!wasApproved) {
      await refuseFindings(session, settings)
      await approveNow(session, request.message)
    }
    const { plan, tip } = session.at
    return {
      kind: 'approved',
      exitCode: 0,
      data: {
        id: plan.id,
        digest: plan.digest,
        tip,
        message: wasApproved ? `${plan.id} is approved already` : `Approved ${plan.id} (digest ${plan.digest.slice(0, 12)})`,
      },
      next: [`git plan ${plan.state.size > 0 ? 'resume' : 'start'} ${plan.id}`],
    }
  })
}
