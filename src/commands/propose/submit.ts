// `git plan submit`: pushes the plan's branch and opens a pull request for its review.

import { PlanError } from '../../errors.ts'
import { isFinal } from '../../plan/model/lifecycle.ts'
import type { Plan } from '../../plan/model/plan.ts'
import type { Run } from '../../engine/run/run.ts'
import { requiredApproval } from '../../operation/approval-ways.ts'
import { refuseErrors } from '../../approval/flow/ensure-approved.ts'
import { remoteRefs, requireRemote } from '../../remote/ask-remote.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { refuseFinishedElsewhere } from '../../approval/flow/finished-elsewhere.ts'
import { adoptRevision } from '../../approval/flow/unapproved-commits.ts'
import { refuseForged } from '../../approval/flow/gate.ts'
import { forgeOf, unknownForge } from '../../remote/open-forge.ts'
import { judgeForDecision, judgePlan } from '../../approval/flow/judge-plan.ts'
import { reportProgress } from '../../remote/publish.ts'
import { pullRequestText } from '../../remote/pull-request-text.ts'
import { pushPlan, type Rewrite } from '../../remote/push.ts'
import { refuseFinishedOnRemote } from '../../remote/remote-state.ts'
import { withRun, type WriteContext } from '../../operation/with-run.ts'

export interface SubmitRequest {
  readonly plan?: string
  /** Open it as ready for review, not as a draft. */
  readonly ready?: boolean
}

export interface SubmittedData {
  readonly id: string
  readonly remote: string
  readonly tip: string
  readonly digest: string
  /** undefined if the remote is not a known forge. */
  readonly pullRequest?: { readonly number: number; readonly url: string; readonly isNew: boolean }
  readonly message: string
}

export function submit(request: SubmitRequest, context: CommandContext): Promise<CommandResult<SubmittedData>> {
  return withRun(context, { plan: request.plan, command: 'submit' }, async (writing) => {
    const { run, settings } = writing
    if (run.at.plan.status === 'cancelled')
      throw new PlanError('wrong-state', `plan ${run.id} is cancelled`, { hint: `git plan clone ${run.id}` })
    const remote = await requireRemote(run.home)
    await refuseFinishedElsewhere(writing)
    await adoptRevision(run)
    await refuseForged(writing, { sparesTop: true })
    const { plan, tip } = run.at
    if (!isFinal(plan.status)) {
      refuseErrors(run, await judgeForDecision(writing, { checksTree: false }))
      await reportObjections(writing)
    }
    const forge = await forgeOf(run.home, settings, context)
    if (forge !== undefined && plan.base === undefined)
      throw new PlanError('wrong-state', `plan ${plan.id} has no \`base\` for a pull request`, {
        hint: `git plan edit ${plan.id}`,
      })
    await refuseFinishedOnRemote(run, await remoteRefs(run.home, plan.id))
    reportRewrite(run, await pushPlan(run.home, plan.id))
    const pushed = { id: plan.id, remote, tip, digest: plan.digest }
    if (forge === undefined || plan.base === undefined) {
      const { from } = await requiredApproval(run.home, plan, settings)
      const { message, next } = await unknownForge(run.home, settings, { id: plan.id, from })
      return { kind: 'submitted', exitCode: 0, data: { ...pushed, message }, next }
    }
    const { pullRequest, isNew } = await forge.propose({
      branch: `plan/${plan.id}`,
      base: plan.base,
      title: run.mask(plan.title),
      body: await pullRequestText({ run, settings }),
      isDraft: request.ready !== true,
    })
    const { number, url } = pullRequest
    if (request.ready === true && pullRequest.isDraft) await forge.ready(number)
    if (plan.state.size > 0) await reportProgress(writing, { isNew, hasText: true })
    return {
      kind: 'submitted',
      exitCode: 0,
      data: { ...pushed, pullRequest: { number, url, isNew }, message: `${isNew ? 'Opened' : 'Updated'} ${url}` },
      next: nextOf(plan),
    }
  })
}

const nextOf = ({ id, status, state }: Plan): string[] => {
  if (status === 'completed') return [`git plan finish ${id}`]
  return [state.size > 0 ? `git plan resume ${id} --wait --push` : `git plan start ${id} --wait`]
}

/** Intended after a rollback, but perhaps not after a `git reset`. */
function reportRewrite({ id, world }: Run, rewrite: Rewrite | undefined): void {
  if (rewrite === undefined) return
  const { remote, from, to, gone } = rewrite
  const [was, is] = [from.slice(0, 10), to.slice(0, 10)]
  world.emit({
    kind: 'notice',
    message: `force-pushed plan/${id} to ${remote} (was ${was}, ${gone} ${gone === 1 ? 'commit' : 'commits'} replaced)`,
    hint: `git log ${is}..${was}`,
  })
}

/**
 * Only reported, since the machine that runs the plan may have what is missing here; but it should not cost a
 * reviewer's time.
 */
async function reportObjections(writing: WriteContext): Promise<void> {
  await judgePlan(writing, { repo: writing.run.home }).catch((error: unknown) => {
    if (!(error instanceof PlanError) || error.code !== 'preflight') throw error
    writing.run.world.emit({
      kind: 'notice',
      message: `${error.message} here`,
      hint: `git plan check ${writing.run.id}`,
    })
  })
}
