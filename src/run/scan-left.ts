// A look at what a step left. A directory that it left unreadable is made readable first: what is in there is a part of the step like all else.

import { ClosedDirectories, openDirectories } from '../git/closed-directories.ts'
import { describePaths, type RawPath } from '../git/raw-path.ts'
import type { Scan } from '../git/work-tree.ts'
import type { Session } from './session.ts'

export async function scanLeft(session: Session, scan = (): Promise<Scan> => session.place.scan(undefined, session.notOurs)): Promise<Scan> {
  const opened: RawPath[] = []
  for (;;) {
    try {
      const found = await scan()
      if (opened.length > 0) session.world.emit({ kind: 'notice', message: `unreadable directories were made readable: ${describePaths(opened.toSorted())}` })
      return found
    } catch (error) {
      // Below one that was opened there may be the next.
      const now = error instanceof ClosedDirectories ? openDirectories(session.place.root, error.paths) : []
      if (now.length === 0) throw error
      opened.push(...now)
    }
  }
}
