// One value for everything that decides what Git executes in this repository and where it looks: configuration, hooks,
// attributes, alternate object stores. If a step changes it, the plan stops before Git runs anything new.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, type Stats } from 'node:fs'
import { join, resolve } from 'node:path'
import { homeOf, userFile } from '../command/git-config.ts'
import type { Repository } from '../repository.ts'

/** Part name → contents; two fingerprints differ in the parts that changed. */
type Parts = ReadonlyMap<string, Buffer | undefined>

export class Fingerprint {
  readonly #repo: Repository
  readonly #paths: WatchedPaths
  readonly #before: Parts

  private constructor(repo: Repository, paths: WatchedPaths, before: Parts) {
    this.#repo = repo
    this.#paths = paths
    this.#before = before
  }

  static async take(repo: Repository): Promise<Fingerprint> {
    const hooksPath = await repo.hooksPath()
    const included = [...(await configFiles(repo)), await attributesFile(repo)]
    return new Fingerprint(repo, { hooksPath, included }, readParts(repo, { hooksPath, included }))
  }

  /** One hash over all parts. */
  get digest(): string {
    const hash = createHash('sha256')
    for (const [name, bytes] of this.#before)
      hash.update(`${name}\0${bytes === undefined ? '' : bytes.length}\0`).update(bytes ?? '')
    return hash.digest('hex')
  }

  /** A short hash of each part that there is, to name later what changed. */
  get parts(): Readonly<Record<string, string>> {
    const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex').slice(0, 12)
    return Object.fromEntries(
      [...this.#before].flatMap(([name, bytes]) => (bytes === undefined ? [] : [[name, hashOf(bytes)]])),
    )
  }

  /** The names of the parts that changed. Git parses a configuration only if its bytes differ. */
  async changes(): Promise<string[]> {
    const after = readParts(this.#repo, this.#paths)
    const changed: string[] = []
    for (const name of new Set([...this.#before.keys(), ...after.keys()])) {
      const [was, is] = [this.#before.get(name), after.get(name)]
      if (was === undefined && is === undefined) continue
      if (was !== undefined && is !== undefined && was.equals(is)) continue
      const isConfig = name === 'config' || name === 'config.worktree'
      if (!isConfig || (await this.#settings(was)) !== (await this.#settings(is))) changed.push(name)
    }
    return changed.toSorted()
  }

  async #settings(bytes: Buffer | undefined): Promise<string> {
    if (bytes === undefined) return ''
    const answer = await this.#repo.git.run(['config', '--file', '-', '--no-includes', '--list', '-z'], {
      input: bytes,
      ok: [0, 1, 128],
    })
    if (answer.code !== 0) return bytes.toString('latin1')
    return answer.stdout
      .toString('latin1')
      .split('\0')
      .filter((entry) => !harmless.test(entry))
      .join('\0')
  }
}

interface WatchedPaths {
  readonly hooksPath: string
  /** The user's files and included files, even if they do not exist. */
  readonly included: readonly string[]
}

/** Every file that the effective configuration comes from, and those that an `include` names but that do not exist. */
async function configFiles(repo: Repository): Promise<string[]> {
  return (await repo.config.files()).filter(
    (path) => path !== join(repo.commonDir, 'config') && path !== join(repo.gitDir, 'config.worktree'),
  )
}

/** The user's attributes for all repositories, even if the file does not exist. */
async function attributesFile(repo: Repository): Promise<string> {
  const named = await repo.config.value('core.attributesfile')
  return named === undefined
    ? userFile(repo.git.env, 'attributes')
    : resolve(repo.root, named.replace(/^~(?=\/)/, homeOf(repo.git.env)))
}

/** Synchronous: a dozen small files, twice per step. */
function readParts(repo: Repository, { hooksPath, included }: WatchedPaths): Parts {
  const files: [name: string, path: string][] = [
    ['config', join(repo.commonDir, 'config')],
    ['config.worktree', join(repo.gitDir, 'config.worktree')],
    ['info/attributes', join(repo.commonDir, 'info/attributes')],
    ['info/exclude', join(repo.commonDir, 'info/exclude')],
    ['info/sparse-checkout', join(repo.gitDir, 'info/sparse-checkout')],
    // Objects and parents that Git would read from elsewhere, and another location of the whole store.
    ['objects/info/alternates', join(repo.commonDir, 'objects/info/alternates')],
    ['info/grafts', join(repo.commonDir, 'info/grafts')],
    ['commondir', join(repo.gitDir, 'commondir')],
  ]
  for (const path of included) files.push([path, path])
  for (const name of namesIn(hooksPath).toSorted())
    if (!name.endsWith('.sample')) files.push([`hooks/${name}`, join(hooksPath, name)])
  const parts = new Map<string, Buffer | undefined>()
  for (const [name, path] of files) {
    const facts = factsOf(path)
    const bytes = facts?.isFile() === true ? bytesOf(path) : undefined
    parts.set(
      name,
      bytes === undefined
        ? undefined
        : name.startsWith('hooks/')
          ? Buffer.concat([Buffer.from(`${facts?.mode}\n`), bytes])
          : bytes,
    )
  }
  return parts
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function factsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function bytesOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

// Settings that `git submodule add` and `git branch --track` write; none of them executes anything.
const harmless = /^(submodule\..*\.(url|active)|branch\..*\.(remote|merge|rebase))\n/
