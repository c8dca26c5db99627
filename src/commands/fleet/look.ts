// `git plan fleet look ORDER`: one look at one repository, in its clone. A worker starts it as a process of its own. It
// does what a person would type there, through the same commands and the same gate.

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { PlanError } from '../../errors.ts'
import { openRepository } from '../../engine/run/run.ts'
import type { RunEvent } from '../../engine/run/events.ts'
import { lastLineOf } from '../../fleet/tips.ts'
import type { Order } from '../../fleet/look.ts'
import { dataOfError, type VerdictData } from '../../fleet/verdict.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { readSettings } from '../../operation/settings.ts'
import { finalRef, planBranch, planId, type Oid, type PlanId } from '../../plan/model/ids.ts'
import type { Plan } from '../../plan/model/plan.ts'
import { statusOf } from '../../plan/model/plan.ts'
import { remoteRefs } from '../../remote/ask-remote.ts'
import { forgeOf } from '../../remote/open-forge.ts'
import { isFinal } from '../../plan/model/lifecycle.ts'
import { planFile, readPlanAt } from '../../store/plan-at.ts'
import { cancel } from '../finish/cancel.ts'
import { finish } from '../finish/finish.ts'
import { approve } from '../propose/approve.ts'
import { fetch as fetchPlan } from '../propose/fetch.ts'
import { newPlan } from '../propose/new.ts'
import { submit } from '../propose/submit.ts'
import { rebase } from '../run/rebase.ts'
import { replan } from '../run/replan.ts'
import { resume } from '../run/resume.ts'
import { start } from '../run/start.ts'

export type LookedData = VerdictData & { readonly message: string }

export async function look(orderFile: string, context: CommandContext): Promise<CommandResult<LookedData>> {
  const order = await readOrder(resolve(context.cwd, orderFile))
  const watched = watch({
    ...context,
    signal: context.signal,
    fleetLane: order.isRequest ? 'requests' : 'git',
  })
  try {
    return looked({ ...(await carryOut(order, watched.context)), ...watched.last() })
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    // What was refused was not pushed: it is the tip there that was refused.
    const tip = order.isRequest ? await tipThere(planId(order.plan), context).catch(() => null) : null
    return looked({ ...dataOfError(error, context.now()), tip })
  }
}

const looked = (data: VerdictData): CommandResult<LookedData> => ({
  kind: 'looked',
  exitCode: 0,
  data: { ...data, message: [data.verdict, data.status, data.why].filter(Boolean).join(': ') },
})

async function readOrder(file: string): Promise<Order> {
  const order = JSON.parse(await readFile(file, 'utf8')) as Order
  planId(order.plan)
  return order
}

/** Remembers the step that failed or waits, and the last line of its output. */
function watch(context: CommandContext): { context: CommandContext; last: () => VerdictData } {
  let output = ''
  let found: VerdictData = {}
  const emit = (event: RunEvent): void => {
    if (event.kind === 'output') output = (output + event.text).slice(-4000)
    if (event.kind === 'step-started') [output, found] = ['', {}]
    if (event.kind === 'step-failed') found = { step: event.step, line: lastLineOf(output) ?? event.message }
    if (event.kind === 'step-waiting') found = { step: event.step, line: lastLineOf(event.message) ?? null }
    context.emit(event)
  }
  return { context: { ...context, signal: context.signal, emit }, last: () => found }
}

async function tipThere(id: PlanId, context: CommandContext): Promise<Oid | null> {
  const repo = await openRepository(context)
  try {
    return (await remoteRefs(repo, id)).tip ?? null
  } finally {
    repo.close()
  }
}

interface Here {
  readonly tip: Oid | null
  readonly plan: Plan | undefined
}

async function carryOut(order: Order, context: CommandContext): Promise<VerdictData> {
  const id = planId(order.plan)
  const before = await catchUp(id, context)
  if (before.isMerged) return { verdict: 'settled', status: 'completed', tip: before.tip, isMerged: true }
  if (before.isDiverged)
    return { verdict: 'again', why: `plan/${id} was continued by another machine`, isOvertaken: true }
  if (before.plan === undefined)
    await newPlan({ from: order.text, id }, context).catch((error: unknown) => {
      // Another worker of this machine was faster; its text is compared below.
      if (!(error instanceof PlanError) || error.code !== 'plan-exists') throw error
    })
  const here = await readHere(id, context)
  const { plan } = here
  if (plan === undefined) return { verdict: 'refused', why: `plan/${id} cannot be read` }
  const isCompleted = plan.status === 'completed' && order.digests.includes(plan.digest)
  if (plan.digest !== order.digest && !isCompleted) {
    if (order.epoch === 1 || isFinal(plan.status))
      return { verdict: 'refused', why: `plan/${id} has another text than the manifest: ${plan.digest.slice(0, 12)}` }
    await replan({ plan: id, from: order.text }, context)
  }
  const current = await readHere(id, context)
  const done = await (order.isRequest ? request(order, current, context) : run(order, current, context))
  return done ?? settled(await readHere(id, context))
}

const settled = ({ plan, tip }: Here): VerdictData => ({ verdict: 'settled', status: plan?.status ?? 'proposed', tip })

