// Keeps `git gc` away while objects are written that no ref names yet. `git gc --prune=now` removes what it found unnamed when it began, however young it is
// and whatever names it by then: no check of ours before or after the ref moves could come late enough. So we do what one gc does to keep another away, and
// hold gc.pid. One that a kill leaves stops nobody: git looks whether the process lives.

import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PlanError } from '../errors.ts'
import { identityOf } from '../process/identity.ts'

/** Called with the one who is waited for, once. */
export type OnWait = (who: string) => void

const patienceMs = 15 * 60_000
/** What git itself takes for too old to be true. */
const tooOldMs = 12 * 3600_000

export class GcHold {
  readonly #path: string
  #depth = 0
  #text = ''

  constructor(commonDir: string) {
    this.#path = join(commonDir, 'gc.pid')
  }

  /** Within another one it costs nothing. */
  async during<T>(action: () => Promise<T>, onWait?: OnWait): Promise<T> {
    if (this.#depth === 0) await this.#take(onWait)
    this.#depth += 1
    try {
      return await action()
    } finally {
      this.#depth -= 1
      if (this.#depth === 0) await this.#release()
    }
  }

  async #take(onWait: OnWait | undefined): Promise<void> {
    // Git reads the first two words; the third tells a process from a later one with the same number.
    this.#text = `${process.pid} ${hostname()} ${(await identityOf(process.pid)).start}`
    for (const began = performance.now(); ; await sleep(3)) {
      const holder = await this.#holder()
      if (holder === undefined && (await this.#appear())) return
      const waited = performance.now() - began
      if (holder === undefined || waited < 1000) continue
      onWait?.(holder)
      onWait = undefined
      if (waited > patienceMs) throw this.#inTheWay(holder)
    }
  }

  /** A gc that has read the file before ours was in it holds gc.pid.lock, and puts its own in the place of ours: then it was first. */
  async #appear(): Promise<boolean> {
    if (!(await create(this.#path, this.#text)) && !(await this.#replaceDead())) return false
    for (let waited = 0; waited < 2000 && (await exists(`${this.#path}.lock`)); waited += 3) await sleep(3)
    return (await this.#read()) === this.#text
  }

  /** As git does it: under the lock of the file, and only after another look. */
  async #replaceDead(): Promise<boolean> {
    const lock = `${this.#path}.lock`
    if (!(await create(lock, this.#text))) return false
    if ((await this.#holder()) !== undefined) {
      await rm(lock, { force: true })
      return false
    }
    await rename(lock, this.#path)
    return true
  }

  async #release(): Promise<void> {
    if ((await this.#read()) === this.#text) await rm(this.#path, { force: true })
  }

  /** Who keeps us away; undefined: nobody, or one who is dead. */
  async #holder(): Promise<string | undefined> {
    const [number = '', host = '', start] = (await this.#read())?.split(/\s+/) ?? []
    const pid = Number(number)
    if (!Number.isInteger(pid) || pid <= 0 || host === '') return undefined
    const facts = await stat(this.#path).catch(() => undefined)
    if (facts === undefined || Date.now() - facts.mtimeMs > tooOldMs) return undefined
    const who = `process ${pid} on ${host}`
    if (host !== hostname()) return who
    if (start !== undefined && start !== '') return (await identityOf(pid)).start === start ? who : undefined
    return isAlive(pid) ? who : undefined
  }

  #read(): Promise<string | undefined> {
    return readFile(this.#path, 'utf8').catch(() => undefined)
  }

  #inTheWay(holder: string): PlanError {
    return new PlanError('foreign-lock', `git gc is at work in this repository (${holder}), and would remove what is written meanwhile`, {
      hint: `wait for it, then run the command again; if there is no such process: rm '${this.#path}'`,
      facts: { lock: this.#path },
    })
  }
}

async function create(path: string, text: string): Promise<boolean> {
  const file = await open(path, 'wx').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return undefined
  })
  if (file === undefined) return false
  try {
    await file.writeFile(text)
    return true
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined)) !== undefined

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
