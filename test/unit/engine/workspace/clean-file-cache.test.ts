import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { rawPath } from '../../../../src/git/read/raw-path.ts'
import { CleanFileCache } from '../../../../src/engine/workspace/clean-file-cache.ts'

const root = mkdtempSync(join(tmpdir(), 'git-plan-searched-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Whether the file has to be looked through; it is clean then. */
function looks(searched: CleanFileCache, name: string, tip = 'a'): boolean {
  const look = searched.check(root, rawPath(name), tip)
  look?.isClean()
  return look !== undefined
}

test('a file is looked through once as long as it does not change', async () => {
  writeFileSync(join(root, 'old.txt'), 'one')
  await sleep(80)
  const searched = new CleanFileCache()
  expect([looks(searched, 'old.txt'), looks(searched, 'old.txt')]).toEqual([true, false])
  writeFileSync(join(root, 'old.txt'), 'two')
  // As it was before, to all but the clock of the file system.
  utimesSync(join(root, 'old.txt'), 1, 1)
  expect(looks(searched, 'old.txt')).toBe(true)
  rmSync(join(root, 'old.txt'))
  expect(looks(searched, 'old.txt')).toBe(true)
})

test('one that has just been written may change and look the same: it is looked through again', () => {
  const searched = new CleanFileCache()
  writeFileSync(join(root, 'new.txt'), 'one')
  expect([looks(searched, 'new.txt'), looks(searched, 'new.txt')]).toEqual([true, true])
})

test('what was clean at one checkpoint says nothing about another', async () => {
  writeFileSync(join(root, 'kept.txt'), 'one')
  await sleep(80)
  const searched = new CleanFileCache()
  expect([
    looks(searched, 'kept.txt', 'a'),
    looks(searched, 'kept.txt', 'b'),
    looks(searched, 'kept.txt', 'a'),
  ]).toEqual([true, true, true])
})
