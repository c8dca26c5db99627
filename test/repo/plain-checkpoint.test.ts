// A checkpoint that is made without git is the one that git would make: trees, index and packs.

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { IgnoreCheck } from '../../src/git/worktree/ignore-check.ts'
import { editIndexBytes } from '../../src/git/worktree/index-file.ts'
import { ObjectWriter } from '../../src/git/write/objects.ts'
import { unfilteredEntries } from '../../src/git/worktree/unfiltered-files.ts'
import { rawPath } from '../../src/git/read/raw-path.ts'
import { Repository } from '../../src/git/repository.ts'
import type { Oid } from '../../src/plan/model/ids.ts'
import { gitEnvironment } from '../../src/process/environment.ts'
import { test, TestRepo } from '../helpers/repo.ts'

async function opened<T>(repo: TestRepo, work: (opened: Repository, objects: ObjectWriter) => Promise<T>): Promise<T> {
  const found = await Repository.open({ cwd: repo.dir, env: gitEnvironment(repo.env), isFast: true })
  try {
    return await work(found, new ObjectWriter(found))
  } finally {
    found.close()
  }
}

/** Few names, so that files, links and directories come into each other's place. */
const names = ['a', 'a/b', 'a/b/c', 'a-b', 'a.b', 'b', 'd/e/f', 'd/e', 'd/é', 'ü/x y', "quo'te", 'z']
const act = fc.record({
  path: fc.constantFrom(...names),
  what: fc.constantFrom('write', 'write', 'write', 'run', 'link', 'remove'),
  text: fc.constantFrom('', 'one\n', 'two\n', 'a\r\nb'),
})

function perform(repo: TestRepo, { path, what, text }: { path: string; what: string; text: string }): void {
  const place = repo.path(path)
  // Whatever is in the way of the file goes, as a command of a step would have it.
  for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
    const above = repo.path(path.slice(0, end))
    if (lstatSync(above, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(above)
  }
  rmSync(place, { recursive: true, force: true })
  if (what === 'remove') return
  mkdirSync(dirname(place), { recursive: true })
  if (what === 'link') symlinkSync(`to ${text.trim()}`, place)
  else writeFileSync(place, text)
  if (what === 'run') chmodSync(place, 0o755)
}

const changedPaths = (repo: TestRepo): string[] =>
  repo
    .git(['status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames'])
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => entry.slice(3))

const sameAsGit = async (repo: TestRepo): Promise<void> => {
  for (const path of ['a/b/c', 'd/e/f', 'z']) repo.write(path, `${path}\n`)
  repo.commit('Begin')
  let plain = 0
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 6 }), async (acts) => {
      const tree = repo.git(['rev-parse', 'HEAD^{tree}']) as Oid
      for (const each of acts) perform(repo, each)
      // A link that leads nowhere is no directory: git's list is of what is really there.
      const paths = changedPaths(repo).map(rawPath)
      const [ours, next, changes] = await opened(repo, async (found, objects) => {
        const edits = await unfilteredEntries(found, objects, paths)
        // What stands in the place of a directory is left to git.
        if (edits === undefined) return []
        const index = repo.path('.git/index')
        const edited = editIndexBytes(readFileSync(index), edits, {
          root: found.root,
          format: found.objectFormat,
          writtenNs: statSync(index, { bigint: true }).mtimeNs,
        })
        const made = [await objects.treeWithAll(tree, edits), edited, await objects.changesBy(tree, edits)] as const
        await objects.flush()
        return made
      })
      if (next !== undefined) writeFileSync(repo.path('.git/index'), next)
      else repo.git(['add', '-A'])
      expect(repo.git(['diff-files', '--name-only'])).toBe('')
      if (ours !== undefined) {
        plain += 1
        // Git itself, from nothing.
        const env = { GIT_INDEX_FILE: join(repo.home, 'index') }
        rmSync(env.GIT_INDEX_FILE, { force: true })
        repo.git(['add', '-A'], { env })
        expect(ours).toBe(repo.git(['write-tree'], { env }))
        expect(repo.git(['write-tree'])).toBe(ours)
        const listed = repo
          .git(['diff-tree', '-r', '--raw', '--no-abbrev', '--no-renames', '-z', tree, ours])
          .split('\0')
        const theirs = listed.flatMap((line, at) =>
          line.startsWith(':') ? [`${line.slice(1).split(' ')[4]} ${listed[at + 1]}`] : [],
        )
        expect(
          changes?.map(({ status, path }) => `${status} ${Buffer.from(path, 'latin1').toString()}`).toSorted(),
        ).toEqual(theirs.toSorted())
      }
      repo.git(['commit', '-q', '--allow-empty', '-m', 'Next'])
      expect(changedPaths(repo)).toEqual([])
    }),
    { numRuns: 40 },
  )
  expect(plain).toBeGreaterThan(6)
  expect(repo.fsck()).toBe('')
}

test('trees, index and changes are those of git, with SHA-1', async ({ repo }) => sameAsGit(repo))

test('trees, index and changes are those of git, with SHA-256', async () => {
  const repo = new TestRepo({ init: ['--object-format=sha256'] })
  try {
    await sameAsGit(repo)
  } finally {
    repo.remove()
  }
})

