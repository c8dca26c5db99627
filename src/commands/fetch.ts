// `git plan fetch`: a plan of another clone, with what is known about it, into this one.

import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import { nameOfPlan, isId, planBranch, type Oid, type PlanId } from '../plan/values.ts'
import { readHistory } from '../report/history.ts'
import { planFile } from '../report/view.ts'
import { workTreeOf } from '../git/worktrees.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { planMeant } from './plan-meant.ts'
import { fetchPlan } from './push.ts'
import { withRepo } from './with-session.ts'

export interface FetchRequest {
  readonly plan?: string
}

export interface FetchedData {
  readonly id: string
  readonly remote: string
  readonly tip: string
  /** Whether the branch here is what it is there. */
  readonly isCurrent: boolean
  readonly kept: readonly string[]
  readonly message: string
}

export function fetch(request: FetchRequest, context: CommandContext): Promise<CommandResult<FetchedData>> {
  return withRepo(context, async (repo, settings) => {
    // One that is not here yet has to be named.
    const named = request.plan === undefined ? undefined : nameOfPlan(request.plan)
    if (named !== undefined && !isId(named))
      throw new PlanError('usage', `${JSON.stringify(named.slice(0, 80))} is no id of a plan`, { hint: 'git plan fetch ID' })
    const id = (named as PlanId | undefined) ?? (await planMeant(repo, { plan: undefined, command: 'fetch', dir: settings.dir }, context))
    const { remote, tip, final, kept } = await fetchPlan(repo, id)
    if (final !== undefined && (tip === undefined || (await repo.isAncestor(tip, final))))
      return {
        kind: 'fetched',
        exitCode: 0,
        data: { id, remote, tip: final, isCurrent: true, kept, message: `${id} is finished (${final.slice(0, 10)}), and here with all that is kept for it` },
        next: [`git plan report ${id}`, `git plan audit ${id}`],
      }
    if (tip === undefined)
      throw new PlanError('unknown-plan', `${remote} has no plan ${id}`, {
        hint: `git ls-remote ${remote} 'refs/heads/plan/*'; from the clone that has it: git plan submit ${id}`,
      })
    const branch = planBranch(id)
    const here = await repo.tipOf(branch)
    const isForward = here === undefined || (here !== tip && (await repo.isAncestor(here, tip)))
    const isCheckedOut = here !== undefined && (await workTreeOf(repo, branch)) !== undefined
    if (isForward && !isCheckedOut) await repo.moveRefs([{ ref: branch, from: here, to: tip }])
    const now = await repo.tipOf(branch)
    const message =
      now === tip
        ? `${id} is as it is on ${remote} (${tip.slice(0, 10)})`
        : isForward
          ? `${id} has moved on ${remote}, and is checked out here: git merge --ff-only ${remote}/plan/${id}`
          : here !== undefined && (await repo.isAncestor(tip, here))
            ? `${id} is ahead of ${remote}`
            : `${id} here and on ${remote} have gone different ways: git log --oneline --left-right plan/${id}...${remote}/plan/${id}`
    // Two people who approved at once, each in a clone: the second approves again, on top of the first.
    const isOnlyDecided = here !== undefined && now !== tip && !isForward && (await isOnlyApproved(repo, { id, file: planFile(settings.dir, id) }, here, tip))
    const next = isOnlyDecided
      ? [`git branch -f plan/${id} ${remote}/plan/${id} && git plan approve ${id} && git plan submit ${id}`]
      : [`git plan status ${id}`]
    return { kind: 'fetched', exitCode: 0, data: { id, remote, tip, isCurrent: now === tip, kept, message }, next }
  })
}

/** What this clone has beyond the other is approvals alone. */
async function isOnlyApproved(repo: Repository, plan: { id: PlanId; file: string }, here: Oid, there: Oid): Promise<boolean> {
  const common = await repo.mergeBase(here, there)
  const { events, foreign } = await readHistory(repo, here, plan)
  const own = events.slice(
    0,
    events.findIndex(({ commit }) => commit === common),
  )
  return common !== undefined && own.length > 0 && own.every(({ event }) => event === 'approved') && foreign.every(({ depth }) => depth > own.length)
}
