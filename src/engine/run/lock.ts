// One writer per plan in a repository. A lock is a file `lock-<n>` that appears whole (a link to a finished file). The
// lock of a dead holder is not replaced in place, where two rescuers could both believe they won: the next number is
// taken, and whoever sees another live lock steps back.

import { closeSync, fsyncSync, linkSync, openSync, unlinkSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { PlanError } from '../../errors.ts'
import { identityOf, livenessOf, type Identity } from '../../process/identity.ts'
import type { PlanDir } from '../workspace/plan-dir.ts'

export interface Holder extends Identity {
  readonly run: string
  readonly command: string
  readonly since: string
  /** The plan that holds the lock of a work tree. */
  readonly plan?: string
}

export interface Lock {
  readonly holder: Holder
  release(): Promise<void>
}

interface LockedThing {
  readonly plan: string
  readonly workTree?: string
  /** An agent, or a command of a step, asks for it. */
  readonly isAgent?: boolean
}

/** `what`: the plan, or the work tree that the plan needs. */
export async function acquireLock(
  dir: PlanDir,
  claim: { run: string; command: string; since: string; plan?: string },
  what: LockedThing,
): Promise<Lock> {
  dir.ensure()
  const holder: Holder = { ...(await identityOf(process.pid)), ...claim }
  for (let tries = 0; ; tries += 1) {
    const before = await readLocks(dir)
    refuseIfHeld(before, what)
    const number = Math.max(0, ...before.map((lock) => lock.number)) + 1
    const name = `lock-${number}`
    if (!createLock(dir, name, holder)) continue
    const others = (await readLocks(dir)).filter((lock) => lock.number !== number)
    if (others.every((lock) => lock.liveness === 'dead')) {
      for (const lock of others) await dir.remove(`lock-${lock.number}`)
      return { holder, release: () => dir.remove(name) }
    }
    // Two locks appeared at once: both step back and retry at different moments.
    await dir.remove(name)
    if (tries > 20) refuseIfHeld(others, what)
    await sleep(10 + Math.random() * 60)
  }
}

export interface SeenLock {
  readonly number: number
  readonly holder: Holder | undefined
  readonly liveness: 'alive' | 'dead' | 'unknowable'
}

export async function readLocks(dir: PlanDir): Promise<SeenLock[]> {
  const seen: SeenLock[] = []
  for (const name of dir.list()) {
    const number = Number(/^lock-(\d+)$/.exec(name)?.[1] ?? Number.NaN)
    if (Number.isNaN(number)) continue
    const text = dir.read(name)
    if (text === undefined) continue
    const holder = parseHolder(text)
    seen.push({ number, holder, liveness: holder === undefined ? 'dead' : await livenessOf(holder) })
  }
  return seen
}

function refuseIfHeld(locks: readonly SeenLock[], { plan, workTree, isAgent = false }: LockedThing): void {
  const held = locks.find((lock) => lock.liveness !== 'dead')
  if (held?.holder === undefined) return
  const { pid, host, command, since } = held.holder
  const holding = held.holder.plan ?? plan
  const what = workTree === undefined ? `plan ${plan}` : `the work tree ${workTree}`
  const who = `process ${pid} on ${host} (git plan ${command}${workTree === undefined ? '' : ` of plan ${holding}`}, since ${since.slice(0, 16).replace('T', ' ')})`
  if (held.liveness === 'alive') {
    throw new PlanError('held', `${what} is locked by ${who}`, {
      hint: {
        // In a step, it would be the run of the step itself.
        ...(isAgent
          ? { 'see how it goes': `git plan status ${holding}` }
          : { 'interrupt it': `kill -INT ${pid}`, 'cancel its plan': `git plan cancel ${holding}` }),
        ...(workTree === undefined
          ? {}
          : { 'run this one in a separate work tree': `git plan start ${plan} --worktree` }),
      },
      facts: { holder: held.holder },
    })
  }
  throw new PlanError(
    'held',
    `${what} is locked by ${who}, on another machine or in another container: it cannot be checked from here whether that process is alive`,
    {
      hint: `if it is not: git plan doctor --unlock ${holding}`,
      facts: { holder: held.holder },
    },
  )
}

function createLock(dir: PlanDir, name: string, holder: Holder): boolean {
  const temporary = dir.file(`claim.${holder.run}`)
  const file = openSync(temporary, 'w')
  try {
    writeFileSync(file, JSON.stringify(holder))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  try {
    linkSync(temporary, dir.file(name))
    return true
  } catch (error) {
    // ENOENT: the current holder has swept our claim as a leftover of a crash.
    if (!['EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    return false
  } finally {
    removeIfPossible(temporary)
  }
}

/** A leftover is swept by the next command. */
function removeIfPossible(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Already gone, or harmless.
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const value = JSON.parse(text) as Partial<Holder>
    return typeof value.pid === 'number' && typeof value.host === 'string' ? (value as Holder) : undefined
  } catch {
    return undefined
  }
}
