// Chooses the plan for a writing command: the one named, the only candidate, or on a terminal the one the user picks.

import type { Repository } from '../git/repository.ts'
import type { PlanId } from '../plan/model/ids.ts'
import { findPlan, openPlans, refuseToGuess } from '../store/resolve-plan.ts'
import type { Choice, CommandContext } from './context.ts'

export async function choosePlan(
  repo: Repository,
  request: { plan: string | undefined; command: string; dir: string },
  context: CommandContext,
): Promise<PlanId> {
  const found = await findPlan(repo, request.plan, request)
  if (found !== undefined) return found.id
  const open = await openPlans(repo, request.dir)
  const picked =
    context.isInteractive && open.length > 0
      ? await context.choose(`Which plan for git plan ${request.command}?`, open.map(asChoice))
      : undefined
  return open.find(({ id }) => id === picked)?.id ?? refuseToGuess(repo, open, request.command)
}

const asChoice = ({ id, status, title }: { id: string; status: string; title: string }): Choice => ({
  value: id,
  label: `${id} (${status}: ${title})`,
})
