// `git plan prune`: applies the retention period, or ends it for plans that have ended (`--now`). Old logs and files
// moved aside are removed; attempts and rollbacks only if their plan has ended too.

import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ref } from '../../git/repository.ts'
import { isFinal } from '../../plan/model/lifecycle.ts'
import { planRefs, type PlanId } from '../../plan/model/ids.ts'
import { planIds, resolvePlanName } from '../../store/resolve-plan.ts'
import { readPlanAt, tipOfPlan } from '../../store/plan-at.ts'
import type { Repository } from '../../git/repository.ts'
import { asideOf, stashOf } from '../../engine/switch/autostash.ts'
import { acquireLock } from '../../engine/run/lock.ts'
import { asideFolder, leftFolder, PlanDir } from '../../engine/workspace/plan-dir.ts'
import { poolRoots, removePool } from '../../engine/pool/remove-pool.ts'
import { recoverRemoval, removeRefs } from '../../engine/run/remove-refs.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { withRepo } from '../../operation/with-run.ts'
import type { PrunedData } from '../../operation/results.ts'

export function prune(
  request: {
    readonly plan?: string
    readonly dryRun?: boolean
    readonly now?: boolean
    /** Remove the work trees of parallel steps. */
    readonly worktrees?: boolean
  },
  context: CommandContext,
): Promise<CommandResult<PrunedData>> {
  return withRepo(context, async (repo, settings) => {
    const ids = request.plan === undefined ? await planIds(repo) : [await resolvePlanName(repo, request.plan)]
    const expiry = context.now().getTime() - settings.config.rollback.keep
    const removed: { plan: string; what: string }[] = []
    for (const id of ids) {
      const dir = new PlanDir(repo.commonDir, id)
      const claim = { run: `prune-${process.pid}`, command: 'prune', since: context.now().toISOString() }
      const lock = await acquireLock(dir, claim, { plan: id })
      try {
        // The remains of an interrupted run are not old: the next command of the plan recovers them.
        if (!(await recoverRemoval({ dir, repo, id }))) continue
        if (request.worktrees === true) {
          const pool = { id, dir, home: repo, emit: context.emit }
          const trees = request.dryRun === true ? await poolRoots(pool) : await removePool(pool)
          for (const root of trees) removed.push({ plan: id, what: root })
        }
        const ended = await endOf(repo, id, settings.dir)
        // Later than the clock of any file system.
        const before = request.now === true && ended !== undefined ? Number.POSITIVE_INFINITY : expiry
        // The files from which a stash is to be restored are in use, however old they are.
        const inUse = (await stashOf({ repo, id })) === undefined ? undefined : await asideOf(dir)
        for (const path of (await oldFiles(dir, before)).filter((each) => each !== inUse)) {
          removed.push({ plan: id, what: path })
          if (request.dryRun !== true) await rm(path, { recursive: true, force: true })
        }
        // Without them, a plan that was not merged could not be rolled forward again.
        const refs = ended === undefined || ended >= expiry ? [] : await endedRefs(repo, id)
        for (const { name } of refs) removed.push({ plan: id, what: name })
        if (request.dryRun !== true && refs.length > 0)
          await removeRefs({ dir, repo, id }, refs, {
            ...claim,
            now: context.now(),
            tip: (await tipOfPlan(repo, id)).tip,
          })
      } finally {
        await lock.release()
      }
    }
    const verb = request.dryRun === true ? 'would remove' : 'removed'
    return {
      kind: 'pruned',
      exitCode: 0,
      data: {
        removed,
        message:
          removed.length === 0
            ? request.now === true || request.worktrees === true
              ? 'Nothing to remove'
              : 'Nothing is old enough to be removed'
            : [`${verb}:`, ...removed.map(({ what }) => `  ${what}`)],
      },
    }
  })
}

async function oldFiles(dir: PlanDir, before: number): Promise<string[]> {
  const old: string[] = []
  for (const folder of ['logs', asideFolder, leftFolder]) {
    for (const name of await readdir(dir.file(folder)).catch(() => [] as string[])) {
      const path = join(dir.file(folder), name)
      if (path === dir.file(leftFolder)) continue
      const facts = await stat(path).catch(() => undefined)
      if (facts !== undefined && facts.mtimeMs < before) old.push(path)
    }
  }
  return old
}

/** When the plan ended, in milliseconds; undefined: it has not, and may still need an attempt. */
async function endOf(repo: Repository, id: PlanId, dir: string): Promise<number | undefined> {
  const { tip, isBranch } = await tipOfPlan(repo, id)
  const status = await readPlanAt(repo, tip, { id, file: `${dir}/${id}.md` }).then(
    (plan) => plan.status,
    () => undefined,
  )
  if (isBranch && (status === undefined || !isFinal(status))) return undefined
  const seconds = (await repo.readCommit(tip))?.committer.seconds
  return seconds === undefined ? undefined : seconds * 1000
}

const endedRefs = async (repo: Repository, id: PlanId): Promise<Ref[]> =>
  (await repo.refs(planRefs(id))).filter(({ name }) => /\/(attempts|rollbacks)\//.test(name))
