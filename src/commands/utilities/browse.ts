// `git plan browse`: the plans on the whole terminal. adapters/tui shows them.

import { PlanError } from '../../errors.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { resolvePlanName } from '../../store/resolve-plan.ts'
import { withRepository } from '../with-repository.ts'

export interface BrowseRequest {
  readonly plan?: string
}

export async function browse({ plan }: BrowseRequest, context: CommandContext): Promise<CommandResult> {
  if (!context.isInteractive) throw new PlanError('usage', 'browse needs a terminal', { hint: 'git plan list' })
  // Fails here if this is not a repository.
  const id = await withRepository(context, async ({ repo }) =>
    plan === undefined ? undefined : resolvePlanName(repo, plan),
  )
  await context.browse(id)
  return { kind: 'browse', exitCode: 0, data: {} }
}
