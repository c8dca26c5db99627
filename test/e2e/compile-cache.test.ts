// Node 22.8 and newer keep compiled code in the user's cache directory; a run without it, or with something else in its
// place, is the same.

import nodeModule from 'node:module'
import { existsSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { test } from '../helpers/repo.ts'

const hasCache = 'enableCompileCache' in nodeModule

const filesBelow = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

test('compiled code is kept in the cache of the user, where Node can, and is never needed', async ({ repo }) => {
  const cache = join(repo.home, 'cache')
  repo.env['XDG_CACHE_HOME'] = cache
  const first = await repo.plan(['list'], { isBinary: true })
  expect(first.code).toBe(0)
  expect(existsSync(join(cache, 'git-plan'))).toBe(hasCache)
  if (hasCache) {
    expect(filesBelow(join(cache, 'git-plan')).length).toBeGreaterThan(0)
    for (const file of filesBelow(join(cache, 'git-plan'))) truncateSync(file, 100)
    expect(await repo.plan(['list'], { isBinary: true })).toMatchObject({ code: 0, stdout: first.stdout })
  }
})

test('a cache that is named by a relative path is not taken: it would be in the repository', async ({ repo }) => {
  repo.env['XDG_CACHE_HOME'] = 'cache'
  expect((await repo.plan(['list'], { isBinary: true })).code).toBe(0)
  expect(existsSync(repo.path('cache'))).toBe(false)
  expect(existsSync(join(repo.home, '.cache/git-plan'))).toBe(hasCache)
})

test('no command fails where nothing can be kept', async ({ repo }) => {
  mkdirSync(join(repo.home, 'cache'))
  writeFileSync(join(repo.home, 'cache/git-plan'), 'a file')
  for (const directory of [join(repo.home, 'cache'), '']) {
    const env = { XDG_CACHE_HOME: directory, ...(directory === '' ? { HOME: '' } : {}) }
    expect(await repo.plan(['-h'], { isBinary: true, env })).toMatchObject({ code: 0, stderr: '' })
  }
})
