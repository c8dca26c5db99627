// Changes of several files as one step: a rename over five files, whose test fails before and passes after.

import { spawnSync } from 'node:child_process'
import { expect } from 'vitest'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

const project: Readonly<Record<string, string>> = {
  'src/money.mjs':
    'export const total = (list) => {\n  let all = 0\n  for (const each of list) all += each\n  return all\n}\n',
  'src/cart.mjs': "import { total } from './money.mjs'\nexport const cart = (list) => total(list)\n",
  'src/tax.mjs': "import { total } from './money.mjs'\nexport const tax = (list) => total(list) / 5\n",
  'src/index.mjs': "export { total } from './money.mjs'\nexport { cart } from './cart.mjs'\n",
  'README.md': '# Shop\n\n`total` adds.\n',
  'test.mjs':
    "import { sum } from './src/index.mjs'\nimport { tax } from './src/tax.mjs'\nimport { cart } from './src/cart.mjs'\nif (sum([1, 4]) + tax([5]) + cart([1]) !== 7) process.exit(1)\n",
}

function prepare(repo: TestRepo): void {
  for (const [path, text] of Object.entries(project)) repo.write(path, text)
  repo.commit('A shop')
}

const indent = (text: string): string => text.replace(/^(?=.)/gm, '      ')
const changed = (repo: TestRepo): string[] =>
  repo
    .git(['show', 'HEAD~1', '--format=', '--name-status', '-M'])
    .split('\n')
    .filter((line) => !line.includes('.plans/'))

test('edits: a rename over five files is one commit that passes its test', async ({ repo }) => {
  prepare(repo)
  expect(spawnSync(process.execPath, ['test.mjs'], { cwd: repo.dir }).status).toBe(1)
  repo.write(
    '.plans/rename.md',
    planText(`  - edits:
      - {file: src/money.mjs, replace: const total, with: const sum}
      - {file: src/cart.mjs, replace: total, with: sum, all: true}
      - {file: src/tax.mjs, match: '\\btotal\\b', with: sum, all: true}
      - {file: src/index.mjs, lines: 1, with: "export { sum } from './money.mjs'"}
      - file: README.md
        diff: |
          @@ -3 +3 @@
          -\`total\` adds.
          +\`sum\` adds.
    test: node test.mjs`),
  )
  const ran = await repo.plan(['start', '.plans/rename.md', '--approve'])
  expect(ran, ran.all).toMatchObject({ code: 0 })
  expect(repo.subjects('HEAD').slice(0, 2)).toEqual(['Completed: rename', 'Edit src/money.mjs and 4 more'])
  expect(changed(repo)).toHaveLength(5)
  const shown = await repo.plan(['show', 'rename'])
  expect(shown.all).toContain('edits 2:')
  expect(shown.all).toContain('file: src/cart.mjs')
})

test('edits: a text that is not there, or is there twice, changes none of the files', async ({ repo }) => {
  prepare(repo)
  const before = repo.git(['rev-parse', 'main^{tree}'])
  for (const [id, replace, problem] of [
    ['none', 'const nothing', /src\/cart\.mjs.*(not found|does not occur|no match|not in)/],
    ['many', 'total', /src\/cart\.mjs.*(occurs|times|more than once)/],
  ] as const) {
    repo.git(['checkout', '-q', 'main'])
    repo.write(
      `.plans/${id}.md`,
      planText(`  - edits:
      - {file: src/money.mjs, replace: const total, with: const sum}
      - {file: src/cart.mjs, replace: ${replace}, with: sum}`),
    )
    const checked = await repo.plan(['check', `.plans/${id}.md`])
    expect(checked.code, checked.all).toBe(1)
    expect(checked.stdout).toMatch(problem)
    const ran = await repo.plan(['start', `.plans/${id}.md`, '--approve', '--skip-check', 'plan'])
    expect(ran.code, ran.all).toBe(1)
    expect(ran.stderr).toMatch(problem)
    expect(repo.git(['rev-parse', `plan/${id}:src`])).toBe(repo.git(['rev-parse', `${before}:src`]))
    expect(repo.git(['status', '--porcelain', '--', 'src'])).toBe('')
  }
})

test('patch: the diff of Git with wrong counts gives the tree of Git; a wrong hunk is reported with its line', async ({
  repo,
}) => {
  prepare(repo)
  repo.git(['mv', 'src/money.mjs', 'src/sum.mjs'])
  for (const path of ['src/sum.mjs', 'src/cart.mjs', 'src/tax.mjs', 'src/index.mjs'])
    repo.write(path, repo.read(path).replaceAll(/total|money/g, 'sum'))
  repo.write('docs/new.md', 'new\n')
  repo.git(['rm', '-q', 'README.md'])
  repo.git(['add', '-A'])
  const wanted = repo.git(['ls-files', '--stage'])
  const diff = repo.git(['diff', '--cached', '-M30'])
  repo.git(['reset', '-q', '--hard'])
  const scrambled = diff.replace(/^@@ -(\d+)\S* \+(\d+)\S* @@/gm, '@@ -$1,77 +$2,77 @@')
  expect(scrambled).toContain('rename from src/money.mjs')

  repo.write(
    '.plans/good.md',
    planText(`  - patch: |\n${indent(scrambled.replace('-export const tax', '-export const toll'))}`),
  )
  const before = repo.read('.plans/good.md').split('const toll')[0]!.split('\n')
  const line = before.findLastIndex((each) => each.includes('@@ -')) + 1
  const checked = await repo.plan(['check', '.plans/good.md', '--json'])
  expect(checked.code).not.toBe(0)
  expect(JSON.parse(checked.stdout).findings).toContainEqual(
    expect.objectContaining({
      rule: 'would-fail',
      line,
      message: expect.stringContaining('cannot patch src/tax.mjs: hunk 1 of 1 does not apply'),
    }),
  )

  repo.write('.plans/good.md', planText(`  - patch: |\n${indent(scrambled)}\n    test: node test.mjs`))
  const ran = await repo.plan(['start', '.plans/good.md', '--approve'])
  expect(ran, ran.all).toMatchObject({ code: 0 })
  expect(
    repo
      .git(['ls-tree', '-r', '--name-only', 'HEAD~1'])
      .split('\n')
      .filter((name) => !name.startsWith('.plans/')),
  ).toEqual(wanted.split('\n').map((entry) => entry.split('\t')[1]))
  for (const entry of wanted.split('\n')) {
    const [mode = '', id = ''] = entry.split(/\s/)
    expect(repo.git(['ls-tree', 'HEAD~1', entry.split('\t')[1]!])).toContain(`${mode} blob ${id}`)
  }
})

test('a step that breaks the syntax of one of its files is refused by check', async ({ repo }) => {
  prepare(repo)
  repo.write('.plans/p.md', planText('  - edits:\n      - {file: src/cart.mjs, append: "}"}'))
  const checked = await repo.plan(['check', '.plans/p.md'])
  expect(checked.code).not.toBe(0)
  expect(checked.all).toContain('src/cart.mjs would not parse')
})
