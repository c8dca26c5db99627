// `git plan rebase`: the plan on its moved base, its steps run again. The old tip is kept.

import { judge } from '../approval/judge.ts'
import { PlanError } from '../errors.ts'
import { trailersOf } from '../plan/trailers.ts'
import type { Oid } from '../plan/values.ts'
import { withState } from '../plan/write.ts'
import { maskedMessage } from '../run/known-secrets.ts'
import { goTo, keepTip, requireClean } from '../run/rollback.ts'
import { describe } from './approval-question.ts'
import { waysToApprove } from './approval-ways.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { permitRun, subjectAt } from './gate.ts'
import { ownDecision } from './record-approval.ts'
import { progressText, standingOf, type Standing } from './standing.ts'
import { carryOut, type RunRequest } from './start.ts'
import { historyOf, withSession, type Writing } from './with-session.ts'

export interface RebaseRequest extends RunRequest {
  readonly plan?: string
}

export function rebase(request: RebaseRequest, context: CommandContext): Promise<CommandResult> {
  return withSession(context, { plan: request.plan, command: 'rebase' }, async (writing) => {
    const { session, settings } = writing
    const { plan, source } = session.at
    if (plan.base === undefined)
      throw new PlanError('wrong-state', `plan ${plan.id} has no base to go to`, { hint: `name one with \`base:\`: git plan edit ${plan.id}` })
    const base = await session.repo.tipOf(`refs/heads/${plan.base}`)
    if (base === undefined)
      throw new PlanError('wrong-state', `the base ${plan.base} of plan ${plan.id} is no branch here`, { hint: `git branch ${plan.base} origin/${plan.base}` })
    const { events } = await historyOf(session)
    if (events.at(-1)?.parent === base)
      return {
        kind: 'rebased',
        exitCode: 0,
        data: { id: plan.id, base: plan.base, changed: false, message: `${plan.id} is on the tip of ${plan.base} already` },
      }
    if (session.tree !== undefined) await requireClean(session)
    const tree = await session.repo.resolve(base, 'tree')
    if (tree === undefined) throw new Error(`${base} has no tree`)
    const onBase = async (options: { readonly isUnsigned?: boolean } = {}): Promise<Oid> => {
      const blob = await session.objects.blob(withState(source, 'proposed', new Map()))
      const commit = await session.objects.commit({
        tree: await session.objects.treeWith(tree, session.planPath, blob),
        parents: [base],
        ...options,
        message: maskedMessage(session.mask, {
          subject: `Plan: ${plan.title}`,
          body: `On ${plan.base} as of ${base.slice(0, 12)}.`,
          trailers: trailersOf({ event: 'rebased', plan: plan.id, run: session.run, digest: plan.digest }),
        }),
      })
      await session.objects.flush()
      return commit
    }
    // Of a commit that no ref names, and that is made again afterwards: an answer may take its time, and a gc in
    // between would remove it.
    const standing = await session.undisturbed(async () => {
      const subject = await subjectAt(session, await onBase({ isUnsigned: true }))
      return standingOf(subject, settings, context.now())
    })
    const isRun = await isApprovedNow(writing, request, standing)
    const kept = await session.undisturbed(async () => {
      const commit = await onBase()
      const tag = await keepTip(session, { to: commit, step: undefined, kind: 'rebase', reason: `on ${plan.base} as of ${base.slice(0, 12)}` })
      await goTo(session, commit, [{ ref: tag.ref, from: undefined, to: tag.oid }])
      return tag.ref
    })
    const message = `${plan.id} is on ${plan.base} as of ${base.slice(0, 12)}; the old tip is kept as ${kept}`
    if (!isRun) {
      const { count, from } = standing.requirement
      return {
        kind: 'rebased',
        exitCode: 0,
        data: { id: plan.id, base: plan.base, changed: true, message: `${message}; it needs a new approval` },
        next: waysToApprove(plan.id, { required: count, from }, 'start'),
      }
    }
    session.world.emit({ kind: 'notice', message })
    await permitRun(writing, { ...request, approve: true })
    return carryOut(writing, request)
  })
}

/**
 * Whether the person at the keyboard approves the plan on its new base, and nobody else has to. Where others have to, it
 * is only put there, for them to look at.
 */
async function isApprovedNow({ session, settings, context }: Writing, { approve }: RebaseRequest, standing: Standing): Promise<boolean> {
  const { id } = session.at.plan
  const { circumstances } = standing
  const verdict = judge([await ownDecision(session, context, 'local')], circumstances)
  if (!verdict.isSatisfied) {
    if (approve !== true) return false
    throw new PlanError(
      'not-approved',
      `with your approval alone plan ${id} cannot run on another base: it would have ${progressText({ verdict, circumstances })}`,
      {
        hint: `put it there for others to approve: git plan rebase ${id}`,
      },
    )
  }
  if (approve === true) return true
  const question = 'Approve this plan on its new base and run it?'
  if (context.isInteractive && (await context.confirm(await describe(session.at.plan, settings.config), question))) return true
  throw new PlanError('not-approved', `on another base plan ${id} needs a new approval`, { hint: `git plan rebase ${id} --approve` })
}
