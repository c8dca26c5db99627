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
  'src/plan/bad.ts': [
    ["import '../check/check-plan.ts'", 'no-restricted-imports'],
    ["import '../index.ts'", 'no-restricted-imports'],
    ["import '../library/open-plans.ts'", 'no-restricted-imports'],
    ["import 'node:fs'", 'no-restricted-imports'],
    ["import 'node:fs/promises'", 'no-restricted-imports'],
    ["import 'execa'", 'no-restricted-imports'],
  ],
  'src/plan/verbs/bad.ts': [["import '../../run/run-plan.ts'", 'no-restricted-imports']],
  'src/judge/shell/programs/bad.ts': [
    ["import '../../git/repository.ts'", 'no-restricted-imports'],
    ["import 'node:fs'", 'no-restricted-imports'],
  ],
  'src/judge/syntax/bad.ts': [
    ["import '../shell/parse.ts'", 'no-restricted-imports'],
    ["import 'node:child_process'", 'no-restricted-imports'],
  ],
  'src/judge/plan/bad.ts': [
    ["import '../git/repository.ts'", 'no-restricted-imports'],
    ["import 'node:child_process'", 'no-restricted-imports'],
  ],
  'src/process/bad.ts': [
    ["import '../git/repository.ts'", 'no-restricted-imports'],
    ["import '../plan/read-plan.ts'", 'no-restricted-imports'],
    ["import '../plan/verb.ts'", 'no-restricted-imports'],
  ],
  'src/git/bad.ts': [
    ["import '../run/run-plan.ts'", 'no-restricted-imports'],
    ["import '../plan/read-plan.ts'", 'no-restricted-imports'],
    ["import '../plan/verb.ts'", 'no-restricted-imports'],
  ],
  'src/remote/forge/bad.ts': [
    ["import '../plan/read-plan.ts'", 'no-restricted-imports'],
    ["import '../git/credential.ts'", 'no-restricted-imports'],
    ["import 'node:child_process'", 'no-restricted-imports'],
  ],
  'src/engine/bad.ts': [
    ["import '../forge/forge.ts'", 'no-restricted-imports'],
    ["import '../check/risk.ts'", 'no-restricted-imports'],
    ["import '../report/view.ts'", 'no-restricted-imports'],
  ],
  'src/view/bad.ts': [
    ["import '../run/run-plan.ts'", 'no-restricted-imports'],
    ["import '../run/events.ts'", 'no-restricted-imports'],
    ["import '../commands/start.ts'", 'no-restricted-imports'],
  ],
  'src/adapters/library/bad.ts': [["import '../cli/program.ts'", 'no-restricted-imports']],
  'src/commands/bad.ts': [
    ["import '../cli/program.ts'", 'no-restricted-imports'],
    ["import '../library/open-plans.ts'", 'no-restricted-imports'],
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
  'src/plan/good.ts': "import 'node:crypto'\nimport 'zod'\nimport '../errors.ts'\nimport './verbs/index.ts'\n",
  'src/judge/plan/good.ts': "import '../plan/read-plan.ts'\n",
  'src/git/good.ts': "import '../plan/values.ts'\nimport '../process/tree.ts'\nimport type { Verb } from '../plan/verb.ts'\nexport type Own = Verb\n",
  'src/remote/forge/good.ts': "import '../errors.ts'\nimport 'zod'\nimport 'node:fs/promises'\n",
  'src/process/good.ts': "import '../plan/values.ts'\nimport type { ShellResult } from '../plan/verb.ts'\nexport type Own = ShellResult\n",
  'src/view/good.ts': "import '../git/repository.ts'\nimport type { RunEvent } from '../run/events.ts'\nexport type Own = RunEvent\n",
  'src/commands/good.ts': "import '../run/run-plan.ts'\nimport '../report/view.ts'\n",
  'src/adapters/cli/good.ts': "import '../commands/start.ts'\nconsole.log('a terminal')\n",
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
  const { stdout } = await promisify(execFile)(join(root, 'node_modules', '.bin', 'oxlint'), ['-f', 'unix', 'src'], { cwd: clone }).catch(
    (error: unknown) => error as { stdout: string },
  )
  found = stdout.split('\n')
})

afterAll(() => rmSync(top, { recursive: true, force: true }))

test.each(Object.entries(bad).flatMap(([path, lines]) => lines.flatMap(([code, rule], at) => (rule === '' ? [] : [{ path, code, rule, line: at + 1 }]))))(
  '$path: $code',
  ({ path, rule, line }) => {
    const here = found.filter((each) => each.startsWith(`${path}:${line}:`))
    expect(here.join('\n')).toMatch(rule === 'unused directive' ? /Unused oxlint-disable/ : new RegExp(`\\(${rule}\\)`))
  },
)

test('what the layers allow is left alone', () => {
  expect(found.length).toBeGreaterThan(20)
  expect(found.filter((each) => /good\.ts/.test(each) && /no-restricted-imports|no-console/.test(each))).toEqual([])
})
