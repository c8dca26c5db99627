// What we write without a process is what git writes.

import { readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { ObjectWriter } from '../../src/git/write/objects.ts'
import { Repository } from '../../src/git/repository.ts'
import type { Oid } from '../../src/plan/model/ids.ts'
import { gitEnvironment } from '../../src/process/environment.ts'
import { test, TestRepo } from '../helpers/repo.ts'

async function withWriter<T>(
  repo: TestRepo,
  work: (objects: ObjectWriter, opened: Repository) => Promise<T>,
  env: Record<string, string | undefined> = {},
): Promise<T> {
  const opened = await Repository.open({ cwd: repo.dir, env: gitEnvironment({ ...repo.env, ...env }), isFast: true })
  try {
    const objects = new ObjectWriter(opened)
    const made = await work(objects, opened)
    await objects.flush()
    return made
  } finally {
    opened.close()
  }
}

const same = async (repo: TestRepo): Promise<void> => {
  // Two commits are compared, which are not always made within the same second.
  repo.env['GIT_AUTHOR_DATE'] = repo.env['GIT_COMMITTER_DATE'] = '2026-01-02T03:04:05Z'
  await withWriter(repo, async (objects) => {
    const bytes = fc.uint8Array({ maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        const id = await objects.blob(content)
        expect(
          repo.git(['hash-object', '--stdin', '--no-filters'], { input: Buffer.from(content) as unknown as string }),
        ).toBe(id)
      }),
      { numRuns: 10 },
    )
    // Names whose order is not that of the letters: a directory sorts as if it ended with a slash.
    for (const path of ['a/b', 'a-b', 'a.b', 'a0', 'a/é', 'ü/x y', 'z']) repo.write(path, path)
    repo.commit('Names')
    const tree = repo.git(['rev-parse', 'HEAD^{tree}']) as Oid
    const blob = await objects.blob(Buffer.from('new\n'))
    await objects.flush()
    for (const path of ['a/b', 'a', 'a!', 'ü/y', 'n/e/w', 'zz']) {
      const made = await objects.treeWith(tree, path, blob)
      const index = join(repo.home, `index-${path.replaceAll('/', '-')}`)
      const env = { GIT_INDEX_FILE: index }
      repo.git(['read-tree', tree], { env })
      if (path === 'a') repo.git(['rm', '-rq', '--cached', 'a'], { env })
      repo.git(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`], { env })
      expect(made, path).toBe(repo.git(['write-tree'], { env }))
    }
    expect(
      await objects.treeWith(await objects.treeWith(await objects.emptyTree(), 'd/e', blob), 'd/e', undefined),
    ).toBe(await objects.emptyTree())

    const parents = [repo.git(['rev-parse', 'HEAD']) as Oid]
    const commit = await objects.commit({ tree, parents, message: 'Ünïcode\n\nBody without an end' })
    expect(commit).toBe(
      repo.git(['commit-tree', '-p', parents[0] ?? '', '-F', '-', tree], { input: 'Ünïcode\n\nBody without an end' }),
    )
    const tagger = await objects.committer()
    const tag = await objects.tag({ object: commit, name: 'made', message: 'Ünïcode\n', tagger })
    const text = `object ${commit}\ntype commit\ntag made\ntagger ${tagger}\n\nÜnïcode\n`
    expect(tag).toBe(repo.git(['hash-object', '-t', 'tag', '--stdin'], { input: text }))
    await objects.flush()
    repo.git(['update-ref', 'refs/tags/made', tag])
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
  const now = await withWriter(repo, (objects) => objects.commit({ tree, parents: [], message: 'Now' }))
  expect(seconds(now)).toBeGreaterThanOrEqual(before)
  const date = '2026-01-02T03:04:05Z'
  const fixed = await withWriter(repo, (objects) => objects.commit({ tree, parents: [], message: 'Then' }), {
    GIT_AUTHOR_DATE: date,
  })
  expect(seconds(fixed)).toBe(Date.parse(date) / 1000)
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
    for (const id of ids) repo.git(['cat-file', '-e', id])
    const packs = readdirSync(repo.path('.git/objects/pack')).map(
      (name) => statSync(repo.path('.git/objects/pack', name)).mode & 0o777,
    )
    expect(packs).toEqual([0o440, 0o440])
  } finally {
    process.umask(before)
  }
  expect(
    readdirSync(repo.path('.git'), { recursive: true, encoding: 'utf8' }).filter((name) => /tmp_|plan\//.test(name)),
  ).toEqual([])
})

test('what git has written comes into the repository as a pack that is kept until the end, and a hook’s object with it', async ({
  repo,
}) => {
  const keeps = (): string[] => readdirSync(repo.path('.git/objects/pack')).filter((name) => name.endsWith('.keep'))
  repo.write('.gitattributes', '*.txt text eol=crlf\n')
  const byHook = repo.git(['hash-object', '-w', '--stdin'], { input: 'by a hook\n' }) as Oid
  const blob = await withWriter(repo, async (objects, opened) =>
    opened.store.withKeptObjects(async () => {
      const id = await objects.blob(Buffer.from('one\r\n'), 'one.txt')
      // We see it before anybody else does.
      expect((await opened.readBlob(id))?.toString()).toBe('one\n')
      expect(() => repo.git(['cat-file', '-e', id])).toThrow()
      await objects.flush([byHook])
      expect(keeps()).not.toEqual([])
      repo.git(['gc', '--prune=now', '-q'])
      for (const each of [id, byHook]) repo.git(['cat-file', '-e', each])
      return id
    }),
  )
  expect(keeps()).toEqual([])
  expect(readdirSync(repo.path('.git/plan'))).toEqual([])
  // Nothing names it: from here on it is git's to remove.
  repo.git(['gc', '--prune=now', '-q'])
  expect(() => repo.git(['cat-file', '-e', blob])).toThrow()
})

test('what a killed run left in the store is removed after a day, and what others keep is not', async ({ repo }) => {
  const long = new Date(Date.now() - 25 * 3600_000)
  const files: Record<string, string> = {
    'objects/pack/pack-1.keep': 'git plan\n',
    'objects/pack/pack-2.keep': 'of a person\n',
    'plan/objects.0123abcd/x': '',
  }
  for (const [name, text] of Object.entries(files)) repo.write(`.git/${name}`, text)
  for (const name of ['objects/pack/pack-1.keep', 'objects/pack/pack-2.keep', 'plan/objects.0123abcd'])
    utimesSync(repo.path('.git', name), long, long)
  repo.write('.git/objects/pack/pack-3.keep', 'git plan\n')
  await withWriter(repo, (objects) => objects.blob(Buffer.from('x')))
  const left = readdirSync(repo.path('.git/objects/pack')).filter((name) => name.endsWith('.keep'))
  expect([...left.toSorted(), ...readdirSync(repo.path('.git/plan'))]).toEqual(['pack-2.keep', 'pack-3.keep'])
})

test('what is wrong with a date or a name is said, or left to git', async ({ repo }) => {
  const tree = repo.git(['rev-parse', 'HEAD^{tree}']) as Oid
  const commit = (env: Record<string, string>) =>
    withWriter(repo, (objects) => objects.commit({ tree, parents: [], message: 'Made' }), env)
  await expect(commit({ GIT_COMMITTER_DATE: 'not a date' })).rejects.toMatchObject({
    code: 'usage',
    hint: 'unset GIT_COMMITTER_DATE',
  })
  expect(repo.git(['log', '-1', '--format=%an', await commit({ GIT_AUTHOR_NAME: '\u00a0Ann' })])).toBe('\u00a0Ann')
})
