// `git plan delete`: removes a plan's branch and all of its records. The message names the tip, so that the branch can
// be restored.

import { readdir, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PlanError } from '../../errors.ts'
import { isFinal } from '../../plan/model/lifecycle.ts'
import {
  isId,
  isOid,
  localRefs,
  nameOfPlan,
  notesRef,
  planBranch,
  planRefs,
  stashRef,
  type Oid,
  type PlanId,
} from '../../plan/model/ids.ts'
import type { Ref, Repository } from '../../git/repository.ts'
import { describePaths } from '../../git/read/raw-path.ts'
import { WorkTree } from '../../git/worktree/work-tree.ts'
import { workTreeOf } from '../../git/worktree/worktrees.ts'
import { resolvePlanName } from '../../store/resolve-plan.ts'
import { readPlanAt, tipOfPlan } from '../../store/plan-at.ts'
import { damageOf, filledAsideOf, handToGit } from '../../engine/switch/autostash.ts'
import { readIntent } from '../../engine/workspace/intent.ts'
import { acquireLock } from '../../engine/run/lock.ts'
import { asideFolder, PlanDir } from '../../engine/workspace/plan-dir.ts'
import { isPoolInterrupted, removePool } from '../../engine/pool/remove-pool.ts'
import { recover } from '../../engine/run/recover.ts'
import { recoverRemoval, removeRefs } from '../../engine/run/remove-refs.ts'
import { Run } from '../../engine/run/run.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { goBack } from '../../engine/switch/go-back.ts'
import { runSettings, type Settings } from '../../operation/settings.ts'
import { withRepo, runEnvironment } from '../../operation/with-run.ts'
import type { DeletedData } from '../../operation/results.ts'

/**
 * Lists the directories with the user's only copies: files moved aside by a rollback, a switch or the plan's own work
 * tree, and quarantined files. All other changes of steps are in the attempts.
 */
async function filesOfUser(dir: PlanDir): Promise<string[]> {
  const kept: string[] = []
  for (const name of await readdir(dir.file(asideFolder)).catch(() => [] as string[])) {
    if (!/^(rollback|switch|attempt|finish|worktree|replan|quarantine-.+)-\d+$/.test(name)) continue
    const files = await readdir(dir.file(asideFolder, name), { recursive: true, withFileTypes: true })
    if (files.some((file) => !file.isDirectory())) kept.push(dir.file(asideFolder, name))
  }
  return kept
}

export function deletePlan(
  request: { readonly plan: string; readonly force?: boolean },
  context: CommandContext,
): Promise<CommandResult<DeletedData>> {
  return withRepo(context, async (repo, settings) => {
    const interrupted = await interruptedDeletion(repo, request.plan)
    if (interrupted !== undefined) return finishDeleting(repo, interrupted, context)
    const id = await resolvePlanName(repo, request.plan)
    const { tip, isBranch } = await tipOfPlan(repo, id)
    const dir = new PlanDir(repo.commonDir, id)
    const planAtTip = await readPlanAt(repo, tip, { id, file: `${settings.dir}/${id}.md` }).catch(() => undefined)
    const status = planAtTip?.status
    if (request.force === true && (await workTreeOf(repo, planBranch(id))) !== undefined)
      await leaveTree(context, { repo, settings, id })
    const claim = claimOf(context)
    const lock = await acquireLock(dir, claim, { plan: id })
    try {
      const pool = { id, dir, home: repo, emit: context.emit }
      if (!(await recoverRemoval({ dir, repo, id })) || (await isPoolInterrupted(pool)))
        throw new PlanError('wrong-state', `a run of ${id} was interrupted`, { hint: `git plan cancel ${id}` })
      const tree = await workTreeOf(repo, planBranch(id))
      if (tree !== undefined)
        throw new PlanError('wrong-state', `plan/${id} is checked out in ${tree.root}`, {
          hint:
            request.force === true
              ? `git -C ${tree.root} switch ${planAtTip?.base ?? 'BRANCH'} && git plan delete ${id} --force`
              : status === 'completed'
                ? { 'merge it': `git plan finish ${id}`, 'delete it unmerged': `git plan delete ${id} --force` }
                : `git plan cancel ${id}`,
        })
      const isUnused =
        (status === 'proposed' || status === 'rejected') &&
        planAtTip?.state.size === 0 &&
        (await repo.refs(planRefs(id))).length === 0
      if (
        request.force !== true &&
        isBranch &&
        !isUnused &&
        (status === undefined || !isFinal(status) || status === 'completed')
      ) {
        throw new PlanError(
          'wrong-state',
          `plan ${id} is ${status ?? 'unreadable'}${status === 'completed' ? ' and not finished' : ''}`,
          {
            hint: {
              [status === 'completed' ? 'merge it' : 'cancel it']:
                `git plan ${status === 'completed' ? 'finish' : 'cancel'} ${id}`,
              'delete it anyway': `git plan delete ${id} --force`,
            },
          },
        )
      }
      const kept = await filesOfUser(dir)
      if (kept.length > 0 && request.force !== true) {
        throw new PlanError(
          'wrong-state',
          `files that ${id} moved out of the way, or that hold secrets, are in ${kept.join(', ')}`,
          {
            hint: `copy the files that you need, then: git plan delete ${id} --force`,
          },
        )
      }
      const local = await repo.refs(localRefs(id))
      const stash = local.find(({ name }) => name.endsWith('/stash'))?.oid
      if (stash !== undefined && request.force !== true) {
        throw new PlanError('wrong-state', `your changes from before ${id} are still stashed`, {
          hint: {
            'restore them': `git plan ${status === 'completed' ? 'finish' : 'cancel'} ${id}`,
            "move them to Git's stash": `git plan delete ${id} --force`,
          },
        })
      }
      if (stash !== undefined) {
        const hand = { id, dir, world: context }
        const damage = await damageOf({ repo, dir, id }, stash)
        if (damage !== undefined) await reportDamagedStash(hand, stash)
        else
          await repo.store.withKeptObjects(() =>
            handToGit(hand, { stash, inTheWay: [], ignoring: [], tree: new WorkTree(repo, dir.path) }),
          )
      }
      await removePool(pool)
      return await removeAll({ dir, repo, id }, { ...claim, now: context.now(), tip })
    } finally {
      await lock.release()
      // Fails on purpose if the directory is not empty.
      await rmdir(dir.path).catch(() => {})
    }
  })
}

