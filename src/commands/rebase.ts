// `git plan rebase`: the plan on its moved base, its steps run again. The old tip is kept.

import { PlanError } from '../errors.ts'
import { trailersOf } from '../plan/trailers.ts'
import { withState } from '../plan/write.ts'
import { maskedMessage } from '../run/known-secrets.ts'
import { goTo, keepTip, requireClean } from '../run/rollback.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { permitRun } from './gate.ts'
import { carryOut, type RunRequest } from './start.ts'
import { historyOf, withSession } from './with-session.ts'

export interface RebaseRequest extends RunRequest {
  readonly plan?: string
}

export function rebase(request: RebaseRequest, context: CommandContext): Promise<CommandResult> {
  return withSession(context, { plan: request.plan, command: 'rebase' }, async (writing) => {
    const { session } = writing
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
    if (request.approve !== true && !context.isInteractive) {
      throw new PlanError('not-approved', `on another base plan ${plan.id} needs a new approval`, { hint: `git plan rebase ${plan.id} --approve` })
    }
    if (session.tree !== undefined) await requireClean(session)
    const tree = await session.repo.resolve(base, 'tree')
    if (tree === undefined) throw new Error(`${base} has no tree`)
    const kept = await session.undisturbed(async () => {
      const blob = await session.objects.blob(withState({ plan, source }, 'proposed', new Map()).bytes)
      const commit = await session.objects.commit({
        tree: await session.objects.treeWith(tree, session.planPath, blob),
        parents: [base],
        message: maskedMessage(session.mask, {
          subject: `Plan: ${plan.title}`,
          body: `On ${plan.base} as of ${base.slice(0, 12)}.`,
          trailers: trailersOf({ event: 'rebased', plan: plan.id, run: session.run, digest: plan.digest }),
        }),
      })
      const tag = await keepTip(session, { to: commit, step: undefined, kind: 'rebase', reason: `on ${plan.base} as of ${base.slice(0, 12)}` })
      await goTo(session, commit, [{ ref: tag.ref, from: undefined, to: tag.oid }])
      return tag
    })
    session.world.emit({ kind: 'notice', message: `${plan.id} is on ${plan.base} as of ${base.slice(0, 12)}; the old tip is kept as ${kept.ref}` })
    await permitRun(writing, request)
    return carryOut(writing, request)
  })
}
