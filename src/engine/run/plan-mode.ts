// Turns plan mode on and off, and leaves it while a plan runs; see store/plan-mode.ts.

import { identityOf } from '../../process/identity.ts'
import { treeLockName } from '../../plan/model/ids.ts'
import { modeFile, readModeRecord, type ModeRecord } from '../../store/plan-mode.ts'
import { PlanDir } from '../workspace/plan-dir.ts'
import type { Run } from './run.ts'

const dirOf = (gitDir: string): PlanDir => new PlanDir(gitDir, treeLockName)

export async function turnOnPlanMode(gitDir: string, now: Date): Promise<void> {
  const dir = dirOf(gitDir)
  dir.ensure()
  // A run that has left the mode goes on.
  const record: ModeRecord = { since: now.toISOString(), ...readModeRecord(gitDir) }
  await dir.writeJson(modeFile, record)
}

export const turnOffPlanMode = (gitDir: string): Promise<void> => dirOf(gitDir).remove(modeFile)

/** Returns the function that restores the mode; it does nothing if the mode was off, or was turned off meanwhile. */
export async function leavePlanMode({ repo: { gitDir }, id, token, world }: Run): Promise<() => Promise<void>> {
  const record = readModeRecord(gitDir)
  if (record === undefined) return async () => {}
  const since = record.since ?? world.now().toISOString()
  const left = { plan: id, run: token, identity: await identityOf(process.pid) }
  await dirOf(gitDir).writeJson(modeFile, { since, left } satisfies ModeRecord)
  return async () => {
    if (readModeRecord(gitDir)?.left?.run !== token) return
    await dirOf(gitDir).writeJson(modeFile, { since } satisfies ModeRecord)
  }
}
