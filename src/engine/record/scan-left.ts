// A look at what a step left. A directory that it left unreadable is made readable first: what is in there is a part of
// the step like all else.

import { UnreadableDirectories, makeReadable } from '../../git/worktree/unreadable-directories.ts'
import { describePaths, type RawPath } from '../../git/read/raw-path.ts'
import type { Scan } from '../../git/worktree/work-tree.ts'
import type { Worker } from '../run/worker.ts'

export async function scanLeft(
  worker: Worker,
  scan = (): Promise<Scan> => worker.workspace.tree.scan(undefined, worker.workspace.preserved),
): Promise<Scan> {
  const opened: RawPath[] = []
  for (;;) {
    try {
      const found = await scan()
      if (opened.length > 0)
        worker.run.world.emit({
          kind: 'notice',
          message: `unreadable directories were made readable: ${describePaths(opened.toSorted())}`,
        })
      return found
    } catch (error) {
      // Below one that was opened there may be the next.
      const now = error instanceof UnreadableDirectories ? makeReadable(worker.workspace.tree.root, error.paths) : []
      if (now.length === 0) throw error
      opened.push(...now)
    }
  }
}
