// Packages as a step: with npm and a registry of our own, and with other managers that only write down what they were
// told.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { FakeManager } from '../helpers/fake-manager.ts'
import { TestRegistry } from '../helpers/registry.ts'
import { planText, test, type TestRepo } from '../helpers/repo.ts'
import { some } from '../helpers/wide.ts'

function prepare(repo: TestRepo, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries({ '.gitignore': 'node_modules/\nvendor/\n', ...files }))
    repo.write(path, text)
  repo.commit('Packages')
}

const start = (repo: TestRepo, steps: string, env: Record<string, string> = {}) => {
  repo.write('.plans/p.md', planText(steps))
  return repo.plan(['start', '.plans/p.md', '--approve'], { env })
}

test('npm installs from a registry, and manifest and lock file are the commit', async ({ repo }) => {
  const registry = await TestRegistry.start([
    { name: 'limiter', version: '6.0.0' },
    { name: 'limiter', version: '7.2.0' },
    { name: '@types/limiter', version: '1.0.0' },
  ])
  try {
    prepare(repo, { 'package.json': '{"name":"shop"}\n', 'packages/api/package.json': '{"name":"api"}\n' })
    writeFileSync(join(repo.home, '.npmrc'), `registry=${registry.url}\nupdate-notifier=false\n`)
    const ran = await start(
      repo,
      `  - install: limiter@>=6 <7
    files: [package.json, package-lock.json]
  - install: ["@types/limiter"]
    dev: true
  - {install: limiter@latest, in: packages/api}`,
    )
    expect(ran, ran.all).toMatchObject({ code: 0 })
    expect(repo.subjects().slice(1, 4)).toEqual([
      'Install limiter@latest in packages/api',
      'Install @types/limiter',
      'Install limiter@>=6 <7',
    ])
    expect(repo.git(['show', 'HEAD~3', '--format=', '--name-only']).split('\n')).toEqual([
      '.plans/p.md',
      'package-lock.json',
      'package.json',
    ])
    expect(repo.git(['show', 'HEAD~1', '--format=', '--name-only']).split('\n')).toEqual([
      '.plans/p.md',
      'packages/api/package-lock.json',
      'packages/api/package.json',
    ])
    expect(JSON.parse(repo.read('package.json'))).toMatchObject({
      dependencies: { limiter: '^6.0.0' },
      devDependencies: { '@types/limiter': '^1.0.0' },
    })
    expect(JSON.parse(repo.read('packages/api/package.json'))).toMatchObject({ dependencies: { limiter: '^7.2.0' } })
    expect(repo.read('node_modules/limiter/index.js')).toContain('6.0.0')
    expect(repo.status()).toBe('')
  } finally {
    registry.stop()
  }
})

test('a package that the registry does not have fails the step, and nothing of it stays', async ({ repo }) => {
  const registry = await TestRegistry.start([{ name: 'limiter', version: '1.0.0' }])
  try {
    prepare(repo, { 'package.json': '{"name":"shop"}\n' })
    writeFileSync(join(repo.home, '.npmrc'), `registry=${registry.url}\nupdate-notifier=false\n`)
    const ran = await start(repo, '  - install: [limiter, nowhere]')
    expect(ran.code, ran.all).toBe(1)
    expect(ran.all).toContain('npm exited with 1')
    expect(repo.read('package.json')).toBe('{"name":"shop"}\n')
    expect(repo.status()).toBe('')
  } finally {
    registry.stop()
  }
})

interface Told {
  readonly name: string
  readonly program?: string
  readonly files: Readonly<Record<string, string>>
  readonly step: string
  /** What the manager makes of the manifest. */
  readonly after: Readonly<Record<string, string>>
  readonly words: readonly (readonly string[])[]
  readonly ignoreScripts?: string
}

const inPackageJson = { 'package.json': '{"dependencies":{"a":"1"}}' }

