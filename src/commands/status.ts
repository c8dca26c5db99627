// Where a plan stands.

import type { Repository } from '../git/repository.ts'
import { workTreeOf } from '../git/worktrees.ts'
import { planBranch } from '../plan/values.ts'
import { readPutAside, type PutAside } from '../report/put-aside.ts'
import type { PlanSummary } from '../report/view.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { nextCommands } from './next-commands.ts'
import { lastSeen } from './push.ts'
import { withPlan } from './with-repository.ts'

export interface StatusData extends PlanSummary {
  /** Where the plan's branch is checked out. */
  readonly workTree: string | null
  /** What `--autostash` put aside for this plan, and for plans whose branch is gone. */
  readonly putAside: readonly PutAside[]
}

/** It has begun, and the remote has its branch. */
const isRunPushed = async (repo: Repository, { id, startedAt }: PlanSummary): Promise<boolean> => startedAt !== null && (await lastSeen(repo, id)) !== undefined

export const status = (request: { readonly plan?: string }, context: CommandContext): Promise<CommandResult<StatusData | object>> =>
  withPlan(request.plan, context, async ({ summary }, { repo, settings }) => {
    const workTree = (await workTreeOf(repo, planBranch(summary.id)))?.root ?? null
    const putAside = (await readPutAside(repo, settings.dir)).filter(({ plan, isOrphaned }) => isOrphaned || plan === summary.id)
    return {
      kind: 'status',
      exitCode: 0,
      data: { ...summary, workTree, putAside },
      next: nextCommands(summary, { isPushed: await isRunPushed(repo, summary) }),
    }
  })
