// Refactorings in a small project: a rename over five files whose test fails before and passes after, and codemods.

import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { expect } from 'vitest'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

const outside = 'total(1)\n'

function prepare(repo: TestRepo): void {
  const files: Readonly<Record<string, string>> = {
    'src/money.mjs': 'export const money = { total: (list) => list.reduce((all, each) => all + each, 0) }\n',
    ...Object.fromEntries(
      ['cart', 'tax', 'bill', 'gift', 'refund'].map((name) => [
        `src/${name}.mjs`,
        `import { money } from './money.mjs'\n// money.total(list)\nexport const ${name} = (list) => money.total( list )\n`,
      ]),
    ),
    'src/names.mjs': "export const names = ['money.total(list)']\n",
    'test.mjs': `import { readFileSync } from 'node:fs'
const text = ['cart', 'tax', 'bill', 'gift', 'refund'].map((name) => readFileSync('src/' + name + '.mjs', 'utf8')).join('')
if (text.match(/sum\\(list\\)$/gm)?.length !== 5) process.exit(1)
`,
    'mod.mjs': `import { readFileSync, writeFileSync } from 'node:fs'
for (const path of process.argv.slice(2)) writeFileSync(path, readFileSync(path, 'utf8').replaceAll('money.total( list )', 'money.sum(list)'))
if (process.env.STRAY) writeFileSync('stray.txt', 'x')
`,
    'target.mjs': outside,
  }
  for (const [path, text] of Object.entries(files)) repo.write(path, text)
  symlinkSync('../target.mjs', repo.path('src/link.mjs'))
  repo.commit('A shop')
}

const step = (keys: string): string => planText(`  - id: rename\n    test: node test.mjs\n    refactor:\n      ${keys}`)
const rename = (more = ''): string =>
  step(`pattern: money.total($A)
      rewrite: money.sum($A)
      language: javascript
      over: ['src/**']${more}`)
const changed = (repo: TestRepo): string[] =>
  repo
    .git(['show', 'HEAD~1', '--format=', '--name-only'])
    .split('\n')
    .filter((path) => !path.startsWith('.plans/'))
const renamed = ['src/bill.mjs', 'src/cart.mjs', 'src/gift.mjs', 'src/refund.mjs', 'src/tax.mjs']

test('a pattern is rewritten in five files in one commit; check says how many places, and follows no symlink', async ({
  repo,
}) => {
  prepare(repo)
  expect(spawnSync(process.execPath, ['test.mjs'], { cwd: repo.dir }).status).toBe(1)
  repo.write('.plans/p.md', rename('\n      expect: 5'))
  const checked = await repo.plan(['check', '.plans/p.md'])
  expect(checked, checked.all).toMatchObject({ code: 0 })
  expect(checked.all).toContain('rename would change 5 places in 5 files')
  expect(repo.status()).toBe('?? .plans/')
  const ran = await repo.plan(['start', '.plans/p.md', '--approve'])
  expect(ran, ran.all).toMatchObject({ code: 0 })
  expect(ran.all).toContain('5 places in 5 files')
  expect(changed(repo)).toEqual(renamed)
  expect(repo.read('src/cart.mjs')).toContain('// money.total(list)\n')
  expect(repo.read('target.mjs')).toBe(outside)
})

test('a wrong count is an error of check and a failure of the run, with the places', async ({ repo }) => {
  prepare(repo)
  repo.write('.plans/p.md', rename('\n      expect: 4'))
  const checked = await repo.plan(['check', '.plans/p.md', '--json'])
  expect(checked.code).not.toBe(0)
  expect(JSON.parse(checked.stdout).findings).toContainEqual(
    expect.objectContaining({
      rule: 'would-fail',
      line: 6,
      message: expect.stringContaining('5 matches in 5 files, expected 4: src/bill.mjs:3:31'),
    }),
  )
  const ran = await repo.plan(['start', '.plans/p.md', '--approve', '--skip-check', 'plan'])
  expect(ran.code).not.toBe(0)
  expect(ran.all).toContain('5 matches in 5 files, expected 4')
  expect(repo.read('src/cart.mjs')).toContain('money.total( list )')
})

test('no match is an error of check and a failure of the run, and so is a codemod that changes nothing', async ({
  repo,
}) => {
  prepare(repo)
  repo.write(
    '.plans/p.md',
    planText(
      '  - refactor: { pattern: money.average($A), rewrite: money.mean($A), language: javascript, over: [src/**] }',
    ),
  )
  const checked = await repo.plan(['check', '.plans/p.md'])
  expect(checked.code).toBe(1)
  expect(checked.stdout).toMatch(/error: .*no match/)
  const ran = await repo.plan(['start', '.plans/p.md', '--approve', '--skip-check', 'plan'])
  expect(ran.code).toBe(1)
  expect(ran.stderr).toMatch(/failed: .*no match/)
  repo.git(['checkout', '-q', 'main'])
  repo.write('.plans/q.md', planText('  - refactor: { codemod: "true", over: [src/**] }'))
  const idle = await repo.plan(['start', '.plans/q.md', '--approve'])
  expect(idle.code).toBe(1)
  expect(idle.stderr).toMatch(/failed: .*chang/)
})

test('a rule file of the repository is used as the steps before leave it', async ({ repo }) => {
  prepare(repo)
  repo.write(
    '.plans/p.md',
    planText(`  - create: rules/sum.yml
    content: |
      language: JavaScript
      rule: {pattern: money.total($A)}
      fix: money.sum($A)
  - refactor: {rule: rules/sum.yml, over: ['src/**'], expect: 1..5}
    test: node test.mjs`),
  )
  const checked = await repo.plan(['check', '.plans/p.md'])
  expect(checked.all).toContain('would change 5 places in 5 files')
  const ran = await repo.plan(['start', '.plans/p.md', '--approve'])
  expect(ran, ran.all).toMatchObject({ code: 0 })
  expect(changed(repo)).toEqual(renamed)
})

test('a codemod gets the files, runs only when approved, and may change only what is in `over`', async ({ repo }) => {
  prepare(repo)
  const codemod = (more = ''): string => step(`codemod: node mod.mjs\n      over: ['src/**']\n      expect: 5`) + more
  repo.write('.plans/p.md', codemod())
  const checked = await repo.plan(['check', '.plans/p.md'])
  expect(checked, checked.all).toMatchObject({ code: 0 })
  expect(checked.all).toContain('rename: HIGH')
  expect(repo.read('src/cart.mjs')).toContain('money.total( list )')
  const unapproved = await repo.plan(['start', '.plans/p.md'])
  expect(unapproved.code).not.toBe(0)
  const stray = await repo.plan(['start', 'p', '--approve'], { env: { STRAY: '1' } })
  expect(stray.code).not.toBe(0)
  expect(stray.all).toContain('stray.txt')
  expect(repo.read('src/cart.mjs')).toContain('money.total( list )')
  const ran = await repo.plan(['resume', 'p'])
  expect(ran, ran.all).toMatchObject({ code: 0 })
  expect(changed(repo)).toEqual(renamed)
})
