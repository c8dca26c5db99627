// Enters and leaves the work tree in which a plan runs: the user's, which is restored afterwards, or a separate one.

import { mkdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { PlanError } from '../../errors.ts'
import { differsOnlyAt } from '../../git/read/differs-only-at.ts'
import { describePaths, shown, rawPath, type RawPath } from '../../git/read/raw-path.ts'
import { cannotStoreError, refuseSubmodules } from '../../git/worktree/stash.ts'
import { WorkTree, type Scan } from '../../git/worktree/work-tree.ts'
import { addWorkTree, listWorkTrees } from '../../git/worktree/worktrees.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import { saveAutostash, restoreAutostash, stashOf, wholeStashOf } from './autostash.ts'
import { updateStaleFiles, checkout } from '../workspace/checkout.ts'
import { copyIgnored, linkIgnored } from '../workspace/ignored-files.ts'
import { recallPreserved, rememberIgnored, scanWorkspace } from '../workspace/preserved-ignored.ts'
import { removeOrigin, returnTarget, otherPlanAt, readOrigin, rememberOrigin, treeName } from './origin.ts'
import { runSetup } from '../step/plan-command.ts'
import type { Run } from '../run/run.ts'
import { undoPartialCheckout } from './undo-partial-checkout.ts'

export interface EnterOptions {
  readonly autostash: boolean
  readonly worktree: boolean
  /** Untracked files that may exist: the plan file that `start` was given. */
  readonly adopted?: readonly RawPath[]
  /** The file that `start` was given, for hints; default: the id of the plan. */
  readonly target?: string | undefined
  /** The result of `refuseDirty`, if nothing can have changed since. */
  readonly scan?: Scan | undefined
}

/**
 * Checks out the plan's branch, here or in its own work tree, which is prepared. Returns true if the work tree is known
 * to be clean.
 */
export async function enter(run: Run, options: EnterOptions): Promise<boolean> {
  const isClean = run.tree === undefined && (await checkOutPlan(run, options))
  await prepareOwnTree(run)
  return isClean
}

async function checkOutPlan(run: Run, options: EnterOptions): Promise<boolean> {
  if (options.worktree) {
    await enterOwnTree(run)
    await run.holdWorkTree()
    return false
  }
  await run.holdWorkTree(run.repo)
  const scan = options.scan ?? (await refuseDirty(run, options))
  if (scan.changed.length + scan.untracked.length > 0) await refuseSecondStash(run, scan)
  run.useWorkspace(run.repo.root, run.repo.gitDir)
  const isStashing = scan.changed.length + scan.untracked.length > 0
  // The same files and ignore rules, so the scan from before the checkout is still valid after it.
  const isSame = await differsOnlyAt(
    run.repo,
    await run.repo.resolve('HEAD', 'tree'),
    await run.repo.resolve(run.at.tip, 'tree'),
    run.planPath,
  )
  await run.intend({ kind: 'enter', input: run.at.tip, isStashing })
  await rememberOrigin(run)
  try {
    if (isStashing) await saveAutostash(run)
    await checkout(run.checkedOut, run.branch)
  } catch (error) {
    // If this fails too, the intent stays and the next command undoes the rest; the first error is the one to report.
    await undoEnter(run, { isStashing })
      .then(() => run.settle())
      .catch(() =>
        run.world.emit({
          kind: 'notice',
          message: `the checkout of ${run.id} is incomplete: the next command undoes it and restores your changes`,
        }),
      )
    throw error
  }
  await run.settle()
  if (isStashing || !isSame) return false
  await recallPreserved(run.checkedOut)
  rememberIgnored(run.checkedOut, scan)
  return true
}

/** Adds ignored files of the user's and runs `setup` in the plan's own work tree; repeated until it succeeds. */
async function prepareOwnTree(run: Run): Promise<void> {
  const own = (await run.dir.readJson('own-tree.json'))?.value as { root?: string; isPrepared?: boolean } | undefined
  if (own?.root !== run.checkedOut.tree.root || own.isPrepared !== false) return
  await copyIgnored(run.home, run.checkedOut)
  await linkIgnored(run.home, run.checkedOut)
  await scanWorkspace(run.checkedOut)
  await runSetup(run.worker)
  await run.dir.writeJson('own-tree.json', { ...own, isPrepared: true })
}

/** Locks the user's work tree before a decision is asked for or recorded that could then not be carried out. */
export async function holdUserTree(run: Run, options: { worktree: boolean }): Promise<void> {
  if (run.tree === undefined && !options.worktree) await run.holdWorkTree(run.repo)
}

/** Refuses a work tree in which the plan could not run, before anything is done. */
export async function refuseDirty(run: Run, options: EnterOptions): Promise<Scan> {
  const here = new WorkTree(run.repo, run.dir.path)
  const target = quoteIfNeeded(options.target ?? run.id)
  await refuseUnfinished(run.repo)
  const scan = await here.scan()
  const adopted = new Set([rawPath(run.planPath), ...(options.adopted ?? [])])
  const dirty = [...scan.changed, ...scan.untracked].filter((path) => !adopted.has(path))
  if (scan.nested.length > 0) throw cannotStoreError(scan.nested)
  if (dirty.length > 0 && !options.autostash) {
    await refuseSecondStash(run, scan)
    throw dirtyTreeError(run, dirty, target)
  }
  // The work tree can only be chosen before the plan has begun.
  await refuseSubmodules(here, scan, run.at.plan.state.size === 0 ? `git plan start ${target} --worktree` : undefined)
  return scan
}

/** A plan has one autostash, and it still exists: a second one could not be told apart when it is restored. */
async function refuseSecondStash(run: Run, scan: Scan): Promise<void> {
  const stash = await stashOf(run)
  if (stash === undefined) return
  const paths = [...scan.changed, ...scan.untracked]
  throw new PlanError(
    'dirty-tree',
    `the work tree has changes (${describePaths(paths)}), and your changes from before the plan are still autostashed`,
    {
      hint: 'git stash --include-untracked',
    },
  )
}

/**
 * Switches back to the user's branch and restores the autostash. Returns the new position for a message. The plan's
 * branch may be gone by now. `isAgain`: an earlier attempt was interrupted during the checkout.
 */
export async function leave(run: Run, { isAgain = false } = {}): Promise<string> {
  const origin = await readOrigin(run)
  const { tree, repo } = run.checkedOut
  if (origin === undefined || origin.tree !== treeName(tree.repo)) {
    run.forgetWorkspace()
    return ''
  }
  const isThere = (await repo.headBranch()) === run.branch
  if (isThere || isAgain) await run.intend({ kind: 'leave', input: run.at?.tip ?? origin.commit })
  if (isThere) {
    const to = await returnTarget(run, origin)
    const target = isAgain ? await repo.resolve(to) : undefined
    if (target !== undefined)
      await undoPartialCheckout(run, tree, { target, saved: undefined, sparing: [], sparesOthers: true })
    await checkout(run.checkedOut, to)
  } else if (isAgain && run.at !== undefined && (await otherPlanAt(repo, origin)) === undefined) {
    await updateStaleFiles(tree, { from: run.at.tip, to: await repo.headCommit() })
  }
  const head = await repo.headBranch()
  const commit = (await repo.headCommit()).slice(0, 10)
  await restoreHere(run)
  const isGone = origin.branch !== undefined && (await run.home.tipOf(origin.branch)) === undefined
  const why = isGone
    ? `, since ${origin.branch?.replace('refs/heads/', '')} is gone (it was at ${origin.commit.slice(0, 10)})`
    : ''
  if (head === undefined) return `HEAD is detached at ${commit}${why}`
  return `${isGone ? 'on' : 'back on'} ${head.replace('refs/heads/', '')}${why}`
}

/**
 * Restores the autostash of a plan that is not checked out, or whose branch is gone, in the work tree it came from,
 * otherwise in this one.
 */
export async function restoreWithoutCheckout(run: Run): Promise<void> {
  const origin = await readOrigin(run)
  const trees = origin === undefined ? [] : await listWorkTrees(run.repo)
  const { root, gitDir } =
    trees.find((tree) => treeName({ gitDir: tree.gitDir, commonDir: run.repo.commonDir }) === origin?.tree) ?? run.home
  run.useWorkspace(root, gitDir)
  await run.holdWorkTree()
  const other = await otherPlanAt(run.repo, origin)
  if (other !== undefined)
    throw new PlanError(
      'wrong-state',
      `${other} is checked out in ${root}: changes restored there would become part of it`,
      {
        hint: `git -C ${quoteIfNeeded(root)} switch ${quoteIfNeeded(origin?.branch?.slice('refs/heads/'.length) ?? 'main')}`,
      },
    )
  await refuseUnfinished(run.repo)
  await restoreHere(run)
}

/**
 * Restores the autostash in the run's work tree and leaves it. Nothing is checked out, so after a kill only this is
 * repeated: a file here that equals one of the plan is still the user's.
 */
export async function restoreHere(run: Run): Promise<void> {
  const { tree, repo } = run.checkedOut
  const other = await otherPlanAt(repo, await readOrigin(run))
  if (other === undefined) {
    await run.holdWorkTree()
    await run.intend({ kind: 'restore', input: await repo.headCommit() })
    await restoreAutostash(run)
    await removeOrigin(run)
  } else if ((await stashOf(run)) !== undefined) {
    run.world.emit({
      kind: 'notice',
      message: `your changes from before ${run.id} were not restored: ${other} is checked out in ${tree.root}`,
      hint: `after switching to another branch: git plan doctor --restore ${run.id}`,
    })
  }
  await run.settle()
  run.forgetWorkspace()
}

/** Undoes a failed switch to the plan's branch. */
export async function undoEnter(run: Run, { isStashing }: { isStashing: boolean }): Promise<void> {
  const { tree } = run.checkedOut
  const isStashed = (await stashOf(run)) !== undefined
  if (isStashing && !isStashed) {
    // Nothing was touched yet, or everything is restored: the files are the user's.
    await removeOrigin(run)
    run.forgetWorkspace()
    return
  }
  // A plan file without a stash was the user's before; with a stash it comes from the checkout.
  await undoPartialCheckout(run, tree, {
    target: run.at.tip,
    saved: await wholeStashOf(run),
    sparing: isStashed ? [] : [rawPath(run.planPath)],
  })
  await restoreAutostash(run)
  await removeOrigin(run)
  run.forgetWorkspace()
}

async function enterOwnTree(run: Run): Promise<void> {
  const { root } = run.repo
  const parent = run.settings.worktreeDir ?? join(dirname(root), `${basename(root)}.plans`)
  const path = join(parent, run.id)
  if ((await stat(path).catch(() => undefined)) !== undefined) {
    throw new PlanError('usage', `${path} already exists and is not the work tree of plan/${run.id}`, {
      hint: 'git config plan.worktreeDir DIRECTORY',
    })
  }
  await mkdir(parent, { recursive: true })
  await run.dir.writeJson('own-tree.json', { root: join(await realpath(parent), run.id), isPrepared: false })
  const made = await addWorkTree(run.repo, path, run.branch)
  run.useWorkspace(made.root, made.gitDir)
}

/** The command that ends each, and the one that continues it once its conflicts are resolved. */
const unfinished: Readonly<Record<string, readonly [string, string?]>> = {
  MERGE_HEAD: ['merge --abort', 'commit'],
  'rebase-merge': ['rebase --abort', 'rebase --continue'],
  'rebase-apply': ['rebase --abort', 'rebase --continue'],
  CHERRY_PICK_HEAD: ['cherry-pick --abort', 'cherry-pick --continue'],
  REVERT_HEAD: ['revert --abort', 'revert --continue'],
  BISECT_LOG: ['bisect reset'],
}

/** During a merge or rebase nothing may be checked out, and its state cannot be stashed. */
export async function refuseUnfinished(
  tree: { readonly root: string; readonly gitDir: string },
  home: { readonly root: string } = tree,
): Promise<void> {
  const isHere = tree.root === home.root
  const git = isHere ? 'git' : `git -C ${quoteIfNeeded(tree.root)}`
  for (const [name, [end, proceed]] of Object.entries(unfinished)) {
    if ((await stat(join(tree.gitDir, name)).catch(() => undefined)) === undefined) continue
    throw new PlanError(
      'dirty-tree',
      `a ${end.split(' ')[0]} is in progress in ${isHere ? 'this work tree' : tree.root}`,
      {
        hint: {
          ...(proceed === undefined ? {} : { 'once its conflicts are resolved': `${git} ${proceed}` }),
          [proceed === undefined ? 'end it' : 'or abort it']: `${git} ${end}`,
        },
      },
    )
  }
}

function dirtyTreeError(run: Run, paths: readonly RawPath[], target: string): PlanError {
  return new PlanError('dirty-tree', `the work tree has uncommitted changes: ${describePaths(paths)}`, {
    hint:
      run.at.plan.state.size > 0
        ? { 'stash them while the plan runs': `git plan resume ${run.id} --autostash` }
        : {
            'stash them while the plan runs': `git plan start ${target} --autostash`,
            'use a separate work tree': `git plan start ${target} --worktree`,
          },
    facts: { paths: paths.map(shown) },
  })
}
