// The autostash: the user's changes from before the plan, saved under a local ref of the plan and restored from it. The
// ref exists before anything is removed from the work tree and is deleted once everything is restored, so both can be
// repeated after a kill.

import { readdir } from 'node:fs/promises'
import { lstatSync } from 'node:fs'
import { basename, join } from 'node:path'
import { PlanError } from '../../errors.ts'
import { findInGitStash, storeInGitStash } from '../../git/worktree/git-stash.ts'
import { describePaths, filesText, rawPath, shown, type RawPath } from '../../git/read/raw-path.ts'
import { isWholeStash, readStash } from '../../git/worktree/read-stash.ts'
import type { Repository } from '../../git/repository.ts'
import { blobIdAt, clearStashed, restoreStash, saveStash } from '../../git/worktree/stash.ts'
import { stashedPaths } from '../../git/worktree/stashed-paths.ts'
import type { Scan, WorkTree } from '../../git/worktree/work-tree.ts'
import { originRef, stashRef, type Oid, type PlanId } from '../../plan/model/ids.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import { asideFolder, type PlanDir } from '../workspace/plan-dir.ts'
import type { Run } from '../run/run.ts'

/** The target of the ref, whatever it is: see damageOf. */
export const stashOf = async ({
  repo,
  id,
}: {
  readonly repo: Repository
  readonly id: PlanId
}): Promise<Oid | undefined> => (await repo.refs(stashRef(id))).find(({ name }) => name === stashRef(id))?.oid

/** undefined: there is no stash, or it is damaged. */
export async function wholeStashOf(run: Run): Promise<Oid | undefined> {
  const stash = await stashOf(run)
  return stash === undefined || (await damageOf(run, stash)) !== undefined ? undefined : stash
}

/** The error for a stash that cannot be restored: something has moved its ref, or objects are missing. */
export async function damageOf(
  { repo, dir, id }: Pick<Run, 'repo' | 'dir' | 'id'>,
  stash: Oid,
): Promise<PlanError | undefined> {
  if (await isWholeStash(repo, stash)) return undefined
  const aside = await filledAsideOf(dir)
  const files = aside === undefined ? '' : `; untracked files are in ${aside}`
  return new PlanError(
    'cannot-save',
    `your changes from before ${id} cannot be restored: ${stashRef(id)} (${stash}) is not a complete stash${files}`,
    {
      hint: `once you no longer need it: git update-ref -d ${stashRef(id)}`,
    },
  )
}

export async function saveAutostash(run: Run): Promise<void> {
  const message = `git plan: the work tree before ${run.id}`
  const aside = await run.dir.newAside('autostash')
  await run.dir.writeJson('autostash.json', { aside })
  // Scanned after all waiting is over: exactly what is saved is removed, and nothing that appeared later.
  const { tree, repo } = run.checkedOut
  await run.withKeptObjects(async () => {
    const scan = await tree.scan()
    const before = tree.stampsOf(scan)
    const stash = await saveStash(tree, scan, message)
    const isAsSaved =
      tree.stampsOf(scan) === before && (scan.changed.length === 0 || isSameScan(scan, await tree.scan()))
    if (!isAsSaved)
      throw new PlanError('dirty-tree', 'the work tree changed while it was being stashed; nothing was done', {
        hint: `wait for the program that writes there, then: git plan ${run.at.plan.state.size > 0 ? 'resume' : 'start'} ${run.id} --autostash`,
      })
    await repo.moveRefs([{ ref: stashRef(run.id), from: undefined, to: stash }])
    await clearStashed(tree, scan, aside)
    const paths = [...scan.changed, ...scan.untracked].filter((path) => path !== rawPath(run.planPath)).toSorted()
    if (paths.length > 0)
      run.world.emit({
        kind: 'notice',
        message: `autostashed ${filesText(paths.map(shown))}; finish and cancel restore them`,
      })
  })
}

const isSameScan = (one: Scan, other: Scan): boolean =>
  (['changed', 'untracked'] as const).every(
    (kind) => one[kind].toSorted().join('\0') === other[kind].toSorted().join('\0'),
  )

