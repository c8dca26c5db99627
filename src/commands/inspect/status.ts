// `git plan status`: the state of a plan.

import type { Repository } from '../../git/repository.ts'
import { workTreeOf } from '../../git/worktree/worktrees.ts'
import { planBranch } from '../../plan/model/ids.ts'
import { hasPlan } from '../../store/merged.ts'
import { readPlanMode, type PlanMode } from '../../store/plan-mode.ts'
import { readPutAside, type PutAside } from '../../store/put-aside.ts'
import { readRemoteFacts, type RemoteFacts } from '../../store/remote-facts.ts'
import { planFile } from '../../store/plan-at.ts'
import type { PlanSummary } from '../../view/plan-view.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { nextCommands, waysToSettle } from '../../operation/next-commands.ts'
import { waysToNamePolicy } from '../../operation/policy-branch.ts'
import { withPlan } from '../with-repository.ts'
import { hasEnded, pauseBetweenLooks } from './look-again.ts'
import { tellIfStalled } from './tell-if-stalled.ts'

export interface StatusData extends PlanSummary {
  /** The work tree in which the plan's branch is checked out. */
  readonly workTree: string | null
  /** Changes that `--autostash` saved for this plan, and for plans whose branch is gone. */
  readonly putAside: readonly PutAside[]
  /** The branch on the remote, as last seen; null if there is none known. */
  readonly remote: RemoteFacts | null
  /** Of the work tree in which the command was run. */
  readonly planMode: PlanMode['state']
  /** For a merged plan: true if its base on the remote contains it, as last seen; null if unknown. */
  readonly isMergePushed: boolean | null
}

export interface StatusRequest {
  readonly plan?: string | undefined
  readonly watch?: boolean
}

/** With `watch`, once more whenever something has changed, until the plan has ended. */
export async function status(
  request: StatusRequest,
  context: CommandContext,
): Promise<CommandResult<StatusData | object>> {
  const first = await statusNow(request, context)
  if (request.watch !== true || first.kind !== 'status') return first
  const { id } = first.data as StatusData
  return { ...first, updates: changes(first, () => statusNow({ plan: id }, context), context) }
}

async function* changes(
  first: CommandResult<StatusData | object>,
  read: () => Promise<CommandResult<StatusData | object>>,
  context: CommandContext,
): AsyncGenerator<CommandResult<StatusData | object>> {
  let last = first
  await tellIfStalled(undefined, first.data as StatusData, context)
  while (!hasEnded((last.data as StatusData).seen) && (await pauseBetweenLooks(context.signal))) {
    const now = await read()
    if (now.kind !== 'status') return
    if (JSON.stringify(now.data) !== JSON.stringify(last.data)) yield now
    await tellIfStalled((last.data as StatusData).seen, now.data as StatusData, context)
    last = now
  }
}

const statusNow = (
  request: { readonly plan?: string | undefined },
  context: CommandContext,
): Promise<CommandResult<StatusData | object>> =>
  withPlan(request.plan, context, async ({ summary }, { repo, settings, options }, refs) => {
    const [tree, aside, remote, { state: planMode }] = await Promise.all([
      workTreeOf(repo, planBranch(summary.id), repo.headAtOpen()),
      readPutAside(repo, settings.dir, refs),
      readRemoteFacts(repo, summary, { now: options.now }),
      readPlanMode(repo.gitDir),
    ])
    const workTree = tree?.root ?? null
    const putAside = aside.filter(({ plan, isOrphaned }) => isOrphaned || plan === summary.id)
    const isMergePushed =
      remote === null ? null : await isMergedOnRemote(repo, summary, { remote: remote.name, dir: settings.dir })
    return {
      kind: 'status',
      exitCode: 0,
      data: { ...summary, workTree, putAside, remote, planMode, isMergePushed },
      next:
        isMergePushed === false && summary.status === 'completed'
          ? [`git plan finish ${summary.id} --push`]
          : settings.isPolicyUnknown && !['running', 'merged', 'cancelled'].includes(summary.seen)
            ? Object.values(await waysToNamePolicy(repo))
            : nextOf(summary, remote, workTree),
    }
  })

/**
 * Returns null if the plan is not merged, if its base on the remote is unknown here, or if only the forge has merged it:
 * then nothing of it is here to be pushed.
 */
async function isMergedOnRemote(
  repo: Repository,
  { id, seen, base, tip }: PlanSummary,
  { remote, dir }: { remote: string; dir: string },
): Promise<boolean | null> {
  if (seen !== 'merged' || base === null) return null
  const there = await repo.resolve(`refs/remotes/${remote}/${base}`)
  if (there === undefined) return null
  const file = planFile(dir, id)
  if (await hasPlan(repo, there, tip, file)) return true
  const here = await repo.resolve(`refs/heads/${base}`)
  return here !== undefined && (await hasPlan(repo, here, tip, file)) ? false : null
}

/** The command that returns to the user's branch and restores the autostashed changes. */
export const leaveCommand = (
  { id, seen, status }: Pick<PlanSummary, 'id' | 'seen' | 'status'>,
  remote: object | null,
): string => {
  if (seen === 'cancelled') return `git plan cancel ${id}`
  return status === 'completed' || remote === null ? `git plan finish ${id}` : `git plan fetch ${id} --take theirs`
}

/** Changes of the other side come first: nothing can be pushed before they are settled. */
function nextOf(summary: PlanSummary, remote: RemoteFacts | null, workTree: string | null): string[] {
  const { id, seen, startedAt } = summary
  const next = nextCommands(summary, { isPushed: remote !== null })
  if (workTree !== null && ['merged', 'cancelled'].includes(seen)) return [leaveCommand(summary, remote), ...next]
  if (seen === 'merged' || remote === null) return next
  if (remote.holder !== null)
    return [`git plan fetch ${id}`, `git plan ${startedAt === null ? 'start' : 'resume'} ${id} --push --take-over`]
  const settling = waysToSettle(id, remote.relation, { isRolledBack: seen === 'rolled-back' })
  return settling.length > 0 ? settling : next
}
