// Where a plan runs: in the user's work tree, which is put back afterwards, or in one of its own.

import { mkdir, realpath, rename, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { PlanError } from '../../errors.ts'
import { copyEntry } from '../../git/write/durable-fs.ts'
import { differsOnlyAt } from '../../git/read/differs-only-at.ts'
import { Inside } from '../../git/worktree/no-follow-stat.ts'
import { describePaths, onDisk, shown, splitRaw, rawPath, type RawPath } from '../../git/read/raw-path.ts'
import { cannotHold, refuseSubmodules } from '../../git/worktree/stash.ts'
import type { Repository } from '../../git/repository.ts'
import { makeDirectoriesOf, TreeFiles } from '../../git/worktree/tree-files.ts'
import { WorkTree, type Scan } from '../../git/worktree/work-tree.ts'
import { addWorkTree, listWorkTrees } from '../../git/worktree/worktrees.ts'
import { wordOf } from '../../process/shell-words.ts'
import { putAside, returnStash, stashOf, wholeStashOf } from './autostash.ts'
import { bringAlong, checkout } from '../workspace/checkout.ts'
import { recallPreserved, rememberIgnored, scanWorkspace } from '../workspace/preserved-ignored.ts'
import { dropLocal, existing, otherPlanAt, readOrigin, rememberOrigin, treeName } from './origin.ts'
import { runSetup } from '../step/plan-command.ts'
import type { Run } from '../run/run.ts'
import { undoPartialCheckout } from './undo-partial-checkout.ts'

export interface PlaceOptions {
  readonly autostash: boolean
  readonly worktree: boolean
  /** Untracked files that may lie there: the plan file that \`start\` was given. */
  readonly adopted?: readonly RawPath[]
  /** What `refuseDirty` has found, if nothing can have changed since. */
  readonly scan?: Scan | undefined
}

/**
 * Makes the plan's branch the one that is checked out, here or in a work tree of its own, which is prepared. Answers
 * whether the work tree is known to be clean.
 */
export async function enter(run: Run, options: PlaceOptions): Promise<boolean> {
  const isClean = run.tree === undefined && (await goThere(run, options))
  await prepareOwnTree(run)
  return isClean
}

async function goThere(run: Run, options: PlaceOptions): Promise<boolean> {
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
  // The same files under the same rules: what was scanned before the switch holds after it.
  const isSame = await differsOnlyAt(
    run.repo,
    await run.repo.resolve('HEAD', 'tree'),
    await run.repo.resolve(run.at.tip, 'tree'),
    run.planPath,
  )
  await run.intend({ kind: 'enter', input: run.at.tip, isStashing })
  await rememberOrigin(run)
  try {
    if (isStashing) await putAside(run)
    await checkout(run.checkedOut, run.branch)
  } catch (error) {
    // Where this fails as well, the intent stays, and the next command does the rest: what to say is why it began.
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

/** A work tree of the plan's own gets what `.worktreeinclude` names, and `setup`; again, if that did not come through. */
async function prepareOwnTree(run: Run): Promise<void> {
  const own = (await run.dir.readJson('own-tree.json'))?.value as { root?: string; isPrepared?: boolean } | undefined
  if (own?.root !== run.checkedOut.tree.root || own.isPrepared !== false) return
  await copyIncluded(run.home, run.checkedOut.tree.root, run)
  await scanWorkspace(run.checkedOut)
  await runSetup(run.worker)
  await run.dir.writeJson('own-tree.json', { ...own, isPrepared: true })
}

/** The user's work tree, where the plan is going to run in it: before a decision is asked for or recorded that could then not be carried out. */
export async function holdPlace(run: Run, options: { worktree: boolean }): Promise<void> {
  if (run.tree === undefined && !options.worktree) await run.holdWorkTree(run.repo)
}

/** Whether the plan could be run here, before anything is done about it. */
export async function refuseDirty(run: Run, options: PlaceOptions): Promise<Scan> {
  const here = new WorkTree(run.repo, run.dir.path)
  await refuseUnfinished(run.repo)
  const scan = await here.scan()
  const adopted = new Set([rawPath(run.planPath), ...(options.adopted ?? [])])
  const dirty = [...scan.changed, ...scan.untracked].filter((path) => !adopted.has(path))
  if (scan.nested.length > 0) throw cannotHold(scan.nested)
  if (dirty.length > 0 && !options.autostash) {
    await refuseSecondStash(run, scan)
    throw dirtyTree(run, dirty)
  }
  // Only a plan that has not begun can be told where to run.
  await refuseSubmodules(here, scan, run.at.plan.state.size === 0 ? `git plan start ${run.id} --worktree` : undefined)
  return scan
}

/** One set of things is put aside for a plan, and it is still there: a second one would have to be told apart when it comes back. */
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
 * Back to where the user was, with what was put aside; says where that is. The plan's branch may be gone by now. `isAgain`: an earlier way back
 * was interrupted while it switched.
 */
export async function leave(run: Run, { isAgain = false } = {}): Promise<string> {
  const origin = await readOrigin(run)
  const { tree: place, repo } = run.checkedOut
  if (origin === undefined || origin.tree !== treeName(place.repo)) {
    run.forgetWorkspace()
    return ''
  }
  const isThere = (await repo.headBranch()) === run.branch
  if (isThere || isAgain) await run.intend({ kind: 'leave', input: run.at?.tip ?? origin.commit })
  if (isThere) {
    const to = await existing(run, origin)
    const target = isAgain ? await repo.resolve(to) : undefined
    if (target !== undefined) await undoPartialCheckout(run, place, { target, saved: undefined, sparing: [] })
    await checkout(run.checkedOut, to)
  } else if (isAgain && run.at !== undefined && (await otherPlanAt(repo, origin)) === undefined) {
    await bringAlong(place, { from: run.at.tip, to: await repo.headCommit() })
  }
  const head = await repo.headBranch()
  const commit = (await repo.headCommit()).slice(0, 10)
  await restoreHere(run)
  if (head !== undefined) return `back on ${head.replace('refs/heads/', '')}`
  return `HEAD is detached at ${commit}${origin.branch === undefined ? '' : `, since ${origin.branch.replace('refs/heads/', '')} is gone`}`
}

/** What was put aside for a plan that is checked out nowhere, its branch gone perhaps: into the work tree that it was taken from, else into this one. */
export async function restoreAside(run: Run): Promise<void> {
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
        hint: `git -C ${wordOf(root)} switch ${wordOf(origin?.branch?.slice('refs/heads/'.length) ?? 'main')}`,
      },
    )
  await refuseUnfinished(run.repo)
  await restoreHere(run)
}

/**
 * Restores what was put aside into the run's work tree, and leaves that. Nothing is switched, so after a kill this alone is done again:
 * a file here that is like one of the plan's is still the user's.
 */
export async function restoreHere(run: Run): Promise<void> {
  const { tree: place, repo } = run.checkedOut
  const other = await otherPlanAt(repo, await readOrigin(run))
  if (other === undefined) {
    await run.holdWorkTree()
    await run.intend({ kind: 'restore', input: await repo.headCommit() })
    await returnStash(run)
    await dropLocal(run)
  } else if ((await stashOf(run)) !== undefined) {
    run.world.emit({
      kind: 'notice',
      message: `your changes from before ${run.id} were not restored: ${other} is checked out in ${place.root}`,
      hint: `after switching to another branch: git plan doctor --restore ${run.id}`,
    })
  }
  await run.settle()
  run.forgetWorkspace()
}

/** The switch to the plan's branch did not come through: everything as it was before. */
export async function undoEnter(run: Run, { isStashing }: { isStashing: boolean }): Promise<void> {
  const { tree: place } = run.checkedOut
  const isStashed = (await stashOf(run)) !== undefined
  if (isStashing && !isStashed) {
    // Nothing was touched yet, or everything is back: what lies there is the user's.
    await dropLocal(run)
    run.forgetWorkspace()
    return
  }
  // A plan file of the user's that is not in a stash yet was there before; with a stash it is the checkout's.
  await undoPartialCheckout(run, place, {
    target: run.at.tip,
    saved: await wholeStashOf(run),
    sparing: isStashed ? [] : [rawPath(run.planPath)],
  })
  await returnStash(run)
  await dropLocal(run)
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

/** Puts the plan's own work tree away: moved aside, so that what was ignored in it can still be found. One that we did not make stays. */
export async function removeOwnTree(run: Run): Promise<void> {
  const { tree: place } = run.checkedOut
  const { root } = place
  const own = (await run.dir.readJson('own-tree.json'))?.value as { root?: string } | undefined
  if (own?.root !== root || run.home.root === root) {
    run.world.emit({ kind: 'notice', message: `plan/${run.id} stays checked out in ${root}` })
    return
  }
  const scan = await place.scan()
  const dirty = [...scan.changed, ...scan.untracked, ...scan.nested]
  if (dirty.length > 0)
    throw new PlanError('dirty-tree', `the plan's work tree ${root} has changes: ${describePaths(dirty)}`, {
      hint: `git -C ${root} status`,
    })
  const aside = await run.dir.newAside('worktree')
  try {
    await rename(root, join(aside, 'tree'))
  } catch {
    run.world.emit({
      kind: 'notice',
      message: `the plan's work tree is kept at ${root}`,
      hint: `git worktree remove ${root}`,
    })
    return
  }
  // The directory around it, if that was ours alone.
  await rmdir(dirname(root)).catch(() => {})
  run.forgetWorkspace()
  await run.dir.remove('own-tree.json')
  await run.home.git.run(['worktree', 'prune'])
}

/** Ignored files that `.worktreeinclude` names (patterns as in .gitignore) are copied into a work tree of the plan's own. */
async function copyIncluded(source: Repository, to: string, run: Run): Promise<void> {
  const from = source.root
  if (from === to) return
  const list = join(from, '.worktreeinclude')
  if ((await stat(list).catch(() => undefined)) === undefined) return
  const ignored = (await new WorkTree(source, run.dir.path).scan()).ignored
  const { stdout } = await source.git.run(['ls-files', '-o', '-i', '-z', `--exclude-from=${list}`])
  for (const path of await filesOf(
    from,
    splitRaw(stdout).filter((each) => ignored.covers(each)),
  )) {
    // What the branch has there stays, and nothing is written through a link of its.
    if ((await new Inside(to).look(path)).kind !== 'absent') continue
    await makeDirectoriesOf(path, { from, to })
    await copyEntry(onDisk(from, path), onDisk(to, path))
  }
}

/** With the files of repositories inside, which git lists as directories. */
async function filesOf(root: string, paths: readonly RawPath[]): Promise<RawPath[]> {
  const files = new TreeFiles(root)
  const all = paths.map(async (path) =>
    path.endsWith('/') ? ((await files.filesBelow(path.slice(0, -1) as RawPath)) ?? []) : [path],
  )
  return (await Promise.all(all)).flat()
}

const unfinished: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'merge --abort',
  'rebase-merge': 'rebase --abort',
  'rebase-apply': 'rebase --abort',
  CHERRY_PICK_HEAD: 'cherry-pick --abort',
  REVERT_HEAD: 'revert --abort',
  BISECT_LOG: 'bisect reset',
}

/** In the middle of a merge or rebase nothing may be switched, and nothing of it can be put aside. */
export async function refuseUnfinished(repo: Repository): Promise<void> {
  for (const [name, remedy] of Object.entries(unfinished)) {
    if ((await stat(join(repo.gitDir, name)).catch(() => undefined)) === undefined) continue
    throw new PlanError('dirty-tree', `a ${remedy.split(' ')[0]} is in progress in this work tree`, {
      hint: { 'finish it, or abort it': `git ${remedy}` },
    })
  }
}

function dirtyTree(run: Run, paths: readonly RawPath[]): PlanError {
  return new PlanError('dirty-tree', `the work tree has uncommitted changes: ${describePaths(paths)}`, {
    hint:
      run.at.plan.state.size > 0
        ? { 'stash them while the plan runs': `git plan resume ${run.id} --autostash` }
        : {
            'stash them while the plan runs': `git plan start ${run.id} --autostash`,
            'use a separate work tree': `git plan start ${run.id} --worktree`,
          },
    facts: { paths: paths.map(shown) },
  })
}
