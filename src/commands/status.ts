// Where a plan stands.

import type { PlanSummary } from '../report/view.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { nextCommands } from './next-commands.ts'
import { withPlan } from './with-repository.ts'

export const status = (request: { readonly plan?: string }, context: CommandContext): Promise<CommandResult<PlanSummary | object>> =>
  withPlan(request.plan, context, async ({ summary }) => ({ kind: 'status', exitCode: 0, data: summary, next: nextCommands(summary) }))
