// Files that were ignored before a step are the user's, even if the step changes the ignore rules: they are never
// staged, moved or removed.

import { PathSet, type RawPath } from '../../git/read/raw-path.ts'
import type { Scan } from '../../git/worktree/work-tree.ts'
import type { Workspace } from './workspace.ts'

/** Paths that the executor may commit, save or move aside. */
export const stageable = (workspace: Workspace, scan: Scan): RawPath[] => [
  ...scan.changed,
  ...scan.untracked.filter((path) => !workspace.preserved.covers(path)),
]

/** A later step must leave alone what is ignored now, and what was ignored before and still exists. */
export function rememberIgnored(workspace: Workspace, scan: Scan): void {
  const next = new PathSet(scan.ignored)
  for (const path of scan.untracked) if (workspace.preserved.covers(path)) next.add(path)
  workspace.preserved = next
}

/** Scans the tree between steps. `dirty`: paths that differ from the tip. */
export async function scanWorkspace(workspace: Workspace): Promise<{ scan: Scan; dirty: RawPath[] }> {
  await recallPreserved(workspace)
  const scan = await workspace.tree.scan(undefined, workspace.preserved)
  const dirty = [...stageable(workspace, scan), ...scan.nested]
  rememberIgnored(workspace, scan)
  return { scan, dirty }
}

/** Written to disk before a step: after a crash, recovery sees only the ignore rules as the step left them. */
export async function keepPreserved(workspace: Workspace): Promise<void> {
  const text = [...workspace.preserved].map((path) => `${path}\0`).join('')
  if (text === workspace.preservedOnDisk) return
  await workspace.dir.write('not-ours', Buffer.from(text, 'latin1'))
  workspace.preservedOnDisk = text
}

export async function recallPreserved(workspace: Workspace): Promise<void> {
  const text = workspace.dir.read('not-ours', 'latin1') ?? ''
  for (const path of text.split('\0')) if (path !== '') workspace.preserved.add(path as RawPath)
}
