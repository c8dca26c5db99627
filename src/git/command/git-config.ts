// Git's configuration for a work tree. It is read once, and again if one of its files changes, or the branch that a
// conditional include depends on.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { PlanError } from '../../errors.ts'
import { stampOf } from '../write/durable-fs.ts'
import type { GitRunner } from './runner.ts'

export interface ConfigEntry {
  /** `system`, `global`, `local`, `worktree`, `command`. */
  readonly scope: string
  /** `file:` and a path relative to the top of the work tree, or another kind of source. */
  readonly origin: string
  /** In lower case, except for its middle part. */
  readonly key: string
  readonly value: string
}

/** A checkpoint asks a dozen times within this time; a command that could change a file takes longer to start. */
const trustedMs = 1

/** Directories of system-wide Git files, for the usual builds of Git. */
export const systemDirectories = ['/etc', '/usr/etc', '/usr/local/etc', '/opt/homebrew/etc']

type Environment = Readonly<Record<string, string>>

export const homeOf = (env: Environment): string => env['HOME'] || homedir()

/** A file of the user in the XDG configuration directory: `config`, `attributes`, `ignore`. */
export const userFile = (env: Environment, name: string): string =>
  join(env['XDG_CONFIG_HOME'] || join(homeOf(env), '.config'), 'git', name)

export interface ConfigPaths {
  readonly root: string
  readonly gitDir: string
  readonly commonDir: string
}

/** Runs without pinned settings: those of our own calls are not the user's configuration. */
const readConfig = async (git: GitRunner): Promise<{ code: number; entries: ConfigEntry[]; complaint: string }> => {
  const answer = await git.run(['config', '--null', '--show-scope', '--show-origin', '--list'], {
    hooks: true,
    ok: [0, 1, 128, 129],
  })
  const fields = answer.stdout.toString().split('\0')
  const entries: ConfigEntry[] = []
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope = '', origin = '', entry = ''] = fields.slice(at, at + 3)
    entries.push({ scope, origin, ...keyAndValue(entry) })
  }
  return { code: answer.code, entries, complaint: answer.stderr.trim() }
}

export class GitConfig {
  readonly #git: GitRunner
  readonly #paths: ConfigPaths
  #known: CachedConfig | undefined
  #checkedAt = -Infinity

  constructor(git: GitRunner, paths: ConfigPaths) {
    this.#git = git
    this.#paths = paths
  }

  async entries(): Promise<readonly ConfigEntry[]> {
    if (this.#known !== undefined && process.uptime() * 1000 - this.#checkedAt <= trustedMs) return this.#known.entries
    for (let tries = 1; this.#known === undefined || !this.#isCurrent(this.#known); tries += 1) {
      const before = this.#stamps([...(this.#known?.stamps.keys() ?? []), ...this.#standardFiles()])
      const { code, entries, complaint } = await readConfig(this.#git)
      if (code !== 0)
        throw new PlanError('git-failed', `git cannot read its configuration: ${complaint}`, {
          hint: 'git config --list --show-origin',
        })
      this.#known = this.#knownOf(entries)
      // A file that was written while Git read it is read again.
      const isOld = [...before].some(([path, stamp]) => this.#known?.stamps.get(path) !== stamp)
      if (isOld && tries < 5) this.#known = { ...this.#known, stamps: new Map([...this.#known.stamps, ...before]) }
    }
    this.#checkedAt = process.uptime() * 1000
    return this.#known.entries
  }

  /** The last entry takes effect. A key without `=` is true. */
  async value(key: string): Promise<string | undefined> {
    return (await this.entries()).findLast((entry) => entry.key === key)?.value
  }

  /** Every file that entries come from, and those that would be read if they existed. */
  async files(): Promise<string[]> {
    return this.#filesOf(await this.entries())
  }

  #filesOf(entries: readonly ConfigEntry[]): string[] {
    return [
      ...new Set([
        ...filesNamedIn(entries, { root: this.#paths.root, home: homeOf(this.#git.env) }),
        ...this.#standardFiles(),
      ]),
    ]
  }

  #knownOf(entries: readonly ConfigEntry[]): CachedConfig {
    const dependsOnBranch = entries.some(({ key }) => key.startsWith('includeif.onbranch:'))
    return { entries, stamps: this.#stamps(this.#filesOf(entries)), head: dependsOnBranch ? this.#head() : undefined }
  }

  #stamps(paths: readonly string[]): Map<string, string | undefined> {
    return new Map(paths.map((path) => [path, stampOf(path)]))
  }

  #isCurrent({ stamps, head }: CachedConfig): boolean {
    return (
      [...stamps].every(([path, stamp]) => stampOf(path) === stamp) && (head === undefined || head === this.#head())
    )
  }

  /** Listed even if they do not exist. */
  #standardFiles(): string[] {
    return [
      join(this.#paths.commonDir, 'config'),
      join(this.#paths.gitDir, 'config.worktree'),
      join(homeOf(this.#git.env), '.gitconfig'),
      userFile(this.#git.env, 'config'),
      ...systemDirectories.map((directory) => join(directory, 'gitconfig')),
    ]
  }

  #head(): string {
    try {
      return readFileSync(join(this.#paths.gitDir, 'HEAD'), 'latin1')
    } catch {
      return ''
    }
  }
}

interface CachedConfig {
  readonly entries: readonly ConfigEntry[]
  readonly stamps: ReadonlyMap<string, string | undefined>
  /** The contents of HEAD, if an include depends on the branch. */
  readonly head: string | undefined
}

/** The files that entries come from, and those that an `include` names. */
function filesNamedIn(entries: readonly ConfigEntry[], { root, home }: { root: string; home: string }): string[] {
  const files = new Set<string>()
  for (const { origin, key, value } of entries) {
    if (!origin.startsWith('file:')) continue
    const path = resolve(root, origin.slice('file:'.length))
    files.add(path)
    if (/^include(?:if\..*)?\.path$/s.test(key)) files.add(resolve(dirname(path), value.replace(/^~(?=\/)/, home)))
  }
  return [...files]
}

/** A key without `=` is true, as in Git. */
function keyAndValue(entry: string): { key: string; value: string } {
  const feed = entry.indexOf('\n')
  return feed < 0 ? { key: entry, value: 'true' } : { key: entry.slice(0, feed), value: entry.slice(feed + 1) }
}

/** True if the value is clearly off or unset. Only Git knows all the ways to say yes. */
export const isOff = (value: string | undefined): boolean =>
  value === undefined || ['', 'false', 'no', 'off', '0', 'umask'].includes(value.toLowerCase())