const told: readonly Told[] = [
  {
    name: 'pnpm',
    files: { 'package.json': '{}', 'pnpm-lock.yaml': '' },
    step: '{install: a@>=1 <2}',
    after: inPackageJson,
    words: [['add', '--save-prod', '--ignore-workspace-root-check', '--ignore-scripts', 'a@>=1 <2']],
  },
  {
    name: 'yarn',
    files: { 'package.json': '{}', 'yarn.lock': '# yarn lockfile v1\n' },
    step: '{install: a@1 || 2}',
    after: inPackageJson,
    words: [['add', '--non-interactive', '--ignore-workspace-root-check', '--ignore-scripts', 'a@1 || 2']],
  },
  {
    name: 'yarn 4',
    program: 'yarn',
    files: { 'package.json': '{"packageManager":"yarn@4.5.0"}' },
    step: '{install: a}',
    after: inPackageJson,
    words: [['add', '--mode=skip-build', 'a']],
    ignoreScripts: 'true',
  },
  {
    name: 'bun',
    files: { 'package.json': '{}', 'bun.lock': '' },
    step: '{install: [a, "@b/c@~1.2"], dev: true}',
    after: { 'package.json': '{"devDependencies":{"a":"1","@b/c":"1"}}' },
    words: [['add', '--dev', '--ignore-scripts', 'a', '@b/c@~1.2']],
  },
  {
    name: 'pip',
    files: { 'requirements.txt': 'flask\n' },
    step: '{install: "requests[socks]>=2,<3"}',
    after: {},
    words: [
      [
        'install',
        '--require-virtualenv',
        '--no-input',
        '--disable-pip-version-check',
        '--only-binary',
        ':all:',
        'requests[socks]>=2,<3',
      ],
    ],
  },
  {
    name: 'uv',
    files: { 'pyproject.toml': '[project]\nname = "x"\n', 'uv.lock': '' },
    step: '{install: requests}',
    after: { 'pyproject.toml': '[project]\nname = "x"\ndependencies = ["requests>=2.32.3"]\n' },
    words: [['add', '--no-build', 'requests']],
  },
  {
    name: 'poetry',
    files: { 'pyproject.toml': '[tool.poetry]\nname = "x"\n' },
    step: '{install: requests@^2.32, scripts: true}',
    after: { 'pyproject.toml': '[tool.poetry.dependencies]\nrequests = "^2.32"\n' },
    words: [['add', '--no-interaction', 'requests@^2.32']],
  },
  {
    name: 'cargo',
    files: { 'Cargo.toml': '[package]\nname = "x"\n' },
    step: '{install: serde@1.0, dev: true}',
    after: { 'Cargo.toml': '[package]\nname = "x"\n[dev-dependencies]\nserde = "1.0"\n' },
    words: [['add', '--dev', 'serde@1.0']],
  },
  {
    name: 'go',
    files: { 'go.mod': 'module example.com/x\n' },
    step: '{install: golang.org/x/sync/errgroup@v0.10.0}',
    after: { 'go.mod': 'module example.com/x\n\nrequire golang.org/x/sync v0.10.0\n' },
    words: [['get', 'golang.org/x/sync/errgroup@v0.10.0']],
  },
  {
    name: 'bundle',
    files: { Gemfile: "source 'https://rubygems.org'\n" },
    step: '{install: [rack@~> 3.1, puma], scripts: true}',
    after: { Gemfile: "source 'https://rubygems.org'\ngem 'rack', '~> 3.1'\ngem 'puma'\n" },
    words: [
      ['add', 'rack', '--version', '~> 3.1'],
      ['add', 'puma'],
    ],
  },
  {
    name: 'composer',
    files: { 'composer.json': '{}' },
    step: '{install: monolog/monolog:^3.0}',
    after: { 'composer.json': '{"require":{"monolog/monolog":"^3.0"}}' },
    words: [['require', '--no-interaction', '--no-scripts', '--no-plugins', 'monolog/monolog:^3.0']],
  },
]

