// Where the repository is, for the most usual kind of it: a directory `.git` at the top of the work tree. Its configuration is read from files where
// that is certain; else git is asked once, for its configuration, and says in the same answer which repository it found. Undefined where anything is
// unusual: then `rev-parse` is asked.

import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { askConfig, type ConfigEntry } from './git-config.ts'
import { readPlainConfig } from './plain-config.ts'
import type { GitRunner } from './runner.ts'

export interface PlainRepository {
  readonly root: string
  readonly gitDir: string
  readonly objectFormat: 'sha1' | 'sha256'
  readonly config: readonly ConfigEntry[]
}

/** What git tells a hook: with any of it in its way, git does not look for itself. */
const told = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_COMMON_DIR', 'GIT_OBJECT_DIRECTORY', 'GIT_ALTERNATE_OBJECT_DIRECTORIES']

export async function findPlainly(git: GitRunner): Promise<PlainRepository | undefined> {
  const root = told.some((name) => git.env[name] !== undefined) ? undefined : plainRoot(git.cwd)
  if (root === undefined) return undefined
  return readOwn(root, git) ?? (await askGit(root, git))
}

/** A repository that git would come to and trust without a look at any setting, and that has none which makes it unusual. */
function readOwn(root: string, git: GitRunner): PlainRepository | undefined {
  const config = isOfUser(root) && isOfUser(join(root, '.git')) ? readPlainConfig(root, git.env) : undefined
  if (config === undefined) return undefined
  const isAlways = (key: string, value: string): boolean => {
    const said = config.filter((entry) => entry.key === key)
    return said.some(({ scope }) => scope === 'local') && said.every((entry) => entry.value === value)
  }
  const isUsual =
    isAlways('core.repositoryformatversion', '0') &&
    isAlways('core.bare', 'false') &&
    !config.some(({ key }) => key === 'core.worktree' || key.startsWith('extensions.'))
  return isUsual ? { root, gitDir: join(root, '.git'), objectFormat: 'sha1', config } : undefined
}

/** Git trusts what belongs to the user. Of others it asks its configuration. */
const isOfUser = (path: string): boolean => lstatSync(path).uid === process.geteuid?.()

async function askGit(root: string, git: GitRunner): Promise<PlainRepository | undefined> {
  const { code, entries: config } = await askConfig(git)
  // Where it does not trust a repository, or finds another one, git reads no such file.
  const isFound = config.some(({ scope, origin }) => scope === 'local' && origin === 'file:.git/config')
  const valueOf = (key: string): string | undefined => config.findLast((entry) => entry.key === key)?.value
  const extensions = config.filter(({ key }) => key.startsWith('extensions.')).map(({ key }) => key)
  const isPlain =
    code === 0 &&
    isFound &&
    valueOf('core.bare') === 'false' &&
    valueOf('core.worktree') === undefined &&
    extensions.every((key) => ['extensions.objectformat', 'extensions.partialclone', 'extensions.worktreeconfig'].includes(key))
  const format = valueOf('extensions.objectformat') ?? 'sha1'
  if (!isPlain || (format !== 'sha1' && format !== 'sha256')) return undefined
  return { root, gitDir: join(root, '.git'), objectFormat: format, config }
}

/** The directory whose `.git` git comes to first, on its way up. What is neither certainly a repository nor certainly none ends the search. */
function plainRoot(cwd: string): string | undefined {
  try {
    const start = realpathSync.native(cwd)
    const { dev } = lstatSync(start)
    for (let at = start; ; at = dirname(at)) {
      // Git looks no further up than the file system that it begins in.
      if (at !== start && lstatSync(at).dev !== dev) return undefined
      const facts = lstatSync(join(at, '.git'), { throwIfNoEntry: false })
      if (facts !== undefined) return facts.isDirectory() && isPlainGitDir(join(at, '.git')) ? at : undefined
      // A bare repository is found as well, or the git directory from inside.
      if (existsSync(join(at, 'HEAD')) || dirname(at) === at) return undefined
    }
  } catch {
    return undefined
  }
}

function isPlainGitDir(path: string): boolean {
  const isDirectory = (name: string): boolean => lstatSync(join(path, name), { throwIfNoEntry: false })?.isDirectory() === true
  return areRefsFiles(path) && isDirectory('objects') && isDirectory('refs') && !existsSync(join(path, 'commondir'))
}

/** HEAD says it: where refs are kept in another way, it names a branch that cannot be. */
export function areRefsFiles(gitDir: string): boolean {
  const facts = lstatSync(join(gitDir, 'HEAD'), { throwIfNoEntry: false })
  const head = facts?.isFile() === true ? readFileSync(join(gitDir, 'HEAD'), 'utf8') : ''
  return /^(?:ref: refs\/heads\/\S+|[0-9a-f]{40}|[0-9a-f]{64})\n$/.test(head) && !head.endsWith('/.invalid\n')
}
