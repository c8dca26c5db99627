// Keeps `git gc` away while objects are written that no ref names yet. `git gc --prune=now` removes what it found unnamed when it began, however young it is
// and whatever names it by then: no check of ours before or after the ref moves could come late enough. So we do what one gc does to keep another away, in
// the same way: gc.pid.lock appears, gc.pid is looked at, and the one becomes the other. A gc.pid that a kill leaves stops nobody: git looks whether the
// process lives, and so do we. Runs of several plans wait for each other; what they wait for takes as long as a commit.

import { randomBytes } from 'node:crypto'
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PlanError } from '../errors.ts'
import { factsOf, identityOf } from '../process/identity.ts'
import { makeDirectories } from './disk.ts'

export interface GcWait {
  /** Called with the one who is waited for, once. */
  readonly onWait: (who: string) => void
  readonly signal: AbortSignal
}

const patienceMs = 15 * 60_000
/** A lock is held for a moment: one that stays longer is what a kill left. */
const lockPatienceMs = 30_000
/** What git itself takes for too old to be true. */
const tooOldMs = 12 * 3600_000

export class GcHold {
  readonly #path: string
  readonly #directory: string
  #depth = 0
  #text: string | undefined
  #drafted: string | undefined

  constructor(commonDir: string) {
    this.#path = join(commonDir, 'gc.pid')
    this.#directory = join(commonDir, 'plan')
  }

  /** Within another one it costs nothing. */
  async during<T>(action: () => Promise<T>, wait: GcWait): Promise<T> {
    if (this.#depth === 0) await this.#take(wait)
    this.#depth += 1
    try {
      return await action()
    } finally {
      this.#depth -= 1
      if (this.#depth === 0) this.#release()
    }
  }

  async #take({ onWait, signal }: GcWait): Promise<void> {
    // Git reads the first two words; the third tells a process from a later one with the same number, the last one two runs in one process.
    this.#text ??= `${process.pid} ${hostname()} ${(await identityOf(process.pid)).start} ${randomBytes(4).toString('hex')}`
    const began = process.uptime() * 1000
    for (let pause = 5, isTold = false; ; pause = Math.min(pause * 1.5, 250)) {
      const inTheWay = await this.#tryToTake(this.#text)
      if (inTheWay === undefined) return
      const waited = process.uptime() * 1000 - began
      if (signal.aborted) throw new PlanError('interrupted', `interrupted while waiting for ${inTheWay.who}`)
      if (waited > (inTheWay.isLock ? lockPatienceMs : patienceMs)) throw tooLong(inTheWay)
      if (waited > 1000 && !isTold) onWait(inTheWay.who)
      isTold ||= waited > 1000
      await sleep(pause)
    }
  }

  async #tryToTake(text: string): Promise<InTheWay | undefined> {
    const lock = `${this.#path}.lock`
    if (!(await this.#appear(lock, text))) {
      const found = read(lock)
      // Ours that the disk would not remove, or of a run of ours that is dead: git never writes more than two words.
      const isLeft = found !== undefined && found.split(' ').length > 2 && (found === text || !isRunning(found))
      if (isLeft) rmSync(lock, { force: true })
      return { file: lock, who: found === undefined || found === '' ? 'a git gc that begins' : named(found), isLock: true }
    }
    const holder = read(this.#path)
    if (holder !== undefined && holder !== text && this.#isHeld(holder)) {
      rmSync(lock, { force: true })
      return { file: this.#path, who: named(holder), isLock: false }
    }
    // Two links to one file are renamed by leaving both.
    if (holder === text) rmSync(this.#path, { force: true })
    renameSync(lock, this.#path)
    return undefined
  }

  /** It appears whole, or not at all: an empty one would be nobody's. The file that it is a link to stays for the next time. False: somebody else's is there. */
  async #appear(lock: string, text: string): Promise<boolean> {
    const draft = join(this.#directory, `gc.${text.split(' ').at(-1)}`)
    for (let tries = 1; ; tries += 1) {
      try {
        if (this.#drafted !== draft || Date.now() - statSync(draft).mtimeMs > tooOldMs / 12) await this.#write(draft, text)
        linkSync(draft, lock)
        return true
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code === 'EEXIST') return false
        // Somebody has removed it, which is everybody's right.
        if (code !== 'ENOENT' || tries > 1) throw error
        this.#drafted = undefined
      }
    }
  }

  async #write(draft: string, text: string): Promise<void> {
    makeDirectories(dirname(this.#directory), 'plan')
    for (const name of readdirSync(this.#directory)) {
      const left = join(this.#directory, name)
      if (/^gc\.[0-9a-f]{8}$/.test(name) && !isRunning(read(left) ?? text)) rmSync(left, { force: true })
    }
    rmSync(draft, { force: true })
    writeFileSync(draft, text)
    this.#drafted = draft
  }

  close(): void {
    if (this.#drafted !== undefined) rmSync(this.#drafted, { force: true })
    this.#drafted = undefined
  }

  #isHeld(text: string): boolean {
    const [number = '', host = '', start] = text.split(/\s+/)
    const pid = Number(number)
    if (!Number.isInteger(pid) || pid <= 0 || host === '') return false
    const facts = statSync(this.#path, { throwIfNoEntry: false })
    if (facts === undefined || Date.now() - facts.mtimeMs > tooOldMs) return false
    return host !== hostname() || (start === undefined ? isAlive(pid) : isRunning(text))
  }

  /** What cannot be removed now is that of a dead process soon, and in nobody's way. */
  #release(): void {
    try {
      if (read(this.#path) === this.#text) rmSync(this.#path, { force: true })
    } catch {
      // See above.
    }
  }
}

interface InTheWay {
  readonly file: string
  readonly who: string
  readonly isLock: boolean
}

const tooLong = ({ file, who }: InTheWay): PlanError =>
  new PlanError('foreign-lock', `git gc is at work in this repository (${who}), and would remove what is written meanwhile`, {
    hint: `wait for it, then run the command again; if there is no such process: rm '${file}'`,
    facts: { lock: file },
  })

const named = (text: string): string => {
  const [pid = '', host = ''] = text.split(/\s+/)
  return `process ${pid} on ${host}`
}

/** The very process that wrote this. Of another machine nothing here can tell. */
function isRunning(text: string): boolean {
  const [pid = '', host = '', start = ''] = text.split(' ')
  if (host !== hostname()) return true
  const facts = factsOf(Number(pid))
  return facts === undefined ? start === '' && isAlive(Number(pid)) : !facts.isZombie && facts.start === start
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
