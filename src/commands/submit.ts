// `git plan submit`: the plan's branch to the remote, and a pull request for its review.

import { PlanError } from '../errors.ts'
import { isFinal } from '../plan/lifecycle.ts'
import { refuseFindings } from './approval.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { adoptRevision, refuseForged } from './foreign.ts'
import { forgeOf, remoteOf } from './forge.ts'
import { pullRequestText } from './pull-request-text.ts'
import { pushPlan } from './push.ts'
import { withSession } from './with-session.ts'

export interface SubmitRequest {
  readonly plan?: string
  /** Not as a draft. */
  readonly ready?: boolean
}

export interface SubmittedData {
  readonly id: string
  readonly remote: string
  readonly tip: string
  readonly digest: string
  /** undefined where the remote is no forge that is known here. */
  readonly pullRequest?: { readonly number: number; readonly url: string; readonly isNew: boolean }
  readonly message: string
}

export function submit(request: SubmitRequest, context: CommandContext): Promise<CommandResult<SubmittedData>> {
  return withSession(context, { plan: request.plan, command: 'submit' }, async ({ session, settings }) => {
    if (session.at.plan.status === 'cancelled')
      throw new PlanError('wrong-state', `plan ${session.id} is cancelled`, { hint: `propose it again: git plan clone ${session.id}` })
    await adoptRevision(session)
    await refuseForged(session)
    const { plan, tip } = session.at
    if (!isFinal(plan.status)) await refuseFindings(session, settings)
    const remote = await remoteOf(session.home)
    const forge = await forgeOf(session.home, settings, context)
    if (forge !== undefined && plan.base === undefined)
      throw new PlanError('wrong-state', `plan ${plan.id} has no base to be reviewed against`, { hint: `name one with \`base:\`: git plan edit ${plan.id}` })
    await pushPlan(session.home, plan.id)
    const pushed = { id: plan.id, remote, tip, digest: plan.digest }
    if (forge === undefined || plan.base === undefined)
      return {
        kind: 'submitted',
        exitCode: 0,
        data: {
          ...pushed,
          message: `Pushed plan/${plan.id} to ${remote}, which is no forge that is known here: there is no pull request. A forge of your own is named by \`forges\` in config.yml`,
        },
        next: [`git plan status ${plan.id}`],
      }
    const { pullRequest, isNew } = await forge.propose({
      branch: `plan/${plan.id}`,
      base: plan.base,
      title: plan.title,
      body: await pullRequestText({ session, settings }),
      isDraft: request.ready !== true,
    })
    const { number, url } = pullRequest
    return {
      kind: 'submitted',
      exitCode: 0,
      data: { ...pushed, pullRequest: { number, url, isNew }, message: `${isNew ? 'Opened' : 'Updated'} ${url}` },
      next: [`git plan start ${plan.id} --wait`],
    }
  })
}
