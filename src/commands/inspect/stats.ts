// `git plan stats`: rates and averages of all plans.

import { PlanError } from '../../errors.ts'
import { parseDuration } from '../../plan/model/ids.ts'
import { readAllPlans } from '../../store/all-plans.ts'
import { statsOf, type StatsData } from '../../view/metrics/stats.ts'
import { statsSvg } from '../../view/metrics/stats-svg.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { withStore } from '../with-store.ts'

export interface StatsRequest {
  readonly since?: string
  readonly svg?: boolean
}

export const stats = (
  request: StatsRequest,
  context: CommandContext,
): Promise<CommandResult<StatsData & { readonly svg?: string }>> =>
  withStore(context, async (repo) => {
    const since = request.since === undefined ? undefined : instantOf(request.since, context.now())
    const data = statsOf(await readAllPlans(repo), since)
    return { kind: 'stats', exitCode: 0, data: request.svg === true ? { ...data, svg: statsSvg(data) } : data }
  })

/** A day, or how long ago. */
function instantOf(text: string, now: Date): string {
  const ago = parseDuration(text)
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  const time = ago === undefined ? day : now.getTime() - ago
  if (!Number.isNaN(time)) return new Date(time).toISOString()
  throw new PlanError('usage', `--since needs a day or a duration, not ${JSON.stringify(text.slice(0, 80))}`, {
    hint: 'git plan stats --since 90d',
  })
}
