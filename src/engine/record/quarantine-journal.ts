// Files moved to quarantine but not yet reported in a commit. Written before a file is moved, so that after a crash the
// next command can report them.

import { lstatSync } from 'node:fs'
import { onDisk } from '../../git/read/raw-path.ts'
import type { PlanDir } from '../workspace/plan-dir.ts'
import type { FoundSecret } from './secret-search.ts'
import type { Run } from '../run/run.ts'
import type { Worker } from '../run/worker.ts'

const name = 'quarantine.json'

export interface Quarantined {
  /** The mark of the worker. */
  readonly run: string
  /** The checkpoint that the work tree was compared with. */
  readonly tip: string
  readonly place: string
  /** `path` is raw, with one byte per character. */
  readonly found: readonly FoundSecret[]
}

/** Durable when this returns. */
export async function noteQuarantined(
  { run, mark, at }: Worker,
  directory: string,
  found: readonly FoundSecret[],
): Promise<void> {
  const entry: Quarantined = { run: mark, tip: at.tip, place: directory, found }
  await run.inTurn(async () => run.dir.writeJson(name, [...(await readQuarantined(run.dir)), entry]))
}

export async function readQuarantined(dir: PlanDir): Promise<readonly Quarantined[]> {
  const value = (await dir.readJson(name))?.value
  return Array.isArray(value) ? value.filter(isQuarantined) : []
}

/** The files that were moved before the crash. The others are still in the work tree and will be found again. */
export const movedFiles = ({ place, found }: Quarantined): readonly FoundSecret[] =>
  found.filter(({ path }) => lstatSync(onDisk(place, path), { throwIfNoEntry: false }) !== undefined)

/** Removes entries that have been reported. */
export async function forgetQuarantined(
  run: Pick<Run, 'dir' | 'inTurn'>,
  isReported: (each: Quarantined) => boolean,
): Promise<void> {
  await run.inTurn(async () => {
    const all = await readQuarantined(run.dir)
    const left = all.filter((each) => !isReported(each))
    if (left.length > 0 && left.length < all.length) await run.dir.writeJson(name, left)
    else if (left.length === 0 && all.length > 0) await run.dir.remove(name)
  })
}

function isQuarantined(value: unknown): value is Quarantined {
  const { run, tip, place, found } = (value ?? {}) as Partial<Record<keyof Quarantined, unknown>>
  return [run, tip, place].every((each) => typeof each === 'string') && Array.isArray(found) && found.every(isFound)
}

function isFound(value: unknown): value is FoundSecret {
  const { path, what, shown } = (value ?? {}) as Partial<Record<keyof FoundSecret, unknown>>
  return [path, what, shown].every((each) => typeof each === 'string')
}
