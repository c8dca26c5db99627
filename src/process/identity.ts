// Identifies a process by facts that survive pid reuse: boot, pid namespace, pid and start time.

import { closeSync, openSync, readFileSync, readlinkSync, readSync } from 'node:fs'
import { hostname } from 'node:os'

export interface Identity {
  readonly host: string
  readonly boot: string
  readonly namespace: string
  readonly pid: number
  /** In clock ticks since boot; pid and start time together identify one process of this boot. */
  readonly start: string
}

export async function identityOf(pid: number): Promise<Identity> {
  return { host: hostname(), boot: bootId(), namespace: pidNamespace(), pid, start: startTime(pid) ?? '' }
}

/** `unknowable`: the process is on another machine or in another pid namespace. */
export async function livenessOf(identity: Identity): Promise<'alive' | 'dead' | 'unknowable'> {
  if (identity.host !== hostname()) return 'unknowable'
  // The host has rebooted since, so the process is gone.
  if (bootId() !== identity.boot) return 'dead'
  if (pidNamespace() !== identity.namespace) return 'unknowable'
  const start = startTime(identity.pid)
  if (start === undefined) return 'dead'
  return start === identity.start ? 'alive' : 'dead'
}

export interface ProcessFacts {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  readonly start: string
  readonly name: string
  readonly isZombie: boolean
  /** Processor time in clock ticks, its own and that of children that it has waited for. */
  readonly ticks: number
  readonly childTicks: number
  /** Resident memory. */
  readonly pages: number
}

/** undefined: there is no such process, or no /proc. */
export function factsOf(pid: number): ProcessFacts | undefined {
  let text: string
  try {
    text = statLine(pid)
  } catch {
    return undefined
  }
  // The name may contain spaces and parentheses: the last parenthesis closes it.
  const open = text.indexOf('(')
  const close = text.lastIndexOf(')')
  const fields = text.slice(close + 2).split(' ')
  return {
    pid,
    name: text.slice(open + 1, close),
    isZombie: fields[0] === 'Z' || fields[0] === 'X',
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    start: fields[19] ?? '',
    ticks: Number(fields[11]) + Number(fields[12]),
    childTicks: Number(fields[13]) + Number(fields[14]),
    pages: Number(fields[21]),
  }
}

/**
 * Synchronous, since /proc never waits for a disk. Every process is read after each command, and `readFileSync` would
 * allocate 64 kB for each.
 */
function statLine(pid: number): string {
  const file = openSync(`/proc/${pid}/stat`, 'r')
  try {
    return lineBytes.toString('latin1', 0, readSync(file, lineBytes))
  } finally {
    closeSync(file)
  }
}

const lineBytes = Buffer.alloc(4096)

function startTime(pid: number): string | undefined {
  const facts = factsOf(pid)
  if (facts !== undefined) return facts.isZombie ? undefined : facts.start
  if (process.platform === 'linux') return undefined
  try {
    process.kill(pid, 0)
    return ''
  } catch {
    return undefined
  }
}

/** Constant for the life of this process. */
const bootId = once(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim())
const pidNamespace = once(() => readlinkSync('/proc/self/ns/pid'))

function once(read: () => string): () => string {
  let known: string | undefined
  return () => {
    try {
      return (known ??= read())
    } catch {
      return (known = '')
    }
  }
}