test('a change of the same size in the moment in which the index was written is seen', async ({ repo }) => {
  repo.write('racy.txt', 'one\n')
  repo.write('other.txt', 'other\n')
  repo.commit('Both')
  const index = repo.path('.git/index')
  const { atime, mtime } = statSync(repo.path('racy.txt'))
  repo.git(['update-index', '--refresh', '-q'])
  // As if it had been written after git looked, within one tick of the clock.
  writeFileSync(repo.path('racy.txt'), 'two\n')
  utimesSync(repo.path('racy.txt'), atime, mtime)
  utimesSync(index, atime, mtime)
  repo.write('other.txt', 'changed\n')
  const next = await opened(repo, async (found, objects) => {
    const edits = await unfilteredEntries(found, objects, [rawPath('other.txt')])
    return editIndexBytes(readFileSync(index), edits ?? new Map(), {
      root: found.root,
      format: 'sha1',
      writtenNs: statSync(index, { bigint: true }).mtimeNs,
    })
  })
  expect(next).toBeDefined()
  writeFileSync(index, next ?? '')
  expect(repo.git(['status', '--porcelain'])).toContain('M racy.txt')
})

test('an index that is not plain is left to git', async ({ repo }) => {
  const index = repo.path('.git/index')
  const edits = new Map([[rawPath('a.txt'), { mode: '100644', oid: repo.git(['rev-parse', 'HEAD:a.txt']) as Oid }]])
  const edited = (): Buffer | undefined =>
    editIndexBytes(readFileSync(index), edits, { root: repo.dir, format: 'sha1', writtenNs: 0n })
  expect(edited()).toBeDefined()
  repo.git(['update-index', '--assume-unchanged', 'a.txt'])
  expect(edited()).toBeUndefined()
  repo.git(['update-index', '--no-assume-unchanged', 'a.txt'])
  repo.git(['update-index', '--index-version', '4'])
  expect(edited()).toBeUndefined()
  repo.git(['update-index', '--index-version', '2'])
  repo.git(['update-index', '--untracked-cache'])
  expect(edited()).toBeUndefined()
  repo.git(['update-index', '--no-untracked-cache'])
  expect(edited()).toBeDefined()
  repo.git(['update-index', '--split-index'])
  expect(edited()).toBeUndefined()
})

test.for([
  ['an attribute', (repo: TestRepo) => repo.write('.gitattributes', '*.txt text\n')],
  ['an attribute above', (repo: TestRepo) => repo.write('deep/.gitattributes', '*.txt text\n')],
  ['an attribute of this clone', (repo: TestRepo) => repo.write('.git/info/attributes', '*.txt text\n')],
  ['line ends', (repo: TestRepo) => repo.git(['config', 'core.autocrlf', 'input'])],
  ['an attributes file', (repo: TestRepo) => repo.git(['config', 'core.attributesFile', '/dev/null'])],
  ['no executable bits', (repo: TestRepo) => repo.git(['config', 'core.fileMode', 'false'])],
] as const)('with %s files are not plain', async ([, change]) => {
  const repo = new TestRepo()
  try {
    repo.write('deep/er/x.txt', 'x\r\n')
    const look = (): Promise<unknown> =>
      opened(repo, (found, objects) => unfilteredEntries(found, objects, [rawPath('deep/er/x.txt')]))
    expect(await look()).toBeDefined()
    change(repo)
    expect(await look()).toBeUndefined()
  } finally {
    repo.remove()
  }
})

test('objects that are gathered are seen by nobody else until they are flushed, and then are one pack', async ({
  repo,
}) => {
  await opened(repo, async (found, objects) => {
    let tree = repo.git(['rev-parse', 'HEAD^{tree}']) as Oid
    let parent = repo.git(['rev-parse', 'HEAD']) as Oid
    for (let number = 0; number < 20; number += 1) {
      tree = await objects.treeWith(
        tree,
        `made/${number}.txt`,
        await objects.blob(Buffer.from('x'.repeat(number * number * 50))),
      )
      parent = await objects.commit({ tree, parents: [parent], message: `Step ${number}\n` })
    }
    expect(await found.readCommit(parent)).toBeUndefined()
    await objects.flush()
    expect((await found.readCommit(parent))?.tree).toBe(tree)
    repo.git(['update-ref', 'refs/heads/made', parent])
  })
  expect(repo.fsck()).toBe('')
  expect(repo.git(['rev-list', '--count', 'main..made'])).toBe('20')
  expect(repo.git(['count-objects', '-v'])).toContain('packs: 1')
  const [index = ''] = repo.git(['ls-tree', '--name-only', 'made', 'made/']).split('\n')
  expect(index).toBe('made/0.txt')
})

test('whether a path is ignored is asked without a process for each', async ({ repo }) => {
  repo.write('.gitignore', '*.log\n!keep.log\n"odd"\n')
  repo.write('tracked.log', 'x')
  repo.git(['add', '-f', 'tracked.log'])
  await opened(repo, async (found) => {
    const check = new IgnoreCheck(found.git)
    try {
      const answers: Record<string, boolean> = {}
      for (const path of ['a.log', 'keep.log', 'a.txt', 'deep/b.log', 'tracked.log', '"odd"', ':(top)x.log', '*.txt'])
        answers[path] = await check.isIgnored(path)
      expect(answers).toEqual({
        'a.log': true,
        'keep.log': false,
        'a.txt': false,
        'deep/b.log': true,
        'tracked.log': false,
        '"odd"': true,
        ':(top)x.log': true,
        '*.txt': false,
      })
    } finally {
      check.close()
    }
  })
})
