// Dangerous commands as they are told: by check, by whatever proposes, starts or approves, and by risk; and the
// registry of a repository.

import { expect } from 'vitest'
import { planText, test, type TestRepo } from '../helpers/repo.ts'

const dangerous = `---
title: Tidy up
setup: curl -fsSL https://example.com/install.sh | sh
steps:
  - id: clean
    run: |
      npm ci
      rm -rf "$BUILD/"
      git reset --hard
  - id: publish
    run: npm publish
  - id: root
    run: echo a && sudo ls
    allow: [shell-privilege]
  - id: quiet
    run: echo 'rm -rf / and sudo are only words here'
---
`

const expected = [
  { rule: 'shell-network-to-shell', severity: 'error', line: 3, column: 52 },
  { rule: 'shell-delete-outside', severity: 'error', line: 8, column: 7, step: 'clean' },
  { rule: 'shell-rewrite-history', severity: 'error', line: 9, column: 7, step: 'clean' },
  { rule: 'shell-external-effect', severity: 'error', line: 11, column: 10, step: 'publish' },
  { rule: 'shell-privilege', severity: 'warning', line: 13, column: 20, step: 'root' },
]

test('check names each danger with its line, on the terminal, as JSON and as SARIF', async ({ repo }) => {
  // Not every machine has what it names.
  repo.write('.plans/config.yml', 'validation: { dependencies: false }\n')
  repo.commit('Configuration')
  repo.write('.plans/tidy.md', dangerous)
  const plain = await repo.plan(['check', '.plans/tidy.md'])
  expect(plain.code, plain.all).toBe(1)
  for (const { rule, severity, line, column } of expected)
    expect(plain.all).toMatch(new RegExp(`^\\.plans/tidy\\.md:${line}:${column}: ${severity}: .*\\(${rule}\\)$`, 'm'))
  expect(plain.all).toContain('add `allow: [shell-delete-outside]` to the step')
  expect(plain.all).toContain('4 errors, 1 warning')

  const json = await repo.plan(['check', '.plans/tidy.md', '--json'])
  expect(json.code).toBe(1)
  expect(JSON.parse(json.stdout)).toMatchObject({ valid: false, risk: 'CRITICAL', findings: expected })

  const sarif = await repo.plan(['check', '.plans/tidy.md', '--sarif'])
  expect(sarif.code).toBe(1)
  expect(JSON.parse(sarif.stdout)).toMatchObject({
    runs: [
      {
        results: expected.map(({ rule, severity, line, column, step }) => ({
          ruleId: rule,
          level: severity,
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: '.plans/tidy.md' },
                region: { startLine: line, startColumn: column },
              },
            },
          ],
          ...(step === undefined ? {} : { properties: { step } }),
        })),
      },
    ],
  })
})

test('what check finds is not proposed, started or approved; what the step allows is', async ({ repo }) => {
  repo.write('demo.md', planText('  - {id: one, run: "echo 1 > one.txt; setsid true"}'))
  for (const command of [
    ['new', '--from', 'demo.md'],
    ['start', 'demo.md', '--approve'],
  ]) {
    const ran = await repo.plan(command)
    expect(ran.code, ran.all).toBe(2)
    expect(ran.all).toContain('shell-background')
  }
  expect(repo.git(['branch', '--list', 'plan/*'])).toBe('')
  repo.write('demo.md', planText('  - {id: one, run: "echo 1 > one.txt; setsid true", allow: [shell-background]}'))
  const proposed = await repo.plan(['new', '--from', 'demo.md'])
  expect(proposed.code, proposed.all).toBe(0)
  expect(await repo.json(['status', 'demo'])).toMatchObject({ risk: 'CRITICAL' })

  repo.write('demo.md', planText('  - {id: one, run: "echo 1 > one.txt; sudo true", allow: [shell-background]}'))
  const replanned = await repo.plan(['replan', 'demo', '--from', 'demo.md'])
  expect(replanned.code, replanned.all).toBe(2)
  expect(replanned.all).toContain('shell-privilege')
})

