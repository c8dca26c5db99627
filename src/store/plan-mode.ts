// Plan mode: while it is on in a work tree, agents may only read there, and nothing is committed by hand. It is a file
// in the Git directory of the work tree. A run leaves the mode by naming itself in that file; it is on again as soon as
// that process is gone, however it ended.

import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { treeLockName } from '../plan/model/ids.ts'
import { livenessOf, type Identity } from '../process/identity.ts'

export const modeFile = 'mode.json'

export interface PlanMode {
  /** `left`: on, but a plan runs here. */
  readonly state: 'on' | 'off' | 'left'
  readonly since: string | null
  /** The plan that runs. */
  readonly plan: string | null
}

/** The contents of the file. */
export interface ModeRecord {
  readonly since: string
  readonly left?: { readonly plan: string; readonly run: string; readonly identity: Identity }
}

const path = (gitDir: string): string => join(gitDir, 'plan', treeLockName, modeFile)

/** A file that cannot be read means that the mode is on. */
export async function readPlanMode(gitDir: string): Promise<PlanMode> {
  const record = readModeRecord(gitDir)
  if (record === undefined) return { state: 'off', since: null, plan: null }
  const { since = null, left } = record
  const isLeft = left !== undefined && (await isAlive(left.identity))
  return { state: isLeft ? 'left' : 'on', since, plan: isLeft ? left.plan : null }
}

export function readModeRecord(gitDir: string): Partial<ModeRecord> | undefined {
  try {
    if (lstatSync(path(gitDir), { throwIfNoEntry: false }) === undefined) return undefined
    const value: unknown = JSON.parse(readFileSync(path(gitDir), 'utf8'))
    return typeof value === 'object' && value !== null ? value : {}
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? undefined : {}
  }
}

/** A process on another machine, or in another container, cannot be seen from here: then the mode is on. */
async function isAlive(identity: Identity): Promise<boolean> {
  try {
    return (await livenessOf(identity)) === 'alive'
  } catch {
    return false
  }
}
