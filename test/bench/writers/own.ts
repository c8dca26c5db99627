// Writes a number of checkpoints with our own writer: the objects of a commit that changes two files, on disk, before
// any ref names them.

import { ObjectWriter } from '../../../src/git/write/objects.ts'
import { rawPath } from '../../../src/git/read/raw-path.ts'
import { Repository } from '../../../src/git/repository.ts'
import type { TreeFile } from '../../../src/git/read/tree-text.ts'
import { gitEnvironment } from '../../../src/process/environment.ts'
import { changesOf, messageOf, paths } from './checkpoints.mjs'

const [dir = '', count = '0'] = process.argv.slice(2)
const repo = await Repository.open({ cwd: dir, env: gitEnvironment(process.env), isFast: true })
const objects = new ObjectWriter(repo)
let tip = await repo.headCommit()
for (let at = 0; at < Number(count); at += 1) {
  const edits = new Map<ReturnType<typeof rawPath>, TreeFile>()
  for (const path of paths)
    edits.set(rawPath(path), { mode: '100644', oid: await objects.blob(Buffer.from(changesOf(at, path))) })
  const tree = await objects.treeWithAll(await objects.treeOf(tip), edits)
  tip = await objects.commit({ tree, parents: [tip], message: messageOf(at) })
  await objects.flush()
}
repo.close()
process.stdout.write(`${tip}\n`)