/** Restores the stash into the run's work tree. If a stashed file has changed since, Git's stash gets all of it. */
export async function restoreAutostash(run: Run): Promise<void> {
  const { tree, repo } = run.checkedOut
  const stash = await stashOf(run)
  if (stash === undefined) return
  const damage = await damageOf(run, stash)
  if (damage !== undefined) {
    // Leaving a plan must stay possible; the ref is kept for a person to inspect.
    run.world.emit({
      kind: 'notice',
      message: damage.message,
      ...(damage.hint === undefined ? {} : { hint: damage.hint }),
    })
    return
  }
  // The plan file that `start` was given is now the tracked one.
  const isTracked = (await repo.resolve(`HEAD:${run.planPath}`, 'object')) !== undefined
  const ignoring = isTracked ? [rawPath(run.planPath)] : []
  const inTheWay = await restoreStash(tree, stash, { ignoring, aside: await asideOf(run.dir) })
  const paths = (await stashedPaths(repo, stash)).filter((path) => !ignoring.includes(path))
  if (inTheWay.length > 0) await run.withKeptObjects(() => handToGit(run, { stash, inTheWay, ignoring, tree }))
  // Together with the origin: if the plan's branch is gone, nothing would remove it later.
  const origin = await repo.resolve(originRef(run.id))
  const gone = [
    { ref: stashRef(run.id), from: stash, to: undefined },
    { ref: originRef(run.id), from: origin, to: undefined },
  ]
  await repo.moveRefs(gone.filter(({ from }) => from !== undefined))
  if (inTheWay.length === 0 && paths.length > 0)
    run.world.emit({ kind: 'notice', message: `restored ${filesText(paths.map(shown))}` })
}

type HandOver = Pick<Run, 'id' | 'dir'> & { readonly world: Pick<Run['world'], 'emit'> }

/** Adds the stash to `git stash list` and says how to restore files from it. The caller must keep the objects. */
export async function handToGit(
  { id, dir, world }: HandOver,
  stashed: {
    readonly stash: Oid
    readonly inTheWay: readonly RawPath[]
    readonly ignoring: readonly RawPath[]
    readonly tree: WorkTree
  },
): Promise<void> {
  const { stash, inTheWay, ignoring, tree } = stashed
  const { oid, kept } = await storeInGitStash(tree, stash, {
    message: entryOf(id),
    ignoring,
    newDirectory: () => dir.newAside('stash'),
  })
  const why = inTheWay.length === 0 ? '' : `; these files have changed since: ${describePaths(inTheWay)}`
  const odd =
    kept === undefined
      ? ''
      : `; ${describePaths(kept.paths)} cannot be restored byte for byte from the stash, so the original is in ${kept.directory}`
  const name = oid.slice(0, 12)
  const file = (await Promise.all(inTheWay.map((path) => versionOf(tree, oid, path)))).find(
    (version) => version !== undefined,
  )
  const list = `git stash show --include-untracked --name-status ${name}`
  world.emit({
    kind: 'notice',
    message: `your changes from before ${id} are in Git's stash: ${name}${why}${odd}`,
    // By id: the entry may not be the newest. `git stash pop` would stop halfway at a file that is in the way.
    hint:
      inTheWay.length === 0
        ? `git stash apply ${name}`
        : file === undefined
          ? list
          : `save one beside the file here: ${file}\nlist them all:                 ${list}`,
  })
}

const entryOf = (id: PlanId): string => `git plan: before ${id}`

/** The entry that `handToGit` made from a stash. */
export const findHandedStash = (repo: Repository, id: PlanId, stash: Oid): Promise<Oid | undefined> =>
  findInGitStash(repo, stash, entryOf(id))

/**
 * The command that writes the user's version to a new file: the one here may be nowhere else. undefined: the user had
 * deleted the file.
 */
async function versionOf(tree: WorkTree, entry: Oid, path: RawPath): Promise<string | undefined> {
  const stash = await readStash(tree.repo, entry)
  if (stash === undefined) return undefined
  const at = (commit: Oid | undefined): Promise<Oid | undefined> | undefined =>
    commit === undefined ? undefined : blobIdAt(tree, commit, path)
  const [base, work, staged, untracked] = [
    await at(stash.base),
    await at(stash.work),
    await at(stash.staged),
    await at(stash.untracked),
  ]
  const isStagedOnly = work === base && staged !== undefined && staged !== base
  const suffix = untracked !== undefined ? '^3' : isStagedOnly ? '^2' : work !== undefined ? '' : undefined
  if (suffix === undefined) return undefined
  const isFree = (name: string): boolean => lstatSync(join(tree.root, name), { throwIfNoEntry: false }) === undefined
  const names = Array.from({ length: 100 }, (_, at) => `${shown(path)}.mine${at === 0 ? '' : at}`)
  const source = quoteIfNeeded(`${entry.slice(0, 12)}${suffix}:${shown(path)}`)
  return `git cat-file --filters ${source} > ${quoteIfNeeded(names.find(isFree) ?? `${shown(path)}.mine`)}`
}

/** The directory with the stashed files themselves: the stash has their bytes, these also their times and modes. */
export async function asideOf(dir: PlanDir): Promise<string | undefined> {
  const kept = (await dir.readJson('autostash.json'))?.value as { aside?: unknown } | undefined
  // Only the base name: the repository may have been moved.
  return typeof kept?.aside === 'string' ? dir.file(asideFolder, basename(kept.aside)) : undefined
}

/** undefined: there is none, or it is empty. */
export async function filledAsideOf(dir: PlanDir): Promise<string | undefined> {
  const aside = await asideOf(dir)
  return aside === undefined || (await readdir(aside).catch(() => [])).length === 0 ? undefined : aside
}
