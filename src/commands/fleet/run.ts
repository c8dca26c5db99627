// `git plan fleet run` and `resume`: propose and approve a campaign, and carry it out until nothing is left to do.

import { availableParallelism } from 'node:os'
import { PlanError } from '../../errors.ts'
import type { RunEvent } from '../../engine/run/events.ts'
import { CampaignLease } from '../../fleet/campaign-lease.ts'
import { hasConflicts, hasRefusals, type CampaignState } from '../../fleet/campaign-state.ts'
import { namespaceOf, openDispatch } from '../../fleet/dispatch/open-dispatch.ts'
import { makeLook } from '../../fleet/look.ts'
import { reconcile, type Reconciled } from '../../fleet/reconcile.ts'
import type { Overview, TargetState } from '../../fleet/overview.ts'
import { isId, planId } from '../../plan/model/ids.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { giveApproval, readApprovals } from './approve.ts'
import { fleetData, type FleetData } from './fleet-data.ts'
import { proposeCampaign } from './new.ts'
import { campaignId, withCampaign, type FleetCall, type Opened } from './request.ts'

/** `run REPOSITORIES PLAN`; with one word, or none, it continues a campaign. */
export async function runCampaign(request: FleetCall, context: CommandContext): Promise<CommandResult<FleetData>> {
  const [first, second] = request.words
  if (second === undefined && (first === undefined || isId(first))) return resumeCampaign(request, context)
  const { state } = await proposeCampaign(request, context)
  return carryOut(state.campaign.id, request, context)
}

export function resumeCampaign(request: FleetCall, context: CommandContext): Promise<CommandResult<FleetData>> {
  return carryOut(campaignId(request, context, request.words[0]), request, context)
}

function carryOut(id: string, request: FleetCall, context: CommandContext): Promise<CommandResult<FleetData>> {
  return withCampaign(request, context, planId(id), async (opened) => {
    const clock = (): number => context.now().getTime()
    const before = await opened.control.require()
    if (request.approve === true || (before.approved === undefined && context.isInteractive))
      await giveApproval(opened, request, context, request.approve !== true)
    const approved = await opened.control.require()
    if (approved.approved === undefined)
      throw new PlanError('not-approved', `campaign ${id} is not approved yet; nothing was run`, {
        hint: { 'read it': `git plan fleet status ${id}`, 'approve it': `git plan fleet approve ${id}` },
      })
    if (approved.isPaused)
      await opened.control.record(
        (state) =>
          state?.isPaused === true ? { event: 'resumed', subject: `Resumed: ${state.campaign.title}` } : undefined,
        clock,
      )
    const { campaign, overview, why } = await reconcileHere(opened, request, context)
    const data = fleetData(campaign, overview, { control: opened.control.address, why })
    return { kind: 'fleet', exitCode: exitCodeOf(data), data, next: nextOf(campaign, overview) }
  })
}

const leaseMs = 60_000

async function reconcileHere(opened: Opened, request: FleetCall, context: CommandContext): Promise<Reconciled> {
  const { control, home } = opened
  const lost = new AbortController()
  const lease = await CampaignLease.take(control, { leaseMs, now: () => context.now(), onLost: () => lost.abort() })
  const dispatch = await openDispatch(request.engine, {
    now: () => context.now().getTime(),
    namespace: namespaceOf(control.address),
    onTrouble: onTrouble(context),
  })
  const jobs = jobsOf(request)
  const shared = { control, home, env: context.env, now: () => context.now() }
  const look = makeLook({ ...shared, approvals: () => readApprovals(home.approvals) })
  try {
    const ended = await reconcile({
      ...shared,
      dispatch,
      look: jobs === 0 ? undefined : look,
      hasOthers: request.engine !== undefined,
      jobs,
      signal: AbortSignal.any([context.signal, lost.signal]),
      onChange: reportTo(context),
    })
    if (lost.signal.aborted)
      throw new PlanError('held', `another machine has taken campaign ${control.id} over`, {
        hint: `git plan fleet status ${control.id}`,
      })
    return ended
  } finally {
    await dispatch.close()
    await lease.release()
  }
}

/** Without the address, which may have a password. */
export const onTrouble =
  (context: CommandContext) =>
  (why: string): void =>
    context.emit({ kind: 'notice', message: `the server of the queue does not answer (${why}); trying again` })

export function jobsOf({ jobs, engine }: FleetCall): number {
  // With a server others work: this process only decides.
  if (jobs === undefined) return engine === undefined ? Math.min(4, availableParallelism()) : 0
  if (!/^\d{1,3}$/.test(jobs) || (jobs === '0' && engine === undefined))
    throw new PlanError('usage', `-j takes a number of repositories, not ${JSON.stringify(jobs)}`, {
      hint: 'git plan fleet -h',
    })
  return Number(jobs)
}

/** Reports each target when its state has changed, and the whole campaign after it. */
function reportTo(
  context: CommandContext,
): (campaign: CampaignState, overview: Overview, changed?: TargetState) => void {
  const last = new Map<string, string>()
  const since = context.now().getTime()
  return (campaign, overview, changed) => {
    const { id, title, targets } = campaign.campaign
    const ended = overview.targets.filter(({ state }) => !['open', 'running', 'held', 'later'].includes(state)).length
    const event: RunEvent = {
      kind: 'fleet',
      campaign: id,
      title,
      counts: overview.counts,
      ended,
      total: targets.length,
      elapsedMs: context.now().getTime() - since,
      failures: overview.failures.map(({ state, step, line, addresses }) => ({
        state,
        step,
        line,
        count: addresses.length,
      })),
    }
    if (
      changed !== undefined &&
      !['open', 'running'].includes(changed.state) &&
      last.get(changed.key) !== changed.state
    )
      context.emit({
        kind: 'fleet-target',
        campaign: id,
        address: changed.address,
        state: changed.state,
        step: changed.step,
        line: changed.line,
        ended,
        total: targets.length,
      })
    if (changed !== undefined) last.set(changed.key, changed.state)
    context.emit(event)
  }
}

/** As of a run: 1 if something failed, 5 if something waits. */
export function exitCodeOf({ counts, why }: Pick<FleetData, 'counts' | 'why'>): number {
  const has = (...names: readonly string[]): boolean =>
    names.some((name) => (counts[name as keyof typeof counts] ?? 0) > 0)
  if (has('failed', 'refused', 'parked', 'unreachable')) return 1
  return has('waiting', 'approval', 'open', 'held', 'running', 'later') || (why !== null && why !== undefined) ? 5 : 0
}

function nextOf(campaign: CampaignState, { counts }: Overview): string[] {
  const { id } = campaign.campaign
  const next: string[] = []
  if ((counts.failed ?? 0) + (counts.parked ?? 0) > 0) next.push(`git plan fleet retry --failed --campaign ${id}`)
  if ((counts.approval ?? 0) + (counts.later ?? 0) + (counts.open ?? 0) + (counts.waiting ?? 0) > 0)
    next.push(`git plan fleet resume ${id}`)
  if (hasConflicts(campaign)) next.push(`git plan fleet rebase --campaign ${id}`)
  else if (hasRefusals(campaign)) next.push(`git plan fleet ${campaign.landing ?? 'ready'} ${id}`)
  if ((counts.completed ?? 0) > 0 && next.length === 0) next.push(`git plan fleet finish ${id}`)
  return [...next, `git plan fleet report ${id}`]
}
