// `git plan cancel`: stops a plan permanently, even a running one, and returns to the user's branch. Nothing in the
// work tree is lost.

import { setTimeout as sleep } from 'node:timers/promises'
import { PlanError } from '../../errors.ts'
import { statusOf } from '../../plan/model/plan.ts'
import { describePaths, shown } from '../../git/read/raw-path.ts'
import type { StepId } from '../../plan/model/ids.ts'
import { goBack } from '../../engine/switch/go-back.ts'
import { readLocks } from '../../engine/run/lock.ts'
import { scanWorkspace } from '../../engine/workspace/preserved-ignored.ts'
import { PlanDir } from '../../engine/workspace/plan-dir.ts'
import { recordEvent } from '../../engine/record/record-event.ts'
import { keepResults } from '../../engine/pool/results.ts'
import { nextAttempt, restoreTip, saveAttempt } from '../../engine/record/restore.ts'
import type { Run } from '../../engine/run/run.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { refuseFinishedElsewhere } from '../../approval/flow/finished-elsewhere.ts'
import { choosePlan } from '../../operation/choose-plan.ts'
import { reportProgress } from '../../remote/publish.ts'
import { pushPlan } from '../../remote/push.ts'
import { requireBuiltOn } from '../../remote/remote-state.ts'
import { withPlanRun, withRepo } from '../../operation/with-run.ts'
import type { CancelledData } from '../../operation/results.ts'

export interface CancelRequest {
  readonly plan?: string
  readonly message?: string
  /** Push the cancelled branch, which makes the next push of another clone's run fail. */
  readonly push?: boolean
}

export function cancel(request: CancelRequest, context: CommandContext): Promise<CommandResult<CancelledData>> {
  return withRepo(
    context,
    async (repo, settings) => {
      const id = await choosePlan(repo, { plan: request.plan, command: 'cancel', dir: settings.dir }, context)
      await stopHolder(new PlanDir(repo.commonDir, id), id)
      return withPlanRun(context, { repo, settings, id, command: 'cancel' }, async (writing) => {
        const { run } = writing
        const { plan } = run.at
        if (plan.status === 'completed') await refuseFinishedElsewhere(writing)
        if (request.push === true) await requireBuiltOn(run.home, id, run.at.tip)
        if (run.tree !== undefined) await saveTree(run)
        await keepResults(run)
        if (plan.status !== 'cancelled') {
          await recordEvent(run, {
            event: 'cancelled',
            subject: `Cancelled: ${plan.title}`,
            facts: request.message === undefined ? {} : { reason: request.message },
          })
        }
        const back = await goBack(run)
        if (request.push === true) {
          await pushPlan(run.home, id)
          await reportProgress(writing)
        }
        return {
          kind: 'cancelled',
          exitCode: 0,
          data: { id, tip: run.at.tip, message: `Cancelled ${id}${back}` },
          next: [
            `git plan log ${id}`,
            `git plan rollback ${id} --undo`,
            ...((await hasBase(run)) ? [`git plan clone ${id}`] : []),
          ],
        }
      })
    },
    { isLenient: true },
  )
}

/** A copy is proposed on the same base, which may have been deleted. */
const hasBase = async ({ repo, at }: Run): Promise<boolean> =>
  at.plan.base === undefined ||
  (await repo.tipOf(`refs/heads/${at.plan.base}`)) !== undefined ||
  (await repo.tipOf(`refs/remotes/origin/${at.plan.base}`)) !== undefined

/** Asks the running executor to stop: it ends its step, saves the changes and releases the lock. */
async function stopHolder(dir: PlanDir, id: string): Promise<void> {
  const holder = (await readLocks(dir)).find((lock) => lock.liveness === 'alive')?.holder
  if (holder === undefined) return
  try {
    process.kill(holder.pid, 'SIGTERM')
  } catch (error) {
    // The process has exited meanwhile.
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
  throw new PlanError('held', `process ${holder.pid}, which runs ${id}, does not stop`, {
    hint: `kill -9 ${holder.pid} && git plan cancel ${id}`,
  })
}

async function saveTree(run: Run): Promise<void> {
  const { dirty } = await scanWorkspace(run.checkedOut)
  if (dirty.length === 0) return
  const { plan } = run.at
  const step =
    plan.steps.find((each) => !['done', 'skipped', 'pending'].includes(statusOf(plan, each.id)))?.id ??
    ('cancel' as StepId)
  const attempt = await nextAttempt(run, step)
  await run.intend({ kind: 'tree', input: run.at.tip })
  const saved = await saveAttempt(run.worker, {
    step,
    attempt,
    reason: 'cancelled',
    message: 'uncommitted changes when the plan was cancelled',
  })
  await restoreTip(run.worker, saved, { label: `${step}-${attempt}` })
  await run.settle()
  const [first] = dirty
  run.world.emit({
    kind: 'notice',
    message: `uncommitted changes are saved in ${saved.ref}: ${describePaths(dirty)}`,
    ...(first === undefined ? {} : { hint: `git restore --source=${saved.ref} -- ${quoted(shown(first))}` }),
  })
}

const quoted = (path: string): string => (/^[\w./@+,:-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)
