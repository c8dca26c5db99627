// Switches a work tree to another commit completely: Git reports success even if it could not remove, replace or make a
// file.

import { PlanError } from '../../errors.ts'
import { rawList, type RawPath } from '../../git/read/raw-path.ts'
import { hasBytes } from '../../git/worktree/stash.ts'
import { machineErrorOf } from '../../git/command/machine-errors.ts'
import type { WorkTree } from '../../git/worktree/work-tree.ts'
import type { Oid } from '../../plan/model/ids.ts'
import type { Workspace } from './workspace.ts'

export async function checkout({ repo, tree }: Workspace, to: string): Promise<void> {
  const from = await repo.headCommit()
  const isBranch = to.startsWith('refs/heads/')
  const args = [
    'checkout',
    '-q',
    '--no-overwrite-ignore',
    '--no-recurse-submodules',
    ...(isBranch ? [to.slice('refs/heads/'.length)] : ['--detach', to]),
    '--',
  ]
  const answer = await repo.git.run(args, { hooks: true, ok: [0, 1, 128] })
  // A failing post-checkout hook makes checkout fail after it has switched.
  const [head, tip] = answer.code === 0 ? [] : [await repo.headBranch(), await repo.resolve('HEAD')]
  const isSwitched = answer.code === 0 || (isBranch ? head === to : head === undefined && tip === to)
  if (isSwitched) {
    if (answer.stderr !== '') await updateStaleFiles(tree, { from, to: await repo.headCommit() })
    return
  }
  throw (
    machineErrorOf('checkout', answer) ??
    new PlanError(
      'dirty-tree',
      `git could not switch to ${to.replace('refs/heads/', '')}: ${answer.stderr.trim().split('\n').slice(0, 8).join('\n')}`,
      {
        hint: 'move the files that are in the way, or use a separate work tree: --worktree',
      },
    )
  )
}

/** Updates files that Git left in their old version. A file in any other version has been edited and stays. */
export async function updateStaleFiles(
  tree: WorkTree,
  { from, to }: { readonly from: Oid; readonly to: Oid },
): Promise<void> {
  const changes = await tree.changesBetween(from, to)
  const present = new Set(await tree.existingPaths(changes.map(({ path }) => path)))
  const behind: RawPath[] = []
  for (const { path, status } of changes) {
    const isBehind = status === 'A' ? !present.has(path) : present.has(path) && (await hasBytes(tree, from, path))
    if (!isBehind) continue
    if (status === 'D') await tree.removeFile(path)
    else behind.push(path)
  }
  if (behind.length > 0)
    await tree.repo.git.run(['checkout-index', '--force', '-z', '--stdin'], { input: rawList(behind) })
}
