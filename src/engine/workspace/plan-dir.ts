// The plan's directory inside the Git directory: lock, intent, logs, files moved aside. None of it is essential.

import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirectories, syncNow } from '../../git/write/durable-fs.ts'
import type { PlanId } from '../../plan/model/ids.ts'

/** For files moved aside, including the user's. */
export const asideFolder = 'aside'
/**
 * For files of a failed step, which its attempt contains as well. `node --test` searches `.git` too and would run tests
 * there, but it skips node_modules. Files of the user never go here, since people delete such directories.
 */
export const leftFolder = join(asideFolder, 'node_modules')

export class PlanDir {
  readonly path: string
  readonly #base: string
  readonly #names: readonly string[]

  /** `below`: a directory inside the plan's, for a work tree of its pool. */
  constructor(commonDir: string, id: PlanId, ...below: readonly string[]) {
    this.#base = commonDir
    this.#names = ['plan', id, ...below]
    this.path = join(commonDir, ...this.#names)
  }

  ensure(): void {
    makeDirectories(this.#base, ...this.#names, 'logs')
  }

  file(...names: string[]): string {
    return [this.path, ...names].join('/')
  }

  /** Makes a new directory for files moved aside. */
  async newAside(label: string, folder = asideFolder): Promise<string> {
    for (let n = 1; ; n += 1) {
      const path = this.file(folder, `${label}-${n}`)
      try {
        await mkdir(this.file(folder), { recursive: true })
        await mkdir(path)
        return path
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
    }
  }

  async readJson(name: string): Promise<{ value: unknown; writtenAtMs: number } | undefined> {
    const text = this.read(name)
    if (text === undefined) return undefined
    try {
      return { value: JSON.parse(text), writtenAtMs: statSync(this.file(name)).mtimeMs }
    } catch {
      return undefined
    }
  }

  /** Synchronous, here and below: the files are small, and the way to another thread and back takes longer. */
  read(name: string, encoding: 'utf8' | 'latin1' = 'utf8'): string | undefined {
    const path = this.file(name)
    try {
      return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path, encoding) : undefined
    } catch {
      return undefined
    }
  }

  writeJson(name: string, value: unknown): Promise<void> {
    return this.write(name, JSON.stringify(value))
  }

  /**
   * Writes into an existing empty file, with one sync instead of two. A write torn by a power cut reads as nothing,
   * which is the truth until this returns. False: there is no such file, or it is not empty.
   */
  fill(name: string, bytes: string): boolean {
    let file: number
    try {
      file = openSync(this.file(name), constants.O_RDWR | constants.O_NOFOLLOW)
    } catch {
      return false
    }
    try {
      const facts = fstatSync(file)
      if (facts.size > 0 || !facts.isFile()) return false
      writeFileSync(file, bytes)
      fsyncSync(file)
      return true
    } finally {
      closeSync(file)
    }
  }

  /** Prepares a file for `fill`; deletes it if it cannot be emptied. */
  async empty(name: string): Promise<void> {
    try {
      const file = openSync(this.file(name), constants.O_WRONLY | constants.O_NOFOLLOW)
      try {
        ftruncateSync(file)
      } finally {
        closeSync(file)
      }
    } catch {
      await this.remove(name)
    }
  }

  async removeIfEmpty(name: string): Promise<void> {
    if (statSync(this.file(name), { throwIfNoEntry: false })?.size === 0) await this.remove(name)
  }

  /** Overwrites in place without a sync: for data useless after a power cut, and read only when complete. */
  async overwriteJson(name: string, value: unknown): Promise<void> {
    const { O_WRONLY, O_CREAT, O_NOFOLLOW } = constants
    const file = openSync(this.file(name), O_WRONLY | O_CREAT | O_NOFOLLOW, 0o666)
    try {
      // Padded with blanks to the old length: truncating the file would cost as much as all the rest.
      writeFileSync(file, JSON.stringify(value).padEnd(fstatSync(file).size))
    } finally {
      closeSync(file)
    }
  }

  /** Atomic, and durable when this returns. */
  async write(name: string, bytes: string | Uint8Array): Promise<void> {
    const temporary = this.file(`${name}.new`)
    const file = openSync(temporary, 'w')
    try {
      writeFileSync(file, bytes)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, this.file(name))
    syncNow(this.path)
  }

  async remove(name: string): Promise<void> {
    try {
      unlinkSync(this.file(name))
    } catch {
      // Missing, or it cannot be removed: nothing depends on this file alone.
    }
  }

  list(): string[] {
    try {
      return readdirSync(this.path)
    } catch {
      return []
    }
  }
}
