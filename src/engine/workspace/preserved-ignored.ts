// Files that were ignored before a step are the user's, whatever the step does to the ignore rules: they are never staged, moved or removed.

import { PathSet, type RawPath } from '../../git/read/raw-path.ts'
import type { Scan } from '../../git/worktree/work-tree.ts'
import type { Session } from '../run/session.ts'

/** What the executor may commit, save or move aside. */
export const stageable = (session: Session, scan: Scan): RawPath[] => [...scan.changed, ...scan.untracked.filter((path) => !session.notOurs.covers(path))]

/** What a later step must leave alone: what is ignored now, and what was ignored before and is still lying there. */
export function rememberIgnored(session: Session, scan: Scan): void {
  const next = new PathSet(scan.ignored)
  for (const path of scan.untracked) if (session.notOurs.covers(path)) next.add(path)
  session.notOurs = next
}

/** The tree as it is between steps: `dirty` is what the tip does not account for. */
export async function scanPlace(session: Session): Promise<{ scan: Scan; dirty: RawPath[] }> {
  await recallNotOurs(session)
  const scan = await session.place.scan(undefined, session.notOurs)
  const dirty = [...stageable(session, scan), ...scan.nested]
  rememberIgnored(session, scan)
  return { scan, dirty }
}

/** On disk before a step: recovery has only the ignore rules as the dead step left them. */
export async function keepNotOurs(session: Session): Promise<void> {
  const text = [...session.notOurs].map((path) => `${path}\0`).join('')
  if (text === session.keptNotOurs) return
  await session.dir.write('not-ours', Buffer.from(text, 'latin1'))
  session.keptNotOurs = text
}

export async function recallNotOurs(session: Session): Promise<void> {
  const text = session.dir.read('not-ours', 'latin1') ?? ''
  for (const path of text.split('\0')) if (path !== '') session.notOurs.add(path as RawPath)
}
