// The commits that this clone's executor made: on the plan's branch, attempts, effects. A commit's own claim proves
// nothing, since anybody who can push can write it, so each commit is recorded here before a ref moves to it. If the
// record is lost, a new approval is needed where the policy asks for more than a local one.

import { appendFileSync, readFileSync } from 'node:fs'
import type { RefMove } from '../../git/read/refs.ts'
import type { PlanId } from '../../plan/model/ids.ts'
import { PlanDir } from '../workspace/plan-dir.ts'

const name = 'made'

export function noteMade(dir: PlanDir, moves: readonly RefMove[]): void {
  const lines = moves.flatMap(({ to }) => (to === undefined ? [] : [`${to}\n`]))
  if (lines.length === 0) return
  dir.ensure()
  appendFileSync(dir.file(name), lines.join(''))
}

export function readMade(commonDir: string, id: PlanId): ReadonlySet<string> {
  try {
    return new Set(readFileSync(new PlanDir(commonDir, id).file(name), 'utf8').split('\n'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Set()
    throw error
  }
}
