// The same with isomorphic-git, on a file system that syncs its writes: the file first, then the directory that names
// it.

import { promises as fs } from 'node:fs'
import { dirname } from 'node:path'
import git from 'isomorphic-git'
import { changesOf, messageOf, paths } from './checkpoints.mjs'

async function sync(path) {
  const file = await fs.open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

const durable = {
  ...fs,
  async writeFile(path, bytes, options) {
    const file = await fs.open(path, 'w')
    try {
      await file.writeFile(bytes, options)
      await file.sync()
    } finally {
      await file.close()
    }
    await sync(dirname(path))
  },
}

const [dir, count] = process.argv.slice(2)
const repo = { fs: { promises: durable }, dir, cache: {} }
const who = { name: 'Ada Bench', email: 'ada@example.com', timestamp: 1_760_000_000, timezoneOffset: 0 }

async function treeWith(oid, path, blob) {
  const [name, ...rest] = path.split('/')
  const entries = oid === undefined ? [] : (await git.readTree({ ...repo, oid })).tree
  const old = entries.find((entry) => entry.path === name)
  const entry =
    rest.length === 0
      ? { mode: '100644', path: name, oid: blob, type: 'blob' }
      : { mode: '040000', path: name, oid: await treeWith(old?.oid, rest.join('/'), blob), type: 'tree' }
  return git.writeTree({ ...repo, tree: [...entries.filter((each) => each !== old), entry] })
}

let tip = await git.resolveRef({ ...repo, ref: 'HEAD' })
for (let at = 0; at < Number(count); at += 1) {
  let { tree } = (await git.readCommit({ ...repo, oid: tip })).commit
  for (const path of paths)
    tree = await treeWith(tree, path, await git.writeBlob({ ...repo, blob: Buffer.from(changesOf(at, path)) }))
  tip = await git.writeCommit({
    ...repo,
    commit: { tree, parent: [tip], author: who, committer: who, message: messageOf(at) },
  })
}
process.stdout.write(`${tip}\n`)