/** Brings the plan to the state that it has on the remote. */
async function catchUp(
  id: PlanId,
  context: CommandContext,
): Promise<Here & { readonly isMerged: boolean; readonly isDiverged: boolean }> {
  const repo = await openRepository(context)
  let isMerged = false
  let isThere = false
  try {
    const there = await remoteRefs(repo, id)
    isMerged = there.tip === undefined && there.final !== undefined
    isThere = there.tip !== undefined && there.tip !== (await repo.tipOf(planBranch(id)))
    if (isMerged) return { tip: there.final ?? null, plan: undefined, isMerged, isDiverged: false }
    // The base from which another machine began may be older than this clone.
    if (isThere && existsSync(join(repo.commonDir, 'shallow')))
      await repo.git.network(['fetch', '--unshallow', '--no-tags', 'origin'])
  } finally {
    repo.close()
  }
  const fetched = isThere ? await fetchPlan({ plan: id }, context) : undefined
  return { ...(await readHere(id, context)), isMerged, isDiverged: fetched?.data.relation === 'diverged' }
}

async function readHere(id: PlanId, context: CommandContext): Promise<Here> {
  const repo = await openRepository(context)
  try {
    const tip = (await repo.tipOf(planBranch(id))) ?? (await repo.tipOf(finalRef(id))) ?? null
    if (tip === null) return { tip, plan: undefined }
    const { dir } = await readSettings(repo)
    return { tip, plan: await readPlanAt(repo, tip, { id, file: planFile(dir, id) }) }
  } finally {
    repo.close()
  }
}

/** undefined: what the plan is now says how it went. */
async function run(order: Order, { plan, tip }: Here, context: CommandContext): Promise<VerdictData | undefined> {
  if (plan === undefined) return undefined
  const { id, status } = plan
  if (order.rebase !== undefined && order.rebase === tip) {
    await rebaseApproved(order, id, context)
    return run({ ...order, rebase: undefined }, await readHere(id, context), context)
  }
  const isRetried = order.retry !== undefined && order.retry === tip
  // Nobody looks at what a step has changed before it resumes.
  const unattended = { ...context, env: { ...context.env, GIT_PLAN_FLEET: '1' } }
  switch (status) {
    case 'proposed': {
      const why = await getApproval(order, id, context)
      try {
        await start({ target: id, push: 'ends' }, context)
      } catch (error) {
        if (!(error instanceof PlanError) || error.code !== 'not-approved') throw error
        return waitForOwners(id, why ?? error.message, context)
      }
      return undefined
    }
    case 'approved':
      await start({ target: id, push: 'ends' }, context)
      return undefined
    case 'active':
      await resume({ plan: id, push: 'ends' }, unattended)
      return undefined
    case 'failed': {
      const step = plan.steps.find((each) => ['failed', 'timeout', 'conflict'].includes(statusOf(plan, each.id)))
      if (isRetried)
        await resume({ plan: id, push: 'ends', ...(step === undefined ? {} : { retry: step.id }) }, unattended)
      return undefined
    }
    case 'waiting':
      if (isRetried) await resume({ plan: id, push: 'ends' }, unattended)
      return undefined
    default:
      return undefined
  }
}

/** Where the approval of one person is enough, it is that of the person who started the fleet on this machine. */
async function rebaseApproved({ approves }: Order, plan: PlanId, context: CommandContext): Promise<void> {
  try {
    await rebase({ plan, push: 'ends' }, context)
  } catch (error) {
    if (!approves || !(error instanceof PlanError) || error.code !== 'not-approved') throw error
    await rebase({ plan, push: 'ends', approve: true }, context)
  }
}

/**
 * The approval of the campaign, if the policy here accepts it, or that of the person who started the fleet on this
 * machine. Returns why neither is enough.
 */
async function getApproval(order: Order, plan: PlanId, context: CommandContext): Promise<string | undefined> {
  const ways = [
    ...(order.campaign === undefined ? [] : [{ plan, campaign: order.campaign }]),
    ...(order.approves ? [{ plan, digest: order.digest }] : []),
  ]
  let why: string | undefined
  for (const way of ways) {
    try {
      await approve(way, context)
      return undefined
    } catch (error) {
      if (!(error instanceof PlanError) || error.exitCode !== 3 || error.code === 'spec-changed') throw error
      why ??= error.message
    }
  }
  return why
}

/** The owners are to see the plan: where there is a forge its own lane opens the pull request. */
async function waitForOwners(id: PlanId, line: string, context: CommandContext): Promise<VerdictData> {
  if (!(await isOnForge(context))) {
    await submit({ plan: id }, context)
    return { ...settled(await readHere(id, context)), line }
  }
  return { verdict: 'settled', status: 'proposed', tip: await tipThere(id, context), line }
}

async function isOnForge(context: CommandContext): Promise<boolean> {
  const repo = await openRepository(context)
  try {
    return (await forgeOf(repo, await readSettings(repo), context)) !== undefined
  } finally {
    repo.close()
  }
}

/** What the forge is asked: a review of a plan that its owners have to approve, or what becomes of a completed one. */
async function request(
  { landing, isOpened }: Order,
  { plan }: Here,
  context: CommandContext,
): Promise<VerdictData | undefined> {
  if (plan === undefined) return undefined
  const { id, status } = plan
  // One that was cancelled here may not have been pushed.
  if (landing === 'close') await cancel({ plan: id, push: true }, context)
  else if (status === 'proposed') {
    if (isOpened) await submit({ plan: id }, context)
  } else if (status === 'completed' && landing === 'finish') {
    await finish(
      (await isOnForge(context)) ? { plan: id, remote: true } : { plan: id, push: true, deleteBranch: true },
      context,
    )
    return { ...settled(await readHere(id, context)), isMerged: true }
  } else if (status === 'completed' && landing === 'ready') await submit({ plan: id, ready: true }, context)
  // Its owners were asked before: its pull request says how it went.
  else if ((status === 'failed' || status === 'waiting') && landing === 'ready') await submit({ plan: id }, context)
  return undefined
}