/** The stash ref is removed with the others. The untracked files that were moved aside have no other copy and stay. */
async function reportDamagedStash(
  { id, dir, world }: { id: PlanId; dir: PlanDir; world: Pick<CommandContext, 'emit'> },
  stash: Oid,
): Promise<void> {
  const aside = await filledAsideOf(dir)
  const to = aside === undefined ? undefined : await dir.newAside('stash')
  if (aside !== undefined && to !== undefined) await rename(aside, to)
  const files = to === undefined ? '' : `; untracked files are in ${to}`
  world.emit({ kind: 'notice', message: `removing ${stashRef(id)} (${stash}), which is not a complete stash${files}` })
}

/** A killed deletion leaves its intent, even if everything else of the plan is already gone. */
async function interruptedDeletion(repo: Repository, name: string): Promise<{ id: PlanId; tip: Oid } | undefined> {
  const id = nameOfPlan(name)
  const intent = isId(id) ? await readIntent(new PlanDir(repo.commonDir, id as PlanId)) : undefined
  if (intent?.run.startsWith('delete-') !== true || !isOid(intent.input)) return undefined
  // Another plan may have the same name by now.
  const now = await repo.tipOf(planBranch(id as PlanId))
  return now === undefined || now === intent.input ? { id: id as PlanId, tip: intent.input as Oid } : undefined
}

async function finishDeleting(
  repo: Repository,
  { id, tip }: { id: PlanId; tip: Oid },
  context: CommandContext,
): Promise<CommandResult<DeletedData>> {
  const dir = new PlanDir(repo.commonDir, id)
  const claim = claimOf(context)
  const lock = await acquireLock(dir, claim, { plan: id })
  try {
    await recoverRemoval({ dir, repo, id })
    return await removeAll({ dir, repo, id }, { ...claim, now: context.now(), tip })
  } finally {
    await lock.release()
    await rmdir(dir.path).catch(() => {})
  }
}

/** Runs under the lock and after all refusals: also removes the files that were moved aside. */
async function removeAll(
  { dir, repo, id }: { dir: PlanDir; repo: Repository; id: PlanId },
  by: { run: string; now: Date; tip: Oid },
): Promise<CommandResult<DeletedData>> {
  // The branch goes last: while it exists, the plan can still be named.
  const refs = await repo.refs(planRefs(id), notesRef(id), localRefs(id), planBranch(id))
  const isBranch = ({ name }: Ref): boolean => name === planBranch(id)
  const ordered = [
    ...refs.filter((ref) => !isBranch(ref)),
    ...refs.filter(isBranch).map((ref) => ({ ...ref, oid: by.tip })),
  ]
  const files = async (): Promise<void> => {
    const aside = (await readdir(dir.file(asideFolder)).catch(() => [] as string[])).map((name) =>
      join(asideFolder, name),
    )
    // Files that Git's stash cannot restore as they were: there is no other copy.
    const isKept = (name: string): boolean =>
      /^(lock-|intent\.|aside\/stash-)/.test(name) || (name === asideFolder && aside.some(isKept))
    for (const name of [...aside, ...dir.list()])
      if (!isKept(name)) await rm(dir.file(name), { recursive: true, force: true })
  }
  await removeRefs({ dir, repo, id }, ordered, { ...by, alsoRemove: files })
  return {
    kind: 'deleted',
    exitCode: 0,
    data: {
      id,
      tip: by.tip,
      refs: ordered.map(({ name }) => name),
      message: `Deleted ${id}; to restore it: git branch plan/${id} ${by.tip.slice(0, 12)}`,
    },
  }
}

const claimOf = (context: CommandContext) => ({
  run: `delete-${process.pid}`,
  command: 'delete',
  since: context.now().toISOString(),
})

/**
 * A branch that is checked out cannot be deleted, so the work tree leaves it first. The plan itself may be unreadable.
 */
async function leaveTree(
  context: CommandContext,
  { repo, settings, id }: { repo: Repository; settings: Settings; id: PlanId },
): Promise<void> {
  const run = await Run.open({
    repo,
    id,
    command: 'delete',
    settings: runSettings(settings),
    world: runEnvironment(context),
  })
  try {
    await recover(run)
    if (run.tree === undefined) return
    const scan = await run.tree.scan()
    const dirty = [...scan.changed, ...scan.untracked, ...scan.nested]
    if (dirty.length > 0)
      throw new PlanError(
        'dirty-tree',
        `the work tree ${run.tree.root} has uncommitted changes: ${describePaths(dirty)}`,
        {
          hint: `git -C ${run.tree.root} stash --include-untracked && git plan delete ${id} --force`,
        },
      )
    await goBack(run)
  } finally {
    await run.close()
  }
}
