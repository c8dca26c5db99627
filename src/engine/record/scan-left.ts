// Scans the work tree after a step. Makes unreadable directories readable first, since their files are part of the
// step's result.

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
        worker.emit({
          kind: 'notice',
          message: `unreadable directories were made readable: ${describePaths(opened.toSorted())}`,
        })
      return found
    } catch (error) {
      // A directory that was just opened may contain further unreadable ones.
      const now = error instanceof UnreadableDirectories ? makeReadable(worker.workspace.tree.root, error.paths) : []
      if (now.length === 0) throw error
      opened.push(...now)
    }
  }
}
