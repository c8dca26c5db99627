// What the guard leaves behind: for each agent the last call (its heartbeat), which proves that the agent runs the hook,
// and a log of the guarded tools that were used without a plan. Nothing depends on these files, so nothing here throws.

import { constants } from 'node:fs'
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A plan may be called `guard`, so the directory has a dot. */
export const guardDirectory = (commonDir: string): string => join(commonDir, 'plan', '.guard')

export interface Heartbeat {
  /** ISO 8601 */
  readonly at: string
  /** Of git plan. */
  readonly version: string
  readonly session: string | null
  readonly tool: string | null
  readonly decision: 'allow' | 'deny'
}

const heartbeatFile = (commonDir: string, agent: string): string => join(guardDirectory(commonDir), `${agent}.json`)
const guardLog = (commonDir: string): string => join(guardDirectory(commonDir), 'log.jsonl')

/** The log is renamed once it is this large; one earlier log is kept. */
const mostLog = 1024 * 1024

// Not through a symlink, and without waiting for the reader of a pipe.
const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants

export async function writeHeartbeat(commonDir: string, agent: string, heartbeat: Heartbeat): Promise<void> {
  await write(heartbeatFile(commonDir, agent), O_TRUNC, heartbeat, guardDirectory(commonDir))
}

export async function logUnplanned(commonDir: string, entry: object): Promise<void> {
  const file = guardLog(commonDir)
  const facts = await stat(file).catch(() => undefined)
  if (facts !== undefined && facts.size > mostLog) await rename(file, `${file}.1`).catch(() => {})
  await write(file, O_APPEND, entry, guardDirectory(commonDir))
}

async function write(file: string, how: number, value: object, directory: string): Promise<void> {
  const flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | how
  try {
    const opened = await open(file, flags, 0o666).catch(async () => {
      await mkdir(directory, { recursive: true })
      return open(file, flags, 0o666)
    })
    try {
      await opened.write(`${JSON.stringify(value)}\n`)
    } finally {
      await opened.close()
    }
  } catch {
    // The answer of the guard does not depend on it.
  }
}

/** undefined: the guard has not been called by this agent here. */
export async function readHeartbeat(commonDir: string, agent: string): Promise<Heartbeat | undefined> {
  try {
    const value = JSON.parse(await readFile(heartbeatFile(commonDir, agent), 'utf8')) as Partial<Heartbeat>
    if (typeof value.at !== 'string' || Number.isNaN(Date.parse(value.at))) return undefined
    const text = (each: unknown): string | null => (typeof each === 'string' ? each : null)
    return {
      at: value.at,
      version: text(value.version) ?? '',
      session: text(value.session),
      tool: text(value.tool),
      decision: value.decision === 'deny' ? 'deny' : 'allow',
    }
  } catch {
    return undefined
  }
}
