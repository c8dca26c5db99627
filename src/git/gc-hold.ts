// Keeps `git gc` away while objects are written that no ref names yet. `git gc --prune=now` removes what it found unnamed when it began, however young it is
// and whatever names it by then: no check of ours before or after the ref moves could come late enough. So we do what one gc does to keep another away, and
// hold gc.pid. One that a kill leaves stops nobody: git looks whether the process lives.
//
// Runs of several plans hold it together. It names one of them; who lets go hands it on. Who they are is in `plan/.gc`, which changes under a lock of its own.

import { randomBytes } from 'node:crypto'
import { open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PlanError } from '../errors.ts'
import { factsOf, identityOf } from '../process/identity.ts'
import { makeDirectories } from './disk.ts'

/** Called with the one who is waited for, once. */
export type OnWait = (who: string) => void

const patienceMs = 15 * 60_000
/** What git itself takes for too old to be true. */
const tooOldMs = 12 * 3600_000

export class GcHold {
  readonly #path: string
  readonly #holders: string
  #depth = 0
  #text = ''

  constructor(commonDir: string) {
    this.#path = join(commonDir, 'gc.pid')
    this.#holders = join(commonDir, 'plan/.gc')
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
    // Git reads the first two words; the third tells a process from a later one with the same number, the last one two runs in one process.
    this.#text = `${process.pid} ${hostname()} ${(await identityOf(process.pid)).start} ${randomBytes(4).toString('hex')}`
    for (const began = performance.now(); ; await sleep(3)) {
      const holder = await this.#exclusively(() => this.#join())
      if (holder === undefined) return
      const waited = performance.now() - began
      if (waited < 1000) continue
      onWait?.(holder)
      onWait = undefined
      if (waited > patienceMs) throw this.#inTheWay(holder)
    }
  }

  /** Answers with the one who keeps us away. */
  async #join(): Promise<string | undefined> {
    const text = await read(this.#path)
    const isTogether = text !== undefined && (await this.#others()).includes(text)
    if (!isTogether) {
      const holder = await this.#holder()
      if (holder !== undefined) return holder
      if (!(await this.#appear())) return 'another process'
    }
    await writeFile(this.#own(), this.#text)
    return undefined
  }

  /** A gc that has read the file before ours was in it holds gc.pid.lock, and puts its own in the place of ours: then it was first. */
  async #appear(): Promise<boolean> {
    if (!(await create(this.#path, this.#text)) && !(await this.#replaceDead())) return false
    for (let waited = 0; waited < 1000 && (await exists(`${this.#path}.lock`)); waited += 3) await sleep(3)
    return (await read(this.#path)) === this.#text
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
    try {
      await this.#exclusively(() => this.#leave())
    } catch {
      // No room for the lock on a full disk: what was done stands, and what we leave here is that of a dead process soon.
      await rm(this.#own(), { force: true })
      if ((await read(this.#path)) === this.#text) await rm(this.#path, { force: true })
    }
  }

  async #leave(): Promise<void> {
    await rm(this.#own(), { force: true })
    if ((await read(this.#path)) !== this.#text) return
    const [next] = await this.#others()
    if (next === undefined) return rm(this.#path, { force: true })
    const draft = join(this.#holders, 'next')
    await writeFile(draft, next)
    await rename(draft, this.#path)
  }

  #own(): string {
    return join(this.#holders, `held-${this.#text.replaceAll(/[^\w.]/g, '-')}`)
  }

  /** Runs that hold it and live; what dead ones left goes. */
  async #others(): Promise<string[]> {
    const living: string[] = []
    for (const name of await readdir(this.#holders).catch(() => [] as string[])) {
      if (!name.startsWith('held-')) continue
      const text = await read(join(this.#holders, name))
      if (text !== undefined && isRunning(text)) living.push(text)
      else await rm(join(this.#holders, name), { force: true })
    }
    return living
  }

  /** For the moment that it takes to look and write. One that a kill left is moved away under a name of its own: two rescuers cannot both take it. */
  async #exclusively<T>(action: () => Promise<T>): Promise<T> {
    const lock = join(this.#holders, 'lock')
    await makeDirectories(dirname(this.#path), 'plan', '.gc')
    const began = performance.now()
    for (let empty = 0; !(await create(lock, this.#text));) {
      const text = await read(lock)
      // Our own, which the disk refused to remove.
      if (text === this.#text) break
      if (performance.now() - began > 10_000) throw this.#stuck(lock, text ?? '')
      // Made this moment, or by one who was killed in it.
      empty = text === '' ? empty + 1 : 0
      if (text !== undefined && (text === '' ? empty > 500 : !isRunning(text))) {
        const dead = `${lock}.${randomBytes(4).toString('hex')}`
        await rename(lock, dead).catch(() => {})
        await rm(dead, { force: true })
      } else await sleep(2)
    }
    try {
      return await action()
    } finally {
      await rm(lock, { force: true })
    }
  }

  /** Who keeps us away; undefined: nobody, or one who is dead. */
  async #holder(): Promise<string | undefined> {
    const text = await read(this.#path)
    const [number = '', host = '', start] = text?.split(/\s+/) ?? []
    const pid = Number(number)
    if (text === undefined || !Number.isInteger(pid) || pid <= 0 || host === '') return undefined
    const facts = await stat(this.#path).catch(() => undefined)
    if (facts === undefined || Date.now() - facts.mtimeMs > tooOldMs) return undefined
    const isThere = host !== hostname() || (start === undefined ? isAlive(pid) : isRunning(text))
    return isThere ? `process ${pid} on ${host}` : undefined
  }

  #stuck(lock: string, text: string): PlanError {
    const [pid = '', host = ''] = text.split(' ')
    return new PlanError('foreign-lock', `process ${pid} on ${host} holds ${lock}, which takes a moment as a rule`, {
      hint: `run the command again; if there is no such process: rm '${lock}'`,
      facts: { lock },
    })
  }

  #inTheWay(holder: string): PlanError {
    return new PlanError('foreign-lock', `git gc is at work in this repository (${holder}), and would remove what is written meanwhile`, {
      hint: `wait for it, then run the command again; if there is no such process: rm '${this.#path}'`,
      facts: { lock: this.#path },
    })
  }
}

/** The very process that wrote this. Of another machine nothing here can tell. */
function isRunning(text: string): boolean {
  const [pid = '', host = '', start = ''] = text.split(' ')
  if (host !== hostname()) return true
  const facts = factsOf(Number(pid))
  return facts === undefined ? start === '' && isAlive(Number(pid)) : !facts.isZombie && facts.start === start
}

const read = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined)

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
