// Where the repository is, for the most usual kind of it: a directory `.git` at the top of the work tree. Git is asked once, for its
// configuration, and says in the same answer which repository it found. Undefined where anything is unusual: then `rev-parse` is asked.

import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { GitRunner } from './runner.ts'

export interface ConfigEntry {
  /** `system`, `global`, `local`, `worktree`, `command`. */
  readonly scope: string
  /** In lower case, but for its middle part. */
  readonly key: string
  readonly value: string
}

export interface PlainRepository {
  readonly root: string
  readonly gitDir: string
  readonly objectFormat: 'sha1' | 'sha256'
  readonly config: readonly ConfigEntry[]
}

export async function findPlainly(git: GitRunner): Promise<PlainRepository | undefined> {
  const root = plainRoot(git.cwd)
  if (root === undefined) return undefined
  const answer = await git.run(['config', '--null', '--show-scope', '--show-origin', '--list'], { ok: [0, 128, 129] })
  const fields = answer.stdout.toString().split('\0')
  const config: ConfigEntry[] = []
  let isFound = false
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope = '', origin, entry = ''] = fields.slice(at, at + 3)
    // Where it does not trust a repository, or finds another one, git reads no such file.
    if (scope === 'local' && origin === 'file:.git/config') isFound = true
    config.push({ scope, ...keyAndValue(entry) })
  }
  const valueOf = (key: string): string | undefined => config.findLast((entry) => entry.key === key)?.value
  const extensions = config.filter(({ key }) => key.startsWith('extensions.')).map(({ key }) => key)
  const isPlain =
    answer.code === 0 &&
    isFound &&
    valueOf('core.bare') === 'false' &&
    valueOf('core.worktree') === undefined &&
    extensions.every((key) => ['extensions.objectformat', 'extensions.partialclone', 'extensions.worktreeconfig'].includes(key))
  const format = valueOf('extensions.objectformat') ?? 'sha1'
  if (!isPlain || (format !== 'sha1' && format !== 'sha256')) return undefined
  return { root, gitDir: join(root, '.git'), objectFormat: format, config }
}

/** A key without `=` is true, as git reads it. */
export function keyAndValue(entry: string): { key: string; value: string } {
  const feed = entry.indexOf('\n')
  return feed < 0 ? { key: entry, value: 'true' } : { key: entry.slice(0, feed), value: entry.slice(feed + 1) }
}

/** The directory whose `.git` git comes to first, on its way up. What is neither certainly a repository nor certainly none ends the search. */
function plainRoot(cwd: string): string | undefined {
  try {
    for (let at = realpathSync.native(cwd); ; at = dirname(at)) {
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
