// The work trees of a repository and the branches they have checked out.

import { readdirSync } from 'node:fs'
import { readdir, readFile, realpath, rename, rm, rmdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { PlanError } from '../../errors.ts'
import { runPorcelain } from '../command/porcelain.ts'
import type { Repository } from '../repository.ts'

export interface LinkedTree {
  readonly root: string
  readonly gitDir: string
  /** Full ref; undefined when detached. */
  readonly branch: string | undefined
}

export async function listWorkTrees(repo: Repository): Promise<LinkedTree[]> {
  const text = await repo.git.text(['worktree', 'list', '--porcelain', '-z'])
  const trees: LinkedTree[] = []
  for (const record of text.split('\0\0')) {
    const fields = record.split('\0')
    const path = fields.find((field) => field.startsWith('worktree '))?.slice(9)
    if (path === undefined || fields.includes('bare') || fields.some((field) => field.startsWith('prunable'))) continue
    const listed = await realpath(path).catch(() => undefined)
    if (listed === undefined) continue
    // If the Git directory is elsewhere (submodules, --separate-git-dir), Git lists it instead of the main work tree.
    const root = listed === repo.commonDir && repo.gitDir === repo.commonDir ? repo.root : listed
    const branch = fields.find((field) => field.startsWith('branch '))?.slice(7)
    const gitDir = await gitDirOf(root, repo).catch(rethrowSystemError)
    if (gitDir !== undefined) trees.push({ root, gitDir, branch })
  }
  return trees
}

/** Ignores a directory that is no longer a work tree, but rethrows if Git could not run. */
function rethrowSystemError(error: unknown): undefined {
  if (error instanceof PlanError && error.code === 'system') throw error
}

/** The work tree that has the branch checked out. `head`: the branch of the current one. */
export async function workTreeOf(
  repo: Repository,
  branch: string,
  head = repo.headBranch(),
): Promise<LinkedTree | undefined> {
  if ((await head) === branch) return { root: repo.root, gitDir: repo.gitDir, branch }
  // Without linked work trees this is the only one.
  if (repo.gitDir === repo.commonDir && hasNoLinked(repo.commonDir)) return undefined
  return (await listWorkTrees(repo)).find((tree) => tree.branch === branch)
}

function hasNoLinked(commonDir: string): boolean {
  try {
    return readdirSync(join(commonDir, 'worktrees')).length === 0
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

export async function gitDirOf(root: string, repo: Repository): Promise<string> {
  if (root === repo.root) return repo.gitDir
  const git = repo.git.run(['rev-parse', '--absolute-git-dir'], { cwd: root, env: { GIT_DIR: join(root, '.git') } })
  return (await git).stdout.toString().trim()
}

/** Adds a work tree with a detached HEAD at the commit; hooks run as with `git worktree add`. */
export async function addDetachedTree(repo: Repository, path: string, commit: string): Promise<LinkedTree> {
  await runPorcelain(repo.git, ['worktree', 'add', '--detach', '--', path, commit])
  const root = await realpath(path)
  return { root, gitDir: await gitDirOf(root, repo), branch: undefined }
}

/** Adds a work tree with the branch checked out; hooks run as with `git worktree add`. */
export async function addWorkTree(repo: Repository, path: string, branch: string): Promise<LinkedTree> {
  await runPorcelain(repo.git, ['worktree', 'add', '--', path, branch.replace(/^refs\/heads\//, '')])
  const root = await realpath(path)
  return { root, gitDir: await gitDirOf(root, repo), branch }
}

/**
 * Removes Git's directory of a work tree that is gone. It is renamed to `scratch` first: `git worktree prune` would leave
 * half of it behind when it is killed, and `git fsck` fails on that.
 */
export async function forgetWorkTree({ commonDir }: Repository, root: string, scratch: string): Promise<void> {
  const all = join(commonDir, 'worktrees')
  for (const name of await readdir(all).catch(() => [])) {
    const file = (await readFile(join(all, name, 'gitdir'), 'utf8').catch(() => '')).trim()
    // `git worktree add` was killed before it wrote the file.
    const isUnmade = file === '' && name === basename(root)
    if (!isUnmade && resolve(all, name, file) !== join(root, '.git')) continue
    await rm(scratch, { recursive: true, force: true })
    await rename(join(all, name), scratch)
    await rm(scratch, { recursive: true, force: true })
  }
  await rmdir(all).catch(() => {})
}
