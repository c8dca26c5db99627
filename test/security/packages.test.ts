// B4: what is in a package runs when the plan allows it, and what is named as a package is nothing else.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Canary, picture, refusalOf } from '../helpers/canary.ts'
import { FakeManager } from '../helpers/fake-manager.ts'
import { TestRegistry } from '../helpers/registry.ts'
import { planText, test as base, type TestRepo } from '../helpers/repo.ts'

interface Shop {
  readonly dependency: Canary
  readonly project: Canary
}

/** A project with scripts of its own, and a registry with a package that has some. */
const test = base.extend<{ shop: Shop }>({
  shop: async ({ repo }, use) => {
    const dependency = new Canary(repo, 'dependency')
    const project = new Canary(repo, 'project')
    const scripts = Object.fromEntries(
      ['preinstall', 'install', 'postinstall'].map((name) => [name, dependency.command]),
    )
    const registry = await TestRegistry.start([{ name: 'sly', version: '1.0.0', scripts }])
    repo.write(
      'package.json',
      JSON.stringify({ name: 'shop', scripts: { postinstall: project.command, prepare: project.command } }),
    )
    repo.write('.gitignore', 'node_modules/\n')
    repo.commit('Shop')
    writeFileSync(join(repo.home, '.npmrc'), `registry=${registry.url}\nupdate-notifier=false\n`)
    await use({ dependency, project })
    registry.stop()
  },
})

async function install(repo: TestRepo, step: string): Promise<void> {
  repo.write('.plans/p.md', planText(`  - {install: sly, ${step}}`))
  const ran = await repo.plan(['start', '.plans/p.md', '--approve'])
  expect(ran, ran.all).toMatchObject({ code: 0 })
  expect(repo.read('node_modules/sly/index.js')).toContain('1.0.0')
}

test.for([
  ['without a word about scripts', 'dev: false', ''],
  ['with `scripts: false`', 'scripts: false', ''],
  ['with a configuration of the repository that wants them', 'dev: false', 'ignore-scripts=false\nfoo=bar\n'],
  ['with variables that want them', 'env: {npm_config_ignore_scripts: "false"}', ''],
] as const)('B4 lifecycle scripts %s do not run', async ([, step, npmrc], { repo, shop }) => {
  if (npmrc !== '') {
    repo.write('.npmrc', npmrc)
    repo.commit('Configuration')
  }
  await install(repo, step)
  expect(shop.dependency.sang).toBe(false)
  expect(shop.project.sang).toBe(false)
})

test('B4 lifecycle scripts run with `scripts: true`, which is HIGH', async ({ repo, shop }) => {
  await install(repo, 'scripts: true')
  expect(shop.dependency.sang).toBe(true)
  const { risk } = await repo.json(['check', 'p'])
  expect(risk).toBe('HIGH')
})

test.for([
  ['bundle', { Gemfile: '' }, 'rack', ''],
  ['poetry', { 'pyproject.toml': '[tool.poetry]\n' }, 'requests', ''],
  ['poetry', { 'pyproject.toml': '' }, 'requests', ', manager: poetry'],
] as const)(
  'B4 %s cannot be kept from running them: refused, and not started',
  async ([name, files, install, more], { repo }) => {
    const fake = new FakeManager(repo, name)
    for (const [path, text] of Object.entries(files)) repo.write(path, text)
    repo.commit('Manifest')
    repo.write('.plans/p.md', planText(`  - {install: ${install}${more}}`))
    const before = picture(repo)
    const checked = await repo.plan(['check', '.plans/p.md'], { env: fake.env })
    expect(checked.code).toBeGreaterThan(0)
    expect(checked.all).toContain('`scripts: true`')
    expect(picture(repo)).toEqual(before)
    const refusal = refusalOf(await repo.plan(['start', '.plans/p.md', '--approve', '--json'], { env: fake.env }))
    expect(JSON.stringify(refusal)).toContain('`scripts: true`')
    // The executor asks again, whatever check was told.
    if (more === '')
      expect((await repo.plan(['start', 'p', '--approve', '--skip-check', 'plan'], { env: fake.env })).all).toContain(
        '`scripts: true`',
      )
    expect(fake.calls).toEqual([])
  },
)

test.for([
  '--registry=https://example.com',
  '-g',
  '../elsewhere',
  'x@file:../elsewhere',
  'x@npm:sly',
  'git+ssh://git@example.com/x',
  'https://example.com/x.tgz',
  'x.tgz',
  '$(touch canary)',
  'x; touch canary',
  "x'; touch canary; '",
  'x && touch canary',
])('B4 a package %j is refused before anything runs', async (name, { repo, shop }) => {
  const fake = new FakeManager(repo, 'npm')
  repo.write('.plans/p.md', planText(`  - install: ${JSON.stringify(name)}`))
  const before = picture(repo)
  const refusal = refusalOf(await repo.plan(['start', '.plans/p.md', '--approve', '--json'], { env: fake.env }))
  expect(refusal).toMatchObject({ code: 'invalid-plan', exitCode: 2 })
  expect(fake.calls).toEqual([])
  expect(shop.dependency.sang).toBe(false)
  expect(picture(repo)).toEqual(before)
})

test('B4 a directory that is a link is no place to install in, even where check was left out', async ({
  repo,
  shop,
}) => {
  const fake = new FakeManager(repo, 'npm')
  repo.git(['config', 'core.symlinks', 'true'])
  repo.write(
    '.plans/p.md',
    planText(`  - {id: link, run: "ln -s ../home out"}\n  - {id: a, install: x, in: out, manager: npm}`),
  )
  const ran = await repo.plan(['start', '.plans/p.md', '--approve', '--skip-check', 'plan'], { env: fake.env })
  expect(ran.code, ran.all).toBe(1)
  expect(ran.all).toContain('cannot install in out: it is not a directory')
  expect(fake.calls).toEqual([])
  expect(shop.project.sang).toBe(false)
})
