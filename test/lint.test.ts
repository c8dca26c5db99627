// The rules of the linter, each made to fire once: a pattern that matches nothing looks like clean code.

import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Below a directory called src, as many clones are: the patterns must mean ours. */
const top = realpathSync(mkdtempSync(join(tmpdir(), 'git-plan-lint-')))
const clone = join(top, 'src', 'plan', 'clone')

const bad: Readonly<Record<string, readonly [code: string, rule: string][]>> = {
  'src/commands/bad.ts': [
    ["export { again } from './again.ts'", 'no-cycle'],
    ['declare function later(): Promise<boolean>', ''],
    ['later()', 'no-floating-promises'],
    ['if (later()) later().catch(() => undefined)', 'no-misused-promises'],
    ['export const one = await 1', 'await-thenable'],
    ['export const loose = (given: any): void => void given', 'no-explicit-any'],
    ["export const parsed: string = JSON.parse('1')", 'no-unsafe-assignment'],
    ["console.log('no terminal here')", 'no-console'],
    ['export default later', 'no-default-export'],
    ['// oxlint-disable-next-line no-debugger', 'unused directive'],
  ],
}

const good: Readonly<Record<string, string>> = {
  'src/commands/again.ts': "export * from './bad.ts'\nexport const again = 1\n",
  'src/adapters/cli/good.ts': "console.log('a terminal')\n",
}

let found: string[] = []

beforeAll(async () => {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(clone, path)), { recursive: true })
    writeFileSync(join(clone, path), text)
  }
  for (const [path, lines] of Object.entries(bad)) write(path, `${lines.map(([line]) => line).join('\n')}\n`)
  for (const [path, text] of Object.entries(good)) write(path, text)
  write('src/errors.ts', 'export {}\n')
  for (const name of ['.oxlintrc.json', 'tsconfig.json']) copyFileSync(join(root, name), join(clone, name))
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
  const { stdout } = await promisify(execFile)(join(root, 'node_modules', '.bin', 'oxlint'), ['-f', 'unix', 'src'], {
    cwd: clone,
  }).catch((error: unknown) => error as { stdout: string })
  found = stdout.split('\n')
})

afterAll(() => rmSync(top, { recursive: true, force: true }))

test.each(
  Object.entries(bad).flatMap(([path, lines]) =>
    lines.flatMap(([code, rule], at) => (rule === '' ? [] : [{ path, code, rule, line: at + 1 }])),
  ),
)('$path: $code', ({ path, rule, line }) => {
  const here = found.filter((each) => each.startsWith(`${path}:${line}:`))
  expect(here.join('\n')).toMatch(rule === 'unused directive' ? /Unused oxlint-disable/ : new RegExp(`\\(${rule}\\)`))
})

test('what the layers allow is left alone', () => {
  expect(found.length).toBeGreaterThan(10)
  expect(found.filter((each) => /good\.ts/.test(each) && /no-restricted-imports|no-console/.test(each))).toEqual([])
})
