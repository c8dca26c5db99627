// `git plan cancel`: stops a plan for good, a running one too, and goes back to where the user was. Nothing that lies in the tree is lost.

import { setTimeout as sleep } from 'node:timers/promises'
import { PlanError } from '../errors.ts'
import { isFinal } from '../plan/lifecycle.ts'
import { statusOf } from '../plan/plan.ts'
import { describePaths, shown } from '../git/raw-path.ts'
import { listWorkTrees } from '../git/worktrees.ts'
import type { StepId } from '../plan/values.ts'
import { stashOf } from '../run/autostash.ts'
import { readLocks } from '../run/lock.ts'
import { scanPlace } from '../run/not-ours.ts'
import { readOrigin, treeName } from '../run/origin.ts'
import { leave, removeOwnTree } from '../run/place.ts'
import { PlanDir } from '../run/plan-dir.ts'
import { recordEvent } from '../run/record.ts'
import { nextAttempt, restoreTip, saveAttempt } from '../run/restore.ts'
import type { Session } from '../run/session.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { planMeant } from './plan-meant.ts'
import { tellForge } from './publish.ts'
import { pushPlan } from './push.ts'
import { requireBuiltOn } from './remote-state.ts'
import { withPlanSession, withRepo } from './with-session.ts'
import type { CancelledData } from './results.ts'

export interface CancelRequest {
  readonly plan?: string
  readonly message?: string
  /** The cancelled branch to the remote. A run of another clone is refused its next push. */
  readonly push?: boolean
}

export function cancel(request: CancelRequest, context: CommandContext): Promise<CommandResult<CancelledData>> {
  return withRepo(
    context,
    async (repo, settings) => {
      const id = await planMeant(repo, { plan: request.plan, command: 'cancel', dir: settings.dir }, context)
      await stopHolder(new PlanDir(repo.commonDir, id), id)
      return withPlanSession(context, { repo, settings, id, command: 'cancel' }, async (writing) => {
        const { session } = writing
        const { plan } = session.at
        if (plan.status === 'completed')
          throw new PlanError('wrong-state', `plan ${id} is completed`, {
            hint: { 'merge it': `git plan finish ${id}`, 'delete it': `git plan delete ${id} --force` },
          })
        if (request.push === true) await requireBuiltOn(session.home, id, session.at.tip)
        if (session.tree !== undefined) await saveTree(session)
        if (!isFinal(plan.status)) {
          await recordEvent(session, {
            event: 'cancelled',
            subject: `Cancelled: ${plan.title}`,
            facts: request.message === undefined ? {} : { reason: request.message },
          })
        }
        const back = await goBack(session)
        if (request.push === true) {
          await pushPlan(session.home, id)
          await tellForge(writing)
        }
        return {
          kind: 'cancelled',
          exitCode: 0,
          data: { id, tip: session.at.tip, message: `Cancelled ${id}${back}` },
          next: [`git plan log ${id}`, `git plan clone ${id}`],
        }
      })
    },
    { isLenient: true },
  )
}

/** The running executor ends its step, saves what it left, and gives the lock back. */
async function stopHolder(dir: PlanDir, id: string): Promise<void> {
  const holder = (await readLocks(dir)).find((lock) => lock.liveness === 'alive')?.holder
  if (holder === undefined) return
  try {
    process.kill(holder.pid, 'SIGTERM')
  } catch (error) {
    // Gone meanwhile is as good as stopped.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return
    throw new PlanError('held', `${id} is being run by process ${holder.pid} of another user`, {
      hint: `sudo kill ${holder.pid}`,
      cause: error,
    })
  }
  for (let waited = 0; waited < 20_000; waited += 100) {
    await sleep(100)
    if ((await readLocks(dir)).every((lock) => lock.liveness !== 'alive')) return
  }
  throw new PlanError('held', `process ${holder.pid}, which runs ${id}, does not stop`, { hint: `kill -9 ${holder.pid} && git plan cancel ${id}` })
}

async function saveTree(session: Session): Promise<void> {
  const { dirty } = await scanPlace(session)
  if (dirty.length === 0) return
  const { plan } = session.at
  const step = plan.steps.find((each) => !['done', 'skipped', 'pending'].includes(statusOf(plan, each.id)))?.id ?? ('cancel' as StepId)
  const attempt = await nextAttempt(session, step)
  await session.intend({ kind: 'tree', input: session.at.tip })
  const saved = await saveAttempt(session, { step, attempt, reason: 'cancelled', message: 'uncommitted changes when the plan was cancelled' })
  await restoreTip(session, saved, { label: `${step}-${attempt}` })
  await session.settle()
  const [first] = dirty
  session.world.emit({
    kind: 'notice',
    message: `uncommitted changes are saved in ${saved.ref}: ${describePaths(dirty)}`,
    ...(first === undefined ? {} : { hint: `git restore --source=${saved.ref} -- ${quoted(shown(first))}` }),
  })
}

const quoted = (path: string): string => (/^[\w./@+,:-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)

/** Back to the user's branch, or the plan's own work tree put away. */
export async function goBack(session: Session): Promise<string> {
  const origin = await readOrigin(session)
  if (session.tree === undefined) {
    // The user switched away by hand: what was put aside for them still goes back, where it was taken from.
    const place =
      origin === undefined
        ? undefined
        : (await listWorkTrees(session.repo)).find(({ gitDir }) => treeName({ gitDir, commonDir: session.repo.commonDir }) === origin.tree)
    if (place === undefined) {
      const isLeft = (await stashOf(session)) !== undefined
      if (isLeft)
        session.world.emit({
          kind: 'notice',
          message: `your changes from before ${session.id} were not restored: their work tree is gone`,
          hint: `git plan doctor --restore ${session.id}`,
        })
      return ''
    }
    session.useTree(place.root, place.gitDir)
    await leave(session)
    return ''
  }
  if (origin !== undefined && origin.tree === treeName(session.tree.repo)) {
    return `; ${await leave(session)}`
  }
  const { root } = session.tree
  await removeOwnTree(session)
  return session.tree === undefined ? `; its work tree ${root} was moved to ${session.dir.file('aside')}` : ''
}
