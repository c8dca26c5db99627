import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bin, ended } from '../helpers/repo.ts'

const demo = fileURLToPath(new URL('../demo/demo.mjs', import.meta.url))
let top: string
let temporary: string

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'git-plan-test-')))
  temporary = join(top, 'tmp')
  mkdirSync(temporary)
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

/** In a pipe, without input, without a home that knows git, with a temporary directory that is watched. */
function run(args: readonly string[], dist = dirname(bin)) {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: join(top, 'nowhere'),
    TMPDIR: temporary,
    GIT_PLAN_DIST: dist,
    GIT_DIR: join(top, 'misleading'),
    // From Node 22 on, the npm that the demo's steps run keeps compiled code in the temporary directory.
    NODE_DISABLE_COMPILE_CACHE: '1',
  }
  return ended(spawn(process.execPath, [demo, ...args], { cwd: top, env, stdio: ['ignore', 'pipe', 'pipe'] }))
}

test('the demo goes as it says, on a machine without any git configuration, and leaves nothing behind', async () => {
  const ran = await run([])
  expect(ran.stderr).toBe('')
  expect(ran.code).toBe(0)
  for (const words of [
    '$ git plan start .plans/charge-vat.md --approve',
    '(exit code 1)',
    '$ git plan resume --fix',
    'Completed charge-vat',
    '$ git plan rollback --undo',
    'Finished charge-vat',
  ])
    expect(ran.stdout).toContain(words)
  expect(readdirSync(temporary)).toEqual([])
  expect(readdirSync(top)).toEqual(['tmp'])
}, 120_000)

test('the demo says what is missing and fails where there is nothing to show', async () => {
  const ran = await run([], join(top, 'no-dist'))
  expect(ran.code).toBe(1)
  expect(ran.stderr).toContain('npm run build')
  expect(readdirSync(temporary)).toEqual([])
})
