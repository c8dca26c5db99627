// What is found in a small work tree without git is what git finds in it.

import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, vi } from 'vitest'
import { rawPath, shown } from '../../src/git/raw-path.ts'
import { Repository } from '../../src/git/repository.ts'
import { WorkTree, type Scan } from '../../src/git/work-tree.ts'
import { gitEnvironment } from '../../src/process/environment.ts'
import { test, type TestRepo } from '../helpers/repo.ts'

/** Few names, tracked, ignored and neither, so that they come into each other's place. */
const names = [
  'a',
  'a/b',
  'a/b/c',
  'd/e',
  'd/x.log',
  'x.log',
  'out/1',
  'out/2/3',
  'kept/out/4',
  'new',
  'new/é',
  'z',
  'a/b/c',
  'd/e',
  'z',
  'hollow/in',
  '.gitignore',
  'd/.gitignore',
]
const act = fc.record({
  path: fc.constantFrom(...names),
  what: fc.constantFrom('write', 'write', 'write', 'same', 'mode', 'link', 'remove', 'directory', 'commit', 'scan'),
  text: fc.constantFrom('one\n', 'two\n', '*.log\nout/\n', 'z\n'),
})

function perform(repo: TestRepo, { path, what, text }: { path: string; what: string; text: string }): void {
  if (what === 'commit') {
    repo.git(['add', '-A'])
    repo.git(['commit', '-q', '--allow-empty', '-m', 'Next'])
    return
  }
  const place = repo.path(path)
  if (what === 'mode' || what === 'same') {
    const facts = existsSync(place) ? lstatSync(place) : undefined
    if (facts?.isFile() !== true) return
    if (what === 'mode') chmodSync(place, facts.mode ^ 0o111)
    else writeFileSync(place, text)
    return
  }
  for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
    const above = repo.path(path.slice(0, end))
    if (lstatSync(above, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(above)
  }
  rmSync(place, { recursive: true, force: true })
  if (what === 'remove') return
  mkdirSync(what === 'directory' ? place : dirname(place), { recursive: true })
  if (what === 'link') symlinkSync('to nowhere', place)
  else if (what === 'write') writeFileSync(place, text)
}

const sorted = (paths: Iterable<string>): string[] => [...paths].toSorted()

function expectSame(repo: TestRepo, ours: Scan, theirs: Scan): void {
  expect(sorted(ours.untracked)).toEqual(sorted(theirs.untracked))
  expect(sorted(ours.ignored)).toEqual(sorted(theirs.ignored))
  expect([ours.nested, ours.unmerged]).toEqual([[], []])
  // A file of the moment in which the index was written may be named although it is the same: its contents decide.
  const more = ours.changed.filter((path) => !theirs.changed.includes(path))
  expect(sorted(ours.changed)).toEqual(sorted([...theirs.changed, ...more]))
  for (const path of more) expect(repo.git(['diff', '--name-only', '--', shown(path)])).toBe('')
}

test('whatever was done to it', { timeout: 60_000 }, async ({ repo }) => {
  repo.write('.gitignore', '*.log\nout/\n')
  for (const path of ['a/b/c', 'd/e', 'z', 'kept/file']) repo.write(path, `${path}\n`)
  const begin = repo.commit('Begin')
  let quick = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }), async (rounds) => {
      repo.git(['reset', '-q', '--hard', begin])
      repo.git(['clean', '-q', '-ffdx'])
      const found = await Repository.open({ cwd: repo.dir, env: gitEnvironment(repo.env) })
      const asked = vi.spyOn(found.git, 'run')
      try {
        const tree = new WorkTree(found, join(repo.home, 'scratch'))
        await tree.scan()
        for (const acts of rounds) {
          for (const each of acts) await (each.what === 'scan' ? tree.scan() : perform(repo, each))
          asked.mockClear()
          const ours = await tree.scanAgain()
          const isQuick = !asked.mock.calls.some(([args]) => args[0] === 'status')
          const theirs = await new WorkTree(found, join(repo.home, 'scratch')).scan()
          if (isQuick) expectSame(repo, ours, theirs)
          quick += isQuick ? 1 : 0
        }
      } finally {
        found.close()
      }
    }),
    { numRuns: 60 },
  )
  expect(quick).toBeGreaterThan(15)
})

test('a file of the same size, written in the moment of the index, is looked into', async ({ repo }) => {
  repo.write('racy', 'one\n')
  repo.commit('Begin')
  const found = await Repository.open({ cwd: repo.dir, env: gitEnvironment(repo.env) })
  const tree = new WorkTree(found, join(repo.home, 'scratch'))
  await tree.scan()
  for (let round = 0; round < 20; round += 1) {
    writeFileSync(repo.path('racy'), 'two\n')
    repo.git(['add', 'racy'])
    writeFileSync(repo.path('racy'), 'six\n')
    expect((await tree.scanAgain()).changed).toEqual([rawPath('racy')])
    repo.git(['reset', '-q', '--hard'])
  }
  found.close()
})
