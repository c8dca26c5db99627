// State after a crash, the promises that must hold then, and files outside the repository that record what ran.

import { execFileSync, type ChildProcess } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestRepo } from './repo.ts'

/** A copy of the repository and its work trees, to begin from again. Paths stay the same: some are written down in refs. */
export class Snapshot {
  readonly #repo: TestRepo
  readonly #kept: string

  constructor(repo: TestRepo, name = 'kept') {
    this.#repo = repo
    this.#kept = join(dirname(repo.dir), name)
    copy(repo.dir, this.#kept)
    copy(`${repo.dir}.plans`, `${this.#kept}.plans`)
  }

  restore(): void {
    copy(this.#kept, this.#repo.dir)
    copy(`${this.#kept}.plans`, `${this.#repo.dir}.plans`)
  }
}

function copy(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  if (existsSync(from)) execFileSync('cp', ['-a', from, to])
}

/**
 * With all of its directories there, and old, the store of objects takes the same calls whatever names they get, and
 * whenever that is.
 */
export function fillShelves(repo: TestRepo): void {
  for (let shelf = 0; shelf <= 256; shelf += 1) {
    const path = repo.path('.git/objects', shelf === 256 ? 'pack' : shelf.toString(16).padStart(2, '0'))
    mkdirSync(path, { recursive: true })
    utimesSync(path, 0, 0)
  }
  utimesSync(repo.path('.git/objects'), 0, 0)
}

export function lockFiles(repo: TestRepo): string[] {
  return (readdirSync(repo.path('.git'), { recursive: true }) as string[]).filter((name) => name.endsWith('.lock'))
}

/** Processes of any run that work in this repository's directory. */
export function runProcesses(repo: TestRepo): number[] {
  const top = dirname(repo.dir)
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const cwd = readlinkSync(`/proc/${pid}/cwd`)
        return cwd.startsWith(top) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes('\0PLAN_RUN=')
      } catch {
        return false
      }
    })
}

export const isAlive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

/** The process of `git plan` itself, where git started it. */
export async function executorOf(child: ChildProcess): Promise<number> {
  const pid = child.pid ?? 0
  const isGit = (): boolean => readFileSync(`/proc/${pid}/comm`, 'latin1') === 'git\n'
  const below = (): string => readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim()
  if (!isGit()) return pid
  await until('git has started git-plan', () => below() !== '')
  return Number(below())
}

export async function until(what: string, isSo: () => boolean, timeoutMs = 60_000): Promise<void> {
  for (const end = Date.now() + timeoutMs; !isSo(); await sleep(15))
    if (Date.now() > end) throw new Error(`waited in vain until ${what}`)
}

/** The pid that a step wrote into a file outside of the repository. */
export async function pidIn(file: string): Promise<number> {
  await until(`${file} names a process`, () => existsSync(file) && /^\d+\n/.test(readFileSync(file, 'utf8')))
  return Number(readFileSync(file, 'utf8').split('\n')[0])
}

/** A file beside the repository: outside of it, removed with it. */
export class Outside {
  readonly path: string

  constructor(repo: TestRepo, name: string) {
    this.path = join(dirname(repo.dir), name)
  }

  lines(): string[] {
    return existsSync(this.path)
      ? readFileSync(this.path, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
      : []
  }

  count(line: string): number {
    return this.lines().filter((each) => each === line).length
  }

  write(text = ''): void {
    writeFileSync(this.path, text)
  }

  remove(): void {
    rmSync(this.path, { force: true })
  }
}

/** Complaints about a repository that a crash and its recovery must not have left in disorder. */
export function disorder(repo: TestRepo): string[] {
  const found: string[] = []
  const fsck = repo.fsck()
  if (fsck !== '') found.push(`fsck: ${fsck}`)
  const locks = lockFiles(repo)
  if (locks.length > 0) found.push(`locks: ${locks.join(', ')}`)
  const alive = runProcesses(repo)
  if (alive.length > 0) found.push(`alive: ${alive.join(', ')}`)
  return found
}
