// `git plan check` in a real repository: everything that is wrong with a plan, at once, by step and line.

import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { drawn } from '../helpers/drawn-secrets.ts'
import { test, type TestRepo } from '../helpers/repo.ts'

const token = ['gh', 'p_', drawn('word', 36)].join('')

/** Line by line: what the plan says, and the rule that is found there. */
const lines: readonly (readonly [text: string, rule?: string, severity?: string])[] = [
  ['---'],
  ['plan: bad'],
  ['base: main'],
  ['requires: [frobnicate]', 'tool-missing', 'warning'],
  ['context: [docs/none.md]', 'file-missing', 'warning'],
  ['steps:'],
  ['  - id: link'],
  ['    create: link/x', 'path-through-link', 'error'],
  ['    content: x'],
  ['  - id: ignored'],
  ['    create: out/x', 'path-ignored', 'error'],
  ['    content: x'],
  ['  - id: absent'],
  ['    edit: src/none.ts', 'would-fail', 'error'],
  ['    append: x'],
  ['  - id: broken'],
  ['    edit: src/a.ts', 'syntax', 'error'],
  ['    replace: = 1'],
  ['    with: = ('],
  ['  - id: imports'],
  ['    create: src/b.ts', 'import-unresolved', 'warning'],
  ['    content: |'],
  ["      import { x } from './nothere.js'"],
  [`      export const key = '${token}'`, 'secret', 'error'],
  ['  - id: policy'],
  ['    create: .plans/config.yml', 'path-out-of-bounds', 'error'],
  ['    content: x'],
  ['  - id: script'],
  ['    run: bash scripts/none.sh', 'file-missing', 'error'],
  ['    changes: none'],
  ['  - id: npm'],
  ['    run: npm run none', 'script-missing', 'error'],
  ['    changes: none'],
  ['  - id: danger'],
  ['    effect: external', 'effect-without-probe', 'warning'],
  ['    run: |'],
  ['      set -e'],
  ['      rm -rf ~/everything', 'shell-delete-outside', 'error'],
  ['  - id: later'],
  ['    edit: src/a.ts', 'would-fail', 'warning'],
  ['    replace: nowhere'],
  ['    with: x'],
  ['---'],
  [''],
]
const expected = lines.flatMap(([, rule, severity], at) =>
  rule === undefined ? [] : [{ rule, severity, line: at + 1 }],
)

function prepare(repo: TestRepo): void {
  repo.write('src/a.ts', 'export const a = 1\n')
  repo.write('package.json', '{"scripts":{"lint":"true"}}\n')
  repo.write('.gitignore', 'out/\n')
  symlinkSync('/etc', repo.path('link'))
  repo.commit('Files')
  repo.write('bad.md', lines.map(([text]) => text).join('\n'))
}

test('one of each problem: all of them, with their lines, by step', async ({ repo }) => {
  prepare(repo)
  const before = repo.git(['for-each-ref'])
  const ran = await repo.plan(['check', 'bad.md'])
  expect(ran.code, ran.all).toBe(1)
  for (const { rule, severity, line } of expected)
    expect(ran.all).toMatch(new RegExp(`^bad\\.md:${line}:\\d+: ${severity}: .*\\(${rule}\\)$`, 'm'))
  expect(ran.all).not.toContain(token)
  // Each step once, with all that is found in it.
  const steps = ran.all.split('\n').filter((line) => line.startsWith('step '))
  expect(steps).toEqual(
    ['link', 'ignored', 'absent', 'broken', 'imports', 'policy', 'script', 'npm', 'danger', 'later'].map(
      (id) => `step ${id}`,
    ),
  )

  const json = JSON.parse((await repo.plan(['check', 'bad.md', '--json'])).stdout) as { findings: object[] }
  expect(json.findings).toEqual(expect.arrayContaining(expected.map((each) => expect.objectContaining(each) as object)))
  const sarif = JSON.parse((await repo.plan(['check', 'bad.md', '--sarif'])).stdout) as {
    runs: { results: object[] }[]
  }
  expect(sarif.runs[0]?.results).toHaveLength(json.findings.length)
  expect(repo.git(['for-each-ref'])).toBe(before)

  const started = await repo.plan(['start', 'bad.md', '--approve'])
  expect(started.code, started.all).toBe(2)
  expect(repo.git(['for-each-ref'])).toBe(before)
})

test('a clean plan has its risk, with the reasons for each step, and nothing else', async ({ repo }) => {
  prepare(repo)
  repo.write(
    'good.md',
    '---\nsteps:\n  - {id: look, run: git log --oneline, changes: none}\n  - {id: new, create: src/b.ts, content: "export const b = 2\\n"}\n  - {id: change, edit: src/a.ts, replace: "= 1", with: "= 2"}\n---\n',
  )
  const ran = await repo.plan(['check', 'good.md'])
  expect(ran.code, ran.all).toBe(0)
  expect(ran.all).toMatch(
    /^good\.md: valid plan, 0 errors, 0 warnings\nrisk MEDIUM\n  look: LOW, `git log --oneline`: git only reads\n  new: LOW, create step\n  change: MEDIUM, edit step\ndigest [0-9a-f]{64}\n$/,
  )
  const json = JSON.parse((await repo.plan(['check', 'good.md', '--json'])).stdout) as object
  expect(json).toMatchObject({
    risk: 'MEDIUM',
    steps: [
      { id: 'look', risk: 'LOW' },
      { id: 'new', risk: 'LOW' },
      { id: 'change', risk: 'MEDIUM' },
    ],
  })
})

test('what the tree has become since the approval stops a run before its first step, and can be let through', async ({
  repo,
}) => {
  prepare(repo)
  repo.write(
    'later.md',
    '---\nsteps:\n  - {id: one, edit: src/a.ts, replace: "= 1", with: "= 2"}\n  - {id: two, create: src/c.ts, content: "export {}\\n"}\n---\n',
  )
  expect((await repo.plan(['new', '--from', 'later.md'])).code).toBe(0)
  expect((await repo.plan(['approve', 'later'])).code).toBe(0)
  const path = repo.path('src/c.ts')
  symlinkSync('/etc/passwd', path)
  repo.write('.git/info/exclude', 'src/c.ts\nlater.md\nbad.md\n')
  const ran = await repo.plan(['start', 'later'])
  expect(ran.code, ran.all).toBe(2)
  expect(ran.all).toContain('(path-not-replaceable)')
  expect(ran.all).toContain('run it anyway: git plan start later --skip-check plan')
  const skipped = await repo.plan(['start', 'later', '--skip-check', 'plan'])
  expect(skipped.code, skipped.all).toBe(1)
  expect(repo.git(['log', '-1', '--format=%b', 'plan/later~1'])).toContain('Preflight checks skipped: plan')
})

test('grammars are found by the program as it is installed, kept compiled or not', async ({ repo }) => {
  repo.env['XDG_CACHE_HOME'] = join(repo.home, 'cache')
  repo.write(
    'p.md',
    '---\nsteps:\n  - {id: one, create: a.py, content: "def f(:\\n"}\n  - {id: two, create: b.yml, content: "a: [\\n"}\n---\n',
  )
  for (const time of ['first', 'second']) {
    const ran = await repo.plan(['check', 'p.md'])
    expect(ran.code, `${time}: ${ran.all}`).toBe(1)
    expect(ran.all.match(/error: .* would not parse/g), ran.all).toHaveLength(2)
  }
})
