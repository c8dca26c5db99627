// The configuration that git has for a work tree: asked for once, and again where one of its files is another, or the
// branch that parts of it are for.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { PlanError } from '../../errors.ts'
import { stampOf } from '../write/durable-fs.ts'
import type { GitRunner } from './runner.ts'

export interface ConfigEntry {
  /** `system`, `global`, `local`, `worktree`, `command`. */
  readonly scope: string
  /** `file:` and its path, from the top of the work tree; or another kind of source. */
  readonly origin: string
  /** In lower case, but for its middle part. */
  readonly key: string
  readonly value: string
}

/** A checkpoint asks a dozen times in a few of these; a command that could change a file takes longer to start. */
const trustedMs = 1

/** Where a git keeps what is for all users, by the ways in which it is usually built. */
export const systemDirectories = ['/etc', '/usr/etc', '/usr/local/etc', '/opt/homebrew/etc']

type Environment = Readonly<Record<string, string>>

export const homeOf = (env: Environment): string => env['HOME'] || homedir()

/**
 * A file of the user's own that git looks for where programs keep their configuration: `config`, `attributes`,
 * `ignore`.
 */
export const userFile = (env: Environment, name: string): string =>
  join(env['XDG_CONFIG_HOME'] || join(homeOf(env), '.config'), 'git', name)

export interface ConfigPlaces {
  readonly root: string
  readonly gitDir: string
  readonly commonDir: string
}

/** Nothing pinned: what we set for our own calls is not the user's configuration. */
const askConfig = async (git: GitRunner): Promise<{ code: number; entries: ConfigEntry[]; complaint: string }> => {
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
  readonly #places: ConfigPlaces
  #known: Known | undefined
  #lookedAt = -Infinity

  constructor(git: GitRunner, places: ConfigPlaces) {
    this.#git = git
    this.#places = places
  }

  async entries(): Promise<readonly ConfigEntry[]> {
    if (this.#known !== undefined && process.uptime() * 1000 - this.#lookedAt <= trustedMs) return this.#known.entries
    for (let tries = 1; this.#known === undefined || !this.#isAsBefore(this.#known); tries += 1) {
      const before = this.#stamps([...(this.#known?.stamps.keys() ?? []), ...this.#usualFiles()])
      const { code, entries, complaint } = await askConfig(this.#git)
      if (code !== 0)
        throw new PlanError('git-failed', `git cannot read its configuration: ${complaint}`, {
          hint: 'git config --list --show-origin',
        })
      this.#known = this.#knownOf(entries)
      // One that was written while git read is asked for again.
      const isOld = [...before].some(([path, stamp]) => this.#known?.stamps.get(path) !== stamp)
      if (isOld && tries < 5) this.#known = { ...this.#known, stamps: new Map([...this.#known.stamps, ...before]) }
    }
    this.#lookedAt = process.uptime() * 1000
    return this.#known.entries
  }

  /** The last one counts. A key without `=` is true. */
  async value(key: string): Promise<string | undefined> {
    return (await this.entries()).findLast((entry) => entry.key === key)?.value
  }

  /** Every file that it comes from, and those that it would come from if they were there. */
  async files(): Promise<string[]> {
    return this.#filesOf(await this.entries())
  }

  #filesOf(entries: readonly ConfigEntry[]): string[] {
    return [
      ...new Set([
        ...namedIn(entries, { root: this.#places.root, home: homeOf(this.#git.env) }),
        ...this.#usualFiles(),
      ]),
    ]
  }

  #knownOf(entries: readonly ConfigEntry[]): Known {
    const dependsOnBranch = entries.some(({ key }) => key.startsWith('includeif.onbranch:'))
    return { entries, stamps: this.#stamps(this.#filesOf(entries)), head: dependsOnBranch ? this.#head() : undefined }
  }

  #stamps(paths: readonly string[]): Map<string, string | undefined> {
    return new Map(paths.map((path) => [path, stampOf(path)]))
  }

  #isAsBefore({ stamps, head }: Known): boolean {
    return (
      [...stamps].every(([path, stamp]) => stampOf(path) === stamp) && (head === undefined || head === this.#head())
    )
  }

  /** Whether they are there or not. */
  #usualFiles(): string[] {
    return [
      join(this.#places.commonDir, 'config'),
      join(this.#places.gitDir, 'config.worktree'),
      join(homeOf(this.#git.env), '.gitconfig'),
      userFile(this.#git.env, 'config'),
      ...systemDirectories.map((directory) => join(directory, 'gitconfig')),
    ]
  }

  #head(): string {
    try {
      return readFileSync(join(this.#places.gitDir, 'HEAD'), 'latin1')
    } catch {
      return ''
    }
  }
}

interface Known {
  readonly entries: readonly ConfigEntry[]
  readonly stamps: ReadonlyMap<string, string | undefined>
  /** What HEAD said, where parts are for a branch. */
  readonly head: string | undefined
}

/** Those that entries come from, and those that an `include` names. */
function namedIn(entries: readonly ConfigEntry[], { root, home }: { root: string; home: string }): string[] {
  const files = new Set<string>()
  for (const { origin, key, value } of entries) {
    if (!origin.startsWith('file:')) continue
    const path = resolve(root, origin.slice('file:'.length))
    files.add(path)
    if (/^include(?:if\..*)?\.path$/s.test(key)) files.add(resolve(dirname(path), value.replace(/^~(?=\/)/, home)))
  }
  return [...files]
}

/** A key without `=` is true, as git reads it. */
function keyAndValue(entry: string): { key: string; value: string } {
  const feed = entry.indexOf('\n')
  return feed < 0 ? { key: entry, value: 'true' } : { key: entry.slice(0, feed), value: entry.slice(feed + 1) }
}

/** Plainly off, or not said: all the ways to say yes are git's to know. */
export const isOff = (value: string | undefined): boolean =>
  value === undefined || ['', 'false', 'no', 'off', '0', 'umask'].includes(value.toLowerCase())
