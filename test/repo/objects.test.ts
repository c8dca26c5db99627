// What we write without a process is what git writes.

import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { ObjectWriter } from '../../src/git/objects.ts'
import { Repository } from '../../src/git/repository.ts'
import type { Oid } from '../../src/plan/values.ts'
import { gitEnvironment } from '../../src/process/environment.ts'
import { test, TestRepo } from '../helpers/repo.ts'

async function withWriter<T>(
  repo: TestRepo,
  work: (objects: ObjectWriter, opened: Repository) => Promise<T>,
  env: Record<string, string | undefined> = {},
): Promise<T> {
  const opened = await Repository.open({ cwd: repo.dir, env: gitEnvironment({ ...repo.env, ...env }) })
  try {
    return await work(new ObjectWriter(opened), opened)
  } finally {
    opened.close()
  }
}

const same = async (repo: TestRepo): Promise<void> => {
  await withWriter(repo, async (objects) => {
    const bytes = fc.uint8Array({ maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        const id = await objects.blob(content)
        expect(repo.git(['hash-object', '--stdin', '--no-filters'], { input: Buffer.from(content) as unknown as string })).toBe(id)
      }),
      { numRuns: 10 },
    )
    // Names whose order is not that of the letters: a directory sorts as if it ended with a slash.
    for (const path of ['a/b', 'a-b', 'a.b', 'a0', 'a/é', 'ü/x y', 'z']) repo.write(path, path)
    repo.commit('Names')
    const tree = repo.git(['rev-parse', 'HEAD^{tree}']) as Oid
    const blob = await objects.blob(Buffer.from('new\n'))
    for (const path of ['a/b', 'a', 'a!', 'ü/y', 'n/e/w', 'zz']) {
      const made = await objects.treeWith(tree, path, blob)
      const index = join(repo.home, `index-${path.replaceAll('/', '-')}`)
      const env = { GIT_INDEX_FILE: index }
      repo.git(['read-tree', tree], { env })
      if (path === 'a') repo.git(['rm', '-rq', '--cached', 'a'], { env })
      repo.git(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`], { env })
      expect(made, path).toBe(repo.git(['write-tree'], { env }))
    }
    expect(await objects.treeWith(await objects.treeWith(await objects.emptyTree(), 'd/e', blob), 'd/e', undefined)).toBe(await objects.emptyTree())

    const parents = [repo.git(['rev-parse', 'HEAD']) as Oid]
    const commit = await objects.commit({ tree, parents, message: 'Ünïcode\n\nBody without an end' })
    expect(commit).toBe(repo.git(['commit-tree', '-p', parents[0] ?? '', '-F', '-', tree], { input: 'Ünïcode\n\nBody without an end' }))
    repo.git(['update-ref', 'refs/heads/made', commit])
  })
  expect(repo.fsck()).toBe('')
}

test('objects are those of git, in a repository with SHA-1', async ({ repo }) => same(repo))

test('and in one with SHA-256', async () => {
  const repo = new TestRepo({ init: ['--object-format=sha256'] })
  await same(repo)
  repo.remove()
})

test('a commit has the time of its making, unless the environment fixes it', async ({ repo }) => {
  const tree = repo.git(['rev-parse', 'HEAD^{tree}']) as Oid
  const seconds = (commit: string): number => Number(repo.git(['log', '-1', '--format=%at', commit]))
  const before = Math.floor(Date.now() / 1000)
  const now = await withWriter(repo, (objects) => objects.commit({ tree, parents: [], message: 'Now' }), {
    GIT_AUTHOR_DATE: undefined,
    GIT_COMMITTER_DATE: undefined,
  })
  expect(seconds(now)).toBeGreaterThanOrEqual(before)
  const fixed = await withWriter(repo, (objects) => objects.commit({ tree, parents: [], message: 'Then' }))
  expect(seconds(fixed)).toBe(Date.parse('2026-01-02T03:04:05Z') / 1000)
})

test('a shared repository gets the rights that it asks for, and nothing unfinished is left', async ({ repo }) => {
  const tree = repo.git(['rev-parse', 'HEAD^{tree}']) as Oid
  repo.git(['config', 'core.sharedRepository', 'group'])
  const before = process.umask(0o077)
  try {
    const ids = await withWriter(repo, async (objects) => [
      await objects.blob(Buffer.from('shared\n')),
      await objects.commit({ tree, parents: [], message: 'Shared' }),
    ])
    for (const id of ids) {
      expect(statSync(repo.path('.git/objects', id.slice(0, 2), id.slice(2))).mode & 0o777).toBe(0o440)
      expect(statSync(repo.path('.git/objects', id.slice(0, 2))).mode & 0o070).toBe(0o070)
    }
  } finally {
    process.umask(before)
  }
  expect(readdirSync(repo.path('.git/objects'), { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('tmp_obj'))).toEqual([])
})

test('an empty object that a power cut left is written again, and a directory that goes away meanwhile is made again', async ({ repo }) => {
  await withWriter(repo, async (objects) => {
    const id = await objects.blob(Buffer.from('whole\n'))
    const path = repo.path('.git/objects', id.slice(0, 2), id.slice(2))
    rmSync(path)
    writeFileSync(path, '')
    expect(await objects.blob(Buffer.from('whole\n'))).toBe(id)
    expect(repo.git(['cat-file', '-p', id])).toBe('whole')
    rmSync(dirname(path), { recursive: true })
    await objects.blob(Buffer.from('whole\n'))
    await objects.flush()
  })
  expect(repo.fsck()).toBe('')
})

test('what is wrong with a date or a name is said, or left to git', async ({ repo }) => {
  const tree = repo.git(['rev-parse', 'HEAD^{tree}']) as Oid
  const commit = (env: Record<string, string>) => withWriter(repo, (objects) => objects.commit({ tree, parents: [], message: 'Made' }), env)
  await expect(commit({ GIT_COMMITTER_DATE: 'not a date' })).rejects.toMatchObject({ code: 'usage', hint: 'unset GIT_COMMITTER_DATE' })
  expect(repo.git(['log', '-1', '--format=%an', await commit({ GIT_AUTHOR_NAME: '\u00a0Ann' })])).toBe('\u00a0Ann')
})