test.for(some(told, [0, 3, 6]))(
  '$name is told what to add, word by word',
  async ({ name, program = name, files, step, after, words, ignoreScripts = '' }, { repo }) => {
    mkdirSync(join(repo.home, 'after'))
    for (const [path, text] of Object.entries(after)) writeFileSync(join(repo.home, 'after', path), text)
    const fake = new FakeManager(repo, program, `cp '${repo.home}'/after/* . 2>/dev/null\nexit 0`)
    prepare(repo, Object.fromEntries(Object.entries(files).map(([path, text]) => [`packages/it's/${path}`, text])))
    const ran = await start(repo, `  - ${step.replace('}', `, in: "packages/it's"}`)}`, fake.env)
    expect(ran, ran.all).toMatchObject({ code: 0 })
    expect(fake.calls).toEqual(
      words.map((each) => ({ directory: repo.path("packages/it's"), words: each, ignoreScripts })),
    )
    expect(repo.git(['show', 'HEAD~1', '--format=', '--name-only', '-z']).split('\0')).toContain(
      `packages/it's/${Object.keys(after)[0] ?? 'requirements.txt'}`,
    )
    if (name === 'pip') expect(repo.read("packages/it's/requirements.txt")).toBe('flask\nrequests[socks]>=2,<3\n')
    // Nothing in a range was taken for a redirection.
    expect(repo.status()).toBe('')
  },
)

test('a manager that says it has done it, and has not, fails the step', async ({ repo }) => {
  const fake = new FakeManager(repo, 'npm', 'echo added 1 package; exit 0')
  prepare(repo, { 'package.json': '{"dependencies":{"b":"1"}}' })
  const ran = await start(repo, '  - {id: a, install: a}', fake.env)
  expect(ran.code).toBe(1)
  expect(ran.all).toContain('npm exited with 0, but package.json does not list a')
  expect(repo.git(['for-each-ref', '--format=%(refname)', 'refs/plan/p/attempts'])).toBe('refs/plan/p/attempts/a/1')
})

test('timeout and output are those of every command', async ({ repo }) => {
  const fake = new FakeManager(repo, 'npm', 'echo asking the registry; sleep 60')
  prepare(repo, { 'package.json': '{}' })
  const ran = await start(repo, '  - {id: a, install: a, timeout: 1s}', fake.env)
  expect(ran.code).toBe(1)
  expect(ran.all).toContain('npm timed out')
  expect((await repo.plan(['log', 'p', '--output', 'a'])).stdout).toContain('asking the registry')
  expect(repo.read('.plans/p.md')).toContain('a: timeout')
})

test('check says what is wrong beforehand, as JSON and as SARIF', async ({ repo }) => {
  repo.write('package.json', '{}')
  repo.write('yarn.lock', '')
  repo.write('package-lock.json', '')
  repo.write('api/package.json', '{}')
  repo.commit('Two lock files')
  repo.write(
    '.plans/p.md',
    planText(
      '  - {id: one, install: a}\n  - {id: two, needs: [], install: a, in: none}\n  - {id: three, needs: [], install: a, in: api, manager: npm}',
    ),
  )
  const { findings, risk } = await repo.json(['check', '.plans/p.md'])
  expect(findings).toMatchObject([
    {
      rule: 'manager-unclear',
      severity: 'error',
      step: 'one',
      line: 3,
      advice: expect.stringContaining('set `manager`') as string,
    },
    { rule: 'would-fail', severity: 'warning', step: 'two', line: 4 },
    {
      rule: 'packages-not-ignored',
      severity: 'warning',
      step: 'three',
      line: 5,
      message: expect.stringContaining('api/node_modules') as string,
    },
  ])
  expect(risk).toBe('MEDIUM')
  const sarif = await repo.plan(['check', '.plans/p.md', '--sarif'])
  expect(sarif.code).toBe(1)
  for (const rule of ['manager-unclear', 'would-fail', 'packages-not-ignored'])
    expect(sarif.stdout).toContain(`"ruleId":"${rule}"`)
})

test('the schema for editors has it', async ({ repo }) => {
  const { stdout } = await repo.plan(['schema'])
  expect(stdout).toContain('Whether scripts of the packages may run; off unless set')
})
