// Finds and kills every process that a step started, even after the executor that started it died.

import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { factsOf, type ProcessFacts } from './identity.ts'
import { hasLimitMark } from './limit-mark.ts'

/** The environment variable that marks every process of a run; children inherit it even when they leave the group. */
export const runMarker = 'PLAN_RUN'
/** Marks the executor's own Git processes, which outlive a killed executor. */
export const gitMarker = 'PLAN_GIT'

export interface Traces {
  /** The value of PLAN_RUN. */
  readonly run: string
  readonly group?: number
  /** Start time of the group leader: a process that reuses its pid has another. */
  readonly groupStart?: string
  /** True: include the executor's own Git processes. For a run whose executor is dead. */
  readonly withGit?: boolean
}

/** Processes that were seen before, each with its start time. */
export interface Known {
  readonly ours: Map<number, string>
  /** Not read again: a process does not become ours, except as a child of one. */
  readonly others?: Map<number, string>
}

/** Every live process of the run: by group and session, by mark, and all descendants of these. Empty without /proc. */
export function membersOf(traces: Traces, { ours, others }: Known, all = listProcesses()): ProcessFacts[] {
  const mine = new Map<number, ProcessFacts>()
  const isGroupOurs = isOurGroup(all, traces)
  const isMarked = (facts: ProcessFacts): boolean => {
    if (!mayBeOurs(facts, traces) || others?.get(facts.pid) === facts.start) return false
    if (carriesMarker(facts.pid, traces) || hasLimitMark(facts.pid, traces.run)) return true
    others?.set(facts.pid, facts.start)
    return false
  }
  for (const facts of all.values()) {
    if (facts.isZombie || isSelfOrAbove(facts.pid, all)) continue
    const isInGroup = isGroupOurs && (facts.group === traces.group || facts.session === traces.group)
    if (ours.get(facts.pid) === facts.start || isInGroup || isMarked(facts)) mine.set(facts.pid, facts)
  }
  for (let grew = true; grew;) {
    grew = false
    for (const facts of all.values()) {
      if (!facts.isZombie && !mine.has(facts.pid) && mine.has(facts.parent)) {
        mine.set(facts.pid, facts)
        grew = true
      }
    }
  }
  for (const { pid, start } of mine.values()) ours.set(pid, start)
  return [...mine.values()]
}

function survivorsOf(traces: Traces, known: Map<number, string>): number[] {
  const all = listProcesses()
  // Without /proc only the group is visible.
  if (all.size === 0) return isGroupAlive(traces.group) ? [traces.group] : []
  return membersOf(traces, { ours: known }, all).map(({ pid }) => pid)
}

function isGroupAlive(group: number | undefined): group is number {
  try {
    return group !== undefined && process.kill(-group, 0)
  } catch {
    return false
  }
}

/** Sends TERM, then KILL. Returns the pids that are still alive. */
export async function killProcesses(traces: Traces, options: { graceMs?: number } = {}): Promise<number[]> {
  // A descendant becomes an orphan once its parent is gone, and may carry no mark, so each one found is remembered.
  const known = new Map<number, string>()
  let left = survivorsOf(traces, known)
  if (left.length === 0) return left
  signal(left, 'SIGTERM', traces.group)
  const graceUntil = Date.now() + (options.graceMs ?? 2000)
  while (left.length > 0 && Date.now() < graceUntil) {
    await sleep(20)
    left = survivorsOf(traces, known)
  }
  // A process may fork between the listing and the signal: list and kill until a listing is empty.
  const killUntil = Date.now() + 5000
  while (left.length > 0 && Date.now() < killUntil) {
    signal(left, 'SIGKILL', traces.group)
    await sleep(10)
    left = survivorsOf(traces, known)
  }
  return left
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/** Empty if there is no /proc; otherwise it contains at least this process. */
export function listProcesses(): Map<number, ProcessFacts> {
  const pids = namesIn('/proc').filter((name) => /^\d+$/.test(name))
  const facts = pids.map((pid) => factsOf(Number(pid)))
  return new Map(facts.filter((each) => each !== undefined).map((each) => [each.pid, each]))
}

// The kernel does not reuse a pid while a group or session has that number, so another start time means another group.
function isOurGroup(all: ReadonlyMap<number, ProcessFacts>, traces: Traces): boolean {
  if (traces.group === undefined) return false
  const leader = all.get(traces.group)
  return leader === undefined || traces.groupStart === undefined || leader.start === traces.groupStart
}

export function isSelfOrAbove(pid: number, all: ReadonlyMap<number, ProcessFacts>): boolean {
  for (let at = process.pid; at > 1; at = all.get(at)?.parent ?? 0) if (at === pid) return true
  return pid <= 1
}

/** A process older than the command cannot be its child. A dead run may have run other commands earlier. */
const mayBeOurs = (facts: ProcessFacts, traces: Traces): boolean =>
  traces.withGit === true || traces.groupStart === undefined || Number(facts.start) >= Number(traces.groupStart)

function carriesMarker(pid: number, { run, withGit }: Traces): boolean {
  let environment = ''
  try {
    environment = readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return false
  }
  if (!environment.includes(run)) return false
  const variables = environment.split('\0')
  return variables.includes(`${runMarker}=${run}`) || (withGit === true && variables.includes(`${gitMarker}=${run}`))
}

function signal(pids: readonly number[], name: NodeJS.Signals, group: number | undefined): void {
  // The group first: that reaches processes forked since the listing.
  for (const target of [...(group !== undefined && pids.includes(group) ? [-group] : []), ...pids]) {
    try {
      process.kill(target, name)
    } catch {
      // Already gone.
    }
  }
}
