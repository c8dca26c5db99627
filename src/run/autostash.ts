// What was in the user's work tree before the plan: put aside under a ref of the plan's, and restored from there. The ref is there before
// anything is taken out of the tree, and goes when all of it is back: a kill in between only means to do it again.

import { basename } from 'node:path'
import { PlanError } from '../errors.ts'
import { storeInGitStash } from '../git/git-stash.ts'
import { describePaths, rawPath, shown, type RawPath } from '../git/raw-path.ts'
import type { Repository } from '../git/repository.ts'
import { clearStashed, restoreStash, saveStash } from '../git/stash.ts'
import { stashedPaths } from '../git/stashed-paths.ts'
import type { Scan, WorkTree } from '../git/work-tree.ts'
import { originRef, stashRef, type Oid, type PlanId } from '../plan/values.ts'
import { wordOf } from '../process/shell-words.ts'
import { asideFolder, type PlanDir } from './plan-dir.ts'
import type { Session } from './session.ts'

export const stashOf = ({ repo, id }: { readonly repo: Repository; readonly id: PlanId }): Promise<Oid | undefined> => repo.resolve(stashRef(id))

export async function putAside(session: Session): Promise<void> {
  const message = `git plan: what was in the work tree before ${session.id}`
  const aside = await session.dir.newAside('autostash')
  await session.dir.writeJson('autostash.json', { aside })
  // Looked at when nothing has to be waited for any more: what is saved is what goes, and nothing that came later does.
  const { place, repo } = session
  await session.undisturbed(async () => {
    const scan = await place.scan()
    const before = place.stampsOf(scan)
    const stash = await saveStash(place, scan, message)
    const isAsSaved = place.stampsOf(scan) === before && (scan.changed.length === 0 || isSameScan(scan, await place.scan()))
    if (!isAsSaved)
      throw new PlanError('dirty-tree', 'the work tree was changed while it was being put aside: nothing was touched', {
        hint: `let the program that is at work there come to its end, then: git plan ${session.at.plan.state.size > 0 ? 'resume' : 'start'} ${session.id} --autostash`,
      })
    await repo.moveRefs([{ ref: stashRef(session.id), from: undefined, to: stash }])
    await clearStashed(place, scan, aside)
    const paths = [...scan.changed, ...scan.untracked].filter((path) => path !== rawPath(session.planPath)).toSorted()
    if (paths.length > 0) session.world.emit({ kind: 'notice', message: `put aside ${filesText(paths)}; finish and cancel restore them` })
  })
}

const isSameScan = (one: Scan, other: Scan): boolean =>
  (['changed', 'untracked'] as const).every((kind) => one[kind].toSorted().join('\0') === other[kind].toSorted().join('\0'))

/** Into the session's work tree. What touches files that have changed since is handed to git's own stash, all of it. */
export async function returnStash(session: Session): Promise<void> {
  const { repo, place } = session
  const stash = await stashOf(session)
  if (stash === undefined) return
  // A plan file that start was given has become the tracked one.
  const isTracked = (await repo.resolve(`HEAD:${session.planPath}`, 'object')) !== undefined
  const ignoring = isTracked ? [rawPath(session.planPath)] : []
  const inTheWay = await restoreStash(place, stash, { ignoring, aside: await asideOf(session.dir) })
  const paths = (await stashedPaths(repo, stash)).filter((path) => !ignoring.includes(path))
  if (inTheWay.length > 0) await session.undisturbed(() => handToGit(session, { stash, inTheWay, ignoring, place }))
  // With where they were: nothing would remove that later, where the plan's branch is gone.
  const origin = await repo.resolve(originRef(session.id))
  const gone = [
    { ref: stashRef(session.id), from: stash, to: undefined },
    { ref: originRef(session.id), from: origin, to: undefined },
  ]
  await repo.moveRefs(gone.filter(({ from }) => from !== undefined))
  if (inTheWay.length === 0 && paths.length > 0) session.world.emit({ kind: 'notice', message: `restored ${filesText(paths)}` })
}

type Hand = Pick<Session, 'id' | 'dir'> & { readonly world: Pick<Session['world'], 'emit'> }

/** Makes it an entry of `git stash list`, and says how to get the files from there. Under a hold of gc. */
export async function handToGit(
  { id, dir, world }: Hand,
  stashed: { readonly stash: Oid; readonly inTheWay: readonly RawPath[]; readonly ignoring: readonly RawPath[]; readonly place: WorkTree },
): Promise<void> {
  const { stash, inTheWay, ignoring, place } = stashed
  const kept = await storeInGitStash(place, stash, { message: `git plan: before ${id}`, ignoring, newDirectory: () => dir.newAside('stash') })
  const why = inTheWay.length === 0 ? '' : `; these files have changed since: ${describePaths(inTheWay)}`
  const odd = kept === undefined ? '' : `; ${describePaths(kept.paths)} would not come back byte for byte, so the original is in ${kept.directory}`
  const [first] = inTheWay
  const isUntracked = first !== undefined && (await place.repo.resolve(`${stash}^3:${shown(first)}`, 'object')) !== undefined
  const version = `'stash@{0}${isUntracked ? '^3' : ''}'`
  world.emit({
    kind: 'notice',
    message: `what was put aside before ${id} is in the stash now${why}${odd}`,
    hint: `git stash pop${first === undefined ? '' : `; or take your version of a file: git checkout ${version} -- ${wordOf(shown(first))}`}`,
  })
}

/** The files themselves, moved aside: the stash has their bytes, these also their times and permissions. */
export async function asideOf(dir: PlanDir): Promise<string | undefined> {
  const kept = (await dir.readJson('autostash.json'))?.value as { aside?: unknown } | undefined
  // By its name alone: the repository may have been moved.
  return typeof kept?.aside === 'string' ? dir.file(asideFolder, basename(kept.aside)) : undefined
}

const filesText = (paths: readonly RawPath[]): string => `${paths.length === 1 ? '1 file' : `${paths.length} files`}: ${describePaths(paths, 5)}`
