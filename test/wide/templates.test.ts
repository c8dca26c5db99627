// Each template that comes with git plan, in a small real project.

import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { TestRegistry } from '../helpers/registry.ts'
import { test } from '../helpers/repo.ts'
import { runTemplate, templateProjects } from '../helpers/template-projects.ts'

const names = readdirSync(new URL('../../templates/', import.meta.url))
  .filter((name) => name.endsWith('.md'))
  .map((name) => name.slice(0, -'.md'.length))

test('every template has a project', () => {
  expect(Object.keys(templateProjects).toSorted()).toEqual(names.toSorted())
})

for (const name of names)
  test(`${name} makes what it names`, async ({ repo }) => {
    const registry =
      name === 'upgrade-dependency'
        ? await TestRegistry.start([
            { name: 'limiter', version: '6.0.0' },
            { name: 'limiter', version: '7.2.0' },
          ])
        : undefined
    try {
      if (registry !== undefined)
        writeFileSync(join(repo.home, '.npmrc'), `registry=${registry.url}\nupdate-notifier=false\n`)
      const { before, after, all } = await runTemplate(repo, name)
      expect(before, 'before').not.toBe(0)
      expect(after, all).toBe(0)
      expect(await repo.json(['status', 'made']), all).toMatchObject({ status: 'completed' })
      expect(repo.status()).toBe('')
    } finally {
      registry?.stop()
    }
  })

test('agent-pipeline reports tests before and after, and criteria with evidence', async ({ repo }) => {
  const { all } = await runTemplate(repo, 'agent-pipeline')
  const report = (await repo.plan(['report', 'made'])).stdout
  expect(report, all).toContain(
    '| implement | 1 run, 1 passed, 0 failed, 0 skipped | 2 run, 2 passed, 0 failed, 0 skipped | +1 |',
  )
  for (const criterion of [
    'test | criteria | The new tests fail, because nothing is implemented yet',
    'implement | criteria | All tests pass, the new ones too',
  ])
    expect(report).toMatch(new RegExp(`\\| ${criterion.replaceAll('|', '\\|')} \\| verified \\| .*exit code 0`))
})
