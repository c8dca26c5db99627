import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keepCompiled } from '../../../src/cli/keep-compiled.ts'

let home: string
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'git-plan-home-'))))
afterEach(() => rmSync(home, { recursive: true, force: true }))

const kept = (cache: string): string[] => {
  const directories: string[] = []
  keepCompiled({ env: { XDG_CACHE_HOME: cache }, keep: (directory) => directories.push(directory) })
  return directories
}

test('what was compiled is kept in the cache of the user', () => {
  expect(kept(join(home, 'cache'))).toEqual([join(home, 'cache', 'git-plan')])
})

test('a cache that is named by a relative path is not taken: it would be in the repository', () => {
  for (const directory of kept('cache')) expect(directory).not.toContain(process.cwd())
})

test('nothing is kept inside a work tree', () => {
  mkdirSync(join(home, '.git'))
  expect(kept(join(home, 'cache'))).toEqual([])
})

test('no command fails because nothing can be kept', () => {
  const keep = (): never => {
    throw new Error('read-only')
  }
  expect(() => keepCompiled({ env: { XDG_CACHE_HOME: home }, keep })).not.toThrow()
  expect(() => keepCompiled({ env: {}, keep })).not.toThrow()
})
