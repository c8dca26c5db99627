// The plan's directory inside the git directory: lock, intent, logs, files moved aside. All of it is expendable.

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
import { basename, dirname, join } from 'node:path'
import { makeDirectories, syncNow } from '../../git/write/durable-fs.ts'
import type { PlanId } from '../../plan/model/ids.ts'

/** Files moved aside, the user's own among them. */
export const asideFolder = 'aside'
/**
 * What a failed step has left, which its attempt holds as well. `node --test` looks for tests in `.git`, too, and would
 * run it; but nothing of the user's may lie where people remove all they find.
 */
export const leftFolder = join(asideFolder, 'node_modules')

export class PlanDir {
  readonly path: string

  constructor(commonDir: string, id: PlanId) {
    this.path = join(commonDir, 'plan', id)
  }

  ensure(): void {
    makeDirectories(dirname(dirname(this.path)), 'plan', basename(this.path), 'logs')
  }

  file(...names: string[]): string {
    return [this.path, ...names].join('/')
  }

  /** A directory that is not there yet, for files moved aside. */
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

  /** Not awaited, here and below: these are small, and the way to another thread and back takes longer. */
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
   * Over a file that is empty: with one sync instead of two, and no file made. What a power cut tears reads as nothing,
   * which is what is true before this returns. False: there is no such file, or something is in it.
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

  /** For `fill`; where it cannot be emptied it goes. */
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

  /** Over what is there: for what nobody needs after a power cut, and nobody reads before it is whole. */
  async overwriteJson(name: string, value: unknown): Promise<void> {
    const { O_WRONLY, O_CREAT, O_NOFOLLOW } = constants
    const file = openSync(this.file(name), O_WRONLY | O_CREAT | O_NOFOLLOW, 0o666)
    try {
      // With blanks over the rest of a longer one: to make it shorter and long again would take as long as all else
      // here.
      writeFileSync(file, JSON.stringify(value).padEnd(fstatSync(file).size))
    } finally {
      closeSync(file)
    }
  }

  /** Whole or not at all, and on disk when this returns. */
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
      // It is not there, or stays: nothing that is read later depends on it alone.
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
