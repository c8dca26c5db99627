// Globs that would keep a regular expression busy for ever, wherever a pattern is read: each command answers. As for
// time, the test's own limit is enough.

import { expect } from 'vitest'
import { planText, test } from '../helpers/repo.ts'

const name = 'a'.repeat(60)
const stars = `${'*a'.repeat(30)}*b`
const braces = `${'{a,aa}'.repeat(30)}b*`

test('in `files`, in a command, and in the name of a critical file', async ({ repo }) => {
  const steps = [
    `{ id: one, needs: [], create: ${name}, content: x }`,
    `{ id: two, needs: [], run: 'true', files: ['${stars}', '${braces}', 'secrets/${'{'.repeat(1500)}${','.repeat(1500)}'] }`,
    `{ id: three, run: 'curl http://localhost > ${name}; sh ${stars}; /bin/r${'*'.repeat(2000)}x' }`,
    `{ id: four, run: 'ls ${'{'.repeat(5000)}${','.repeat(5000)}' }`,
  ]
  repo.write('.plans/p.md', planText(steps.map((step) => `  - ${step}`).join('\n')))
  const checked = await repo.plan(['check', '.plans/p.md'])
  expect(checked.all).toContain('not a valid plan, 1 error')
  expect(checked.all).toContain('CRITICAL, possibly touches secrets')
})

test('in the configuration and in CODEOWNERS', async ({ repo }) => {
  repo.write(
    '.plans/config.yml',
    `bases: [main, '${stars}']\nrisk: { critical: ['${stars}', '${braces}'] }\napproval: { low: { codeowners: true } }\n`,
  )
  repo.write('CODEOWNERS', `${stars} @bob\n${name} @ada\n`)
  repo.commit('Policy')
  repo.git(['branch', name])
  const steps = `  - { create: ${name}, content: x }`
  const elsewhere = await repo.plan(['new', '--from', '-', '--id', 'p'], { input: planText(steps, `base: ${name}\n`) })
  expect([elsewhere.code, elsewhere.all]).toEqual([3, expect.stringContaining('is not an allowed base')])
  const proposed = await repo.plan(['new', '--from', '-', '--id', 'p'], { input: planText(steps) })
  expect(proposed.code, proposed.all).toBe(0)
  const approved = await repo.plan(['approve', 'p'])
  expect([approved.code, approved.all]).toEqual([
    0,
    expect.stringContaining(`it needs an approval by @ada, owner of ${name}`),
  ])
})

test('outside the syntax that is known are refused, with what is known', async ({ repo }) => {
  const ran = await repo.plan(['check', '-'], { input: planText("  - { run: 'true', files: ['src/+(a|aa)'] }") })
  expect([ran.code, ran.all]).toEqual([
    2,
    expect.stringContaining('a glob may have `*`, `**`, `?`, `[abc]` and `{a,b}`, not `+(`'),
  ])
})
