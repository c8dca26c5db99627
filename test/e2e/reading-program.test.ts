// `list`, `status`, `show`, `log` and help are a program of their own in the bundle. An option before the command leads to the whole program.

import { expect } from 'vitest'
import { test } from '../helpers/repo.ts'

const policy = `version: 1
limits: { steps: 50 }
approval: { low: none, high: local }
safety:
  - tool: inspect-only
    read: ['show *']
`

const failing = `---
steps:
  - { id: made, create: b.txt, content: "b\\n" }
  - { id: looked, run: inspect-only show a.txt, needs: [] }
  - { id: broken, run: "false", needs: [made] }
---
`

test('the small program says the same as the whole one', async ({ repo }) => {
  repo.write('.plans/config.yml', policy)
  repo.commit('Policy')
  expect(await repo.plan(['new', 'Other', '--from', '-', '--id', 'other'], { input: failing })).toMatchObject({ code: 0 })
  repo.write('failing.md', failing)
  expect((await repo.plan(['start', 'failing.md', '--approve'])).code).toBe(1)
  const lines = [
    [],
    ['-h'],
    ['--version'],
    ['list', '-h'],
    ['list'],
    ['list', '--resumable'],
    ['status'],
    ['status', 'other'],
    ['show'],
    ['log'],
    ['log', 'other'],
  ]
  for (const words of [...lines, ['status', 'nosuchplan'], ['show', '--nosuchoption']]) {
    for (const more of [[], ['--json']]) {
      const small = await repo.plan([...words, ...more], { isBinary: true })
      const whole = await repo.plan(['--no-color', ...words, ...more], { isBinary: true })
      expect(small).toEqual(whole)
      expect(small.code, small.all).toBeLessThan(4)
    }
  }
})
