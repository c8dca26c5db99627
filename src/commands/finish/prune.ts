// `git plan prune`: applies the retention period. Old logs and files moved aside are removed; attempts and rollbacks
// only if their plan has ended too.

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
import { recoverRemoval, removeRefs } from '../../engine/run/remove-refs.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { withRepo } from '../../operation/with-run.ts'
import type { PrunedData } from '../../operation/results.ts'

export function prune(
  request: { readonly plan?: string; readonly dryRun?: boolean },
  context: CommandContext,
): Promise<CommandResult<PrunedData>> {
  return withRepo(context, async (repo, settings) => {
    const ids = request.plan === undefined ? await planIds(repo) : [await resolvePlanName(repo, request.plan)]
    const before = context.now().getTime() - settings.config.rollback.keep
    const removed: { plan: string; what: string }[] = []
    for (const id of ids) {
      const dir = new PlanDir(repo.commonDir, id)
      const claim = { run: `prune-${process.pid}`, command: 'prune', since: context.now().toISOString() }
      const lock = await acquireLock(dir, claim, { plan: id })
      try {
        // The remains of an interrupted run are not old: the next command of the plan recovers them.
        if (!(await recoverRemoval({ dir, repo, id }))) continue
        // The files from which a stash is to be restored are in use, however old they are.
        const inUse = (await stashOf({ repo, id })) === undefined ? undefined : await asideOf(dir)
        for (const path of (await oldFiles(dir, before)).filter((each) => each !== inUse)) {
          removed.push({ plan: id, what: path })
          if (request.dryRun !== true) await rm(path, { recursive: true, force: true })
        }
        const refs = await oldRefs(repo, id, settings.dir, before)
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
            ? 'Nothing is old enough to be removed'
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

/** Only for plans that have ended: an open one may still need an attempt. */
async function oldRefs(repo: Repository, id: PlanId, dir: string, before: number): Promise<Ref[]> {
  const { tip, isBranch } = await tipOfPlan(repo, id)
  const status = await readPlanAt(repo, tip, { id, file: `${dir}/${id}.md` }).then(
    (plan) => plan.status,
    () => undefined,
  )
  if (isBranch && (status === undefined || !isFinal(status))) return []
  const committed = (await repo.readCommit(tip))?.committer.seconds ?? Number.POSITIVE_INFINITY
  if (committed * 1000 >= before) return []
  return (await repo.refs(planRefs(id))).filter(({ name }) => /\/(attempts|rollbacks)\//.test(name))
}