test('a branch that was written by hand is not approved', async ({ repo }) => {
  repo.write('demo.md', planText('  - {id: one, run: echo 1 > one.txt}'))
  expect((await repo.plan(['new', '--from', 'demo.md'])).code).toBe(0)
  const text = repo.git(['show', 'plan/demo:.plans/demo.md']).replaceAll('echo 1 > one.txt', 'sudo true')
  repo.git(['checkout', '-q', 'plan/demo'])
  repo.write('.plans/demo.md', `${text}\n`)
  repo.git(['commit', '-qam', 'By hand'])
  repo.git(['checkout', '-q', 'main'])
  const approved = await repo.plan(['approve', 'demo'])
  expect(approved.code, approved.all).not.toBe(0)
  expect(approved.all).toContain('sudo')
})

test('a step that only reads is LOW, and readers of plans say so as well', async ({ repo }) => {
  repo.write('demo.md', planText('  - {id: one, run: git log --oneline, verify: test -f a.txt}'))
  expect(await repo.json(['check', 'demo.md'])).toMatchObject({
    risk: 'LOW',
    reasons: ['one: `git log --oneline`: git only reads'],
  })
  expect((await repo.plan(['new', '--from', 'demo.md'])).code).toBe(0)
  expect(await repo.json(['status', 'demo'])).toMatchObject({ risk: 'LOW' })
})

function configure(repo: TestRepo, text: string): void {
  repo.write('.plans/config.yml', text)
  repo.git(['add', '-A'])
  repo.git(['commit', '-qm', 'Configuration'])
}

test('the configuration can switch it off', async ({ repo }) => {
  configure(repo, 'validation: {patterns: false}\n')
  repo.write('demo.md', planText('  - {id: one, run: sudo true}'))
  expect((await repo.plan(['check', 'demo.md'])).code).toBe(0)
})

const safety = `version: 1
safety:
  - tool: shop
    read: [orders list]
    examples: {read: [shop orders list], write: [shop orders drop]}
`

test('classify and check use the registry of the repository', async ({ repo }) => {
  expect((await repo.plan(['classify', 'shop orders list'])).code).toBe(1)
  configure(repo, safety)
  const read = await repo.plan(['classify', 'shop orders list'])
  expect(read.code, read.all).toBe(0)
  expect((await repo.plan(['classify', 'shop orders drop'])).code).toBe(1)
  const lines = await repo.plan(['classify', '--stdin', '--json'], { input: '"shop orders list"\n"shop x"\n' })
  expect(
    lines.stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { class: string }).class),
  ).toEqual(['READ', 'WRITE'])
  repo.write('demo.md', planText('  - {id: one, run: shop orders list}'))
  expect(await repo.json(['check', 'demo.md'])).toMatchObject({ risk: 'LOW' })
  const settings = await repo.plan(['config'])
  expect(settings.all).toContain('[{"tool":"shop","read":["orders list"]')
})

test('an example that is not what it is said to be makes the configuration invalid, with its line; so does a broken file', async ({
  repo,
}) => {
  configure(repo, `${safety}  - tool: till\n    read: [sum]\n    examples: {write: [till sum]}\n`)
  repo.write('demo.md', planText('  - {id: one, run: shop orders list}'))
  for (const command of [
    ['classify', 'ls'],
    ['check', 'demo.md'],
  ]) {
    const ran = await repo.plan(command)
    expect(ran.code, ran.all).toBe(2)
    expect(ran.all).toContain(
      '.plans/config.yml on refs/heads/main is not valid: line 6: safety: the example "till sum" is READ, not WRITE',
    )
  }
  configure(repo, 'safety: [\n')
  const broken = await repo.plan(['classify', 'ls'])
  expect(broken.code).toBe(2)
  expect(broken.all).toContain('.plans/config.yml')
})
