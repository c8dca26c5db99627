// Applies the changes of a saved commit, relative to its parent or another commit, to the work tree at the checkpoint.

import { unlink } from 'node:fs/promises'
import { PlanError } from '../../errors.ts'
import { onDisk, rawList, rawPath } from '../../git/read/raw-path.ts'
import type { Oid } from '../../plan/model/ids.ts'
import type { Worker } from '../run/worker.ts'

/** `planFiles`: besides the plan's own, the one of the plan that made the commit. */
export async function applyTree(
  worker: Worker,
  commit: Oid,
  over?: Oid,
  planFiles: readonly string[] = [],
): Promise<void> {
  const { tree, repo } = worker.workspace
  const saved = await repo.readCommit(commit)
  const parent = over ?? saved?.parents[0]
  if (saved === undefined || parent === undefined)
    throw new PlanError('usage', `${commit} is not a saved attempt`, { hint: `git plan attempts ${worker.run.id}` })
  const inTheWay = await tree.filesInTheWay(parent, saved.tree)
  if (inTheWay.length > 0) {
    const aside = await worker.run.dir.newAside('attempt')
    await tree.moveAside(inTheWay, aside)
    worker.emit({ kind: 'notice', message: `files in the way of the attempt were moved to ${aside}` })
  }
  const excluded = new Set([worker.run.planPath, ...planFiles].map(rawPath))
  const changes = (await tree.changesBetween(parent, saved.tree)).filter(({ path }) => !excluded.has(path))
  const written = changes
    .filter(({ status, newMode }) => status !== 'D' && newMode !== '160000')
    .map(({ path }) => path)
  // Before anything is written: a symlink in the place of a directory would lead the removal out of the work tree.
  const gone = new Set(changes.filter(({ status }) => status === 'D').map(({ path }) => path))
  for (const path of await tree.existingPaths([...gone])) if (gone.has(path)) await unlink(onDisk(tree.root, path))
  if (written.length > 0) {
    const index = await tree.emptyIndex(saved.tree)
    await repo.git.run(['checkout-index', '-f', '-z', '--stdin'], { index, input: rawList(written) })
    await unlink(index)
  }
}
