// Which manager a directory is for, what it is told, and whether its manifest names what was asked for.

import { describe, expect, test } from 'vitest'
import { managerIn, type ManagerFound } from '../../../../src/plan/packages/manager-in.ts'
import {
  commandsFor,
  installProblem,
  managerNames,
  managers,
  type Dialect,
  type InstallSpec,
} from '../../../../src/plan/packages/package-managers.ts'
import { missingNames } from '../../../../src/plan/packages/named-in.ts'
import { withRequirements } from '../../../../src/plan/packages/requirements.ts'
import { bytesOf } from '../../../helpers/plans.ts'

const line = (dialect: Dialect, spec: InstallSpec): string =>
  commandsFor(spec, dialect)
    .map((words) => words.join(' '))
    .join(' && ')

describe('command lines', () => {
  test.each<[Dialect, string, string, string]>([
    [
      'npm',
      'a@^1',
      'npm install --save-prod --no-audit --no-fund --ignore-scripts a@^1',
      'npm install --save-dev --no-audit --no-fund a@^1',
    ],
    [
      'pnpm',
      'a@^1',
      'pnpm add --save-prod --ignore-workspace-root-check --ignore-scripts a@^1',
      'pnpm add --save-dev --ignore-workspace-root-check a@^1',
    ],
    [
      'yarn',
      'a@^1',
      'yarn add --non-interactive --ignore-workspace-root-check --ignore-scripts a@^1',
      'yarn add --dev --non-interactive --ignore-workspace-root-check a@^1',
    ],
    ['yarn-berry', 'a@^1', 'env yarn_ignore_scripts=true yarn add --mode=skip-build a@^1', 'yarn add --dev a@^1'],
    ['bun', 'a@^1', 'bun add --ignore-scripts a@^1', 'bun add --dev a@^1'],
    [
      'pip',
      'a==1',
      'pip install --require-virtualenv --no-input --disable-pip-version-check --only-binary :all: a==1',
      'pip install --require-virtualenv --no-input --disable-pip-version-check a==1',
    ],
    ['uv', 'a>=1', 'uv add --no-build a>=1', 'uv add --dev a>=1'],
    ['poetry', 'a@^1', 'poetry add --no-interaction a@^1', 'poetry add --no-interaction --group dev a@^1'],
    ['cargo', 'a@1', 'cargo add a@1', 'cargo add --dev a@1'],
    ['go', 'a.b/c@v1', 'go get a.b/c@v1', 'go get a.b/c@v1'],
    ['bundle', 'a@~> 1', 'bundle add a --version ~> 1', 'bundle add a --version ~> 1 --group development'],
    [
      'composer',
      'a/b:^1',
      'composer require --no-interaction --no-scripts --no-plugins a/b:^1',
      'composer require --no-interaction --dev a/b:^1',
    ],
  ])('%s', (dialect, install, plain, both) => {
    expect(line(dialect, { install })).toBe(plain)
    expect(line(dialect, { install, dev: true, scripts: true })).toBe(both)
  })

  test('there is one for each manager, and one more for yarn', () => {
    expect(Object.keys(managers).toSorted()).toEqual([...managerNames, 'yarn-berry'].toSorted())
  })

  test('several packages go together, but for bundle, which has one version for all of them', () => {
    expect(line('npm', { install: ['a', 'b@2'] })).toMatch(/ a b@2$/)
    expect(line('bundle', { install: ['a', 'b@2'], scripts: true })).toBe('bundle add a && bundle add b --version 2')
  })
})

describe('what is refused', () => {
  test.each<[Dialect, InstallSpec, string | undefined]>([
    ['npm', { install: 'a/b' }, 'a/b is not a valid package for npm; write it like express'],
    ['pip', { install: ['a', 'a@1'] }, 'a@1 is not a valid package for pip'],
    ['go', { install: 'a.b/c', dev: true }, 'go.mod has no development dependencies'],
    ['poetry', { install: 'a' }, '`scripts: true`'],
    ['bundle', { install: 'a' }, '`scripts: true`'],
    ['poetry', { install: 'a', scripts: true }, undefined],
    ['bundle', { install: 'a', scripts: true }, undefined],
    ['cargo', { install: 'a' }, undefined],
  ])('%s: %j', (dialect, spec, message) => {
    const problem = installProblem(spec, dialect)?.message
    if (message === undefined) expect(problem).toBeUndefined()
    else expect(problem).toContain(message)
  })
})

function found(
  files: Readonly<Record<string, string>>,
  directory = '',
  named?: InstallSpec['manager'],
): Promise<ManagerFound> {
  return managerIn(directory, named, {
    kind: async (path) => (Object.hasOwn(files, path) ? 'file' : 'absent'),
    read: async (path) => bytesOf(files[path] ?? ''),
  })
}

describe('the manager of a directory', () => {
  test.each<[Dialect, Record<string, string>, string?]>([
    ['npm', { 'package.json': '{}' }],
    ['npm', { 'package.json': 'broken' }],
    ['npm', { 'package.json': '{}', 'package-lock.json': '' }],
    ['npm', { 'package.json': '{}', 'npm-shrinkwrap.json': '', 'package-lock.json': '' }],
    ['pnpm', { 'package.json': '{}', 'pnpm-lock.yaml': '' }],
    ['pnpm', { 'package.json': '{"packageManager":"pnpm@9.1.0"}' }],
    ['bun', { 'package.json': '{}', 'bun.lock': '' }],
    ['bun', { 'package.json': '{}', 'bun.lockb': '' }],
    ['yarn', { 'package.json': '{}', 'yarn.lock': '# yarn lockfile v1\n' }],
    ['yarn', { 'package.json': '{"packageManager":"yarn@1.22.22"}', 'yarn.lock': '' }],
    ['yarn-berry', { 'package.json': '{"packageManager":"yarn@4.1.0"}' }],
    ['yarn-berry', { 'package.json': '{"packageManager":"yarn@10.0.0"}' }],
    ['yarn-berry', { 'package.json': '{}', 'yarn.lock': '', '.yarnrc.yml': '' }],
    ['yarn-berry', { 'package.json': '{}', 'yarn.lock': '# x\n\n__metadata:\n  version: 8\n' }],
    ['pip', { 'requirements.txt': '' }],
    ['pip', { 'requirements.txt': '', 'pyproject.toml': '[project]\n' }],
    ['uv', { 'pyproject.toml': '', 'uv.lock': '', 'requirements.txt': '' }],
    ['uv', { 'pyproject.toml': '[tool.uv]\n' }],
    ['poetry', { 'pyproject.toml': '[tool.poetry.dependencies]\n' }],
    ['cargo', { 'Cargo.toml': '', 'Cargo.lock': '' }],
    ['go', { 'go.mod': '' }],
    ['bundle', { Gemfile: '' }],
    ['composer', { 'composer.json': '{}' }],
    // In a workspace the lock file is at the top; what else is there is not this directory's.
    ['pnpm', { 'packages/api/package.json': '{}', 'pnpm-lock.yaml': '', 'Cargo.toml': '' }, 'packages/api'],
    [
      'yarn-berry',
      { 'packages/api/package.json': '{}', 'package.json': '{"packageManager":"yarn@4.0.0"}' },
      'packages/api',
    ],
    ['cargo', { 'crates/a/Cargo.toml': '', 'Cargo.lock': '', 'package-lock.json': '' }, 'crates/a'],
    [
      'npm',
      { 'packages/api/package-lock.json': '', 'packages/api/package.json': '{}', 'pnpm-lock.yaml': '' },
      'packages/api',
    ],
  ])('is %s with %j', async (dialect, files, directory) => {
    expect(await found(files, directory)).toEqual({ ok: true, dialect })
  })

  test.each<[string, Record<string, string>, string?]>([
    ['no manifest or lock file at the top of the repository', {}],
    ['no manifest or lock file in packages/api', { 'package.json': '{}' }, 'packages/api'],
    [
      'package.json, Cargo.toml at the top of the repository belong to different',
      { 'package.json': '{}', 'Cargo.toml': '' },
    ],
    ['both npm and yarn', { 'package.json': '{}', 'package-lock.json': '', 'yarn.lock': '' }],
    ['both pnpm and npm', { 'package.json': '{"packageManager":"pnpm@9.0.0"}', 'package-lock.json': '' }],
    ['pyproject.toml at the top of the repository can belong to several', { 'pyproject.toml': '[project]\n' }],
  ])('is not clear: %s', async (message, files, directory) => {
    expect(await found(files, directory)).toMatchObject({
      ok: false,
      message: expect.stringContaining(message) as string,
    })
  })

  test('is what the plan says, and which yarn that is the files tell', async () => {
    expect(await found({ 'package-lock.json': '' }, '', 'cargo')).toEqual({ ok: true, dialect: 'cargo' })
    expect(await found({}, '', 'yarn')).toEqual({ ok: true, dialect: 'yarn' })
    expect(await found({ '.yarnrc.yml': '' }, 'a/b', 'yarn')).toEqual({ ok: true, dialect: 'yarn-berry' })
  })
})

describe('a manifest', () => {
  test.each<[Dialect, string, readonly string[], readonly string[]]>([
    [
      'npm',
      '{"dependencies":{"a":"1"},"optionalDependencies":{"b":"1"},"devDependencies":{"c":"1"}}',
      ['a', 'b'],
      ['c'],
    ],
    ['composer', '{"require":{"a/b":"1"},"require-dev":{"c/d":"1"}}', ['a/b'], ['c/d']],
    [
      'cargo',
      '[dependencies]\na = "1"\nb_x = { version = "1" }\n[dev-dependencies.c]\nversion = "1"\n',
      ['a', 'b-x'],
      ['c'],
    ],
    [
      'uv',
      '[project]\ndependencies = [\n  "A.b>=1", # x\n  "c[d]; python_version < \'3\'",\n]\n[dependency-groups]\ndev = ["e", {include-group = "x"}]\n',
      ['a-b', 'c'],
      ['e'],
    ],
    [
      'poetry',
      '[tool.poetry.dependencies]\nA_b = "^1"\n[tool.poetry.group.dev.dependencies]\ne = "*"\n',
      ['a-b'],
      ['e'],
    ],
    ['pip', '# a comment\nA.b==1  # x\r\nc>=1\n-r other.txt\nhttps://example.com/z\n', ['a-b', 'c'], ['c']],
    [
      'go',
      'module x.y/z\n\ngo 1.22\n\nrequire a.b/c v1.0.0\nrequire (\n\td.e/f v0.1.0 // indirect\n)\n',
      ['a.b/c', 'd.e/f/cmd/g'],
      ['a.b/c'],
    ],
    ['bundle', "source 'x'\ngem 'a', '~> 1'\ngroup :development do\n  gem(\"b\")\nend\n", ['a', 'b'], ['b']],
  ])('of %s names what is in it', async (dialect, text, use, development) => {
    expect(await missingNames(dialect, text, [...use, 'z'], { isDev: false })).toEqual(['z'])
    expect(await missingNames(dialect, text, [...development, 'z'], { isDev: true })).toEqual(['z'])
  })

  test('tells what is for use from what is for development', async () => {
    expect(await missingNames('npm', '{"devDependencies":{"a":"1"}}', ['a'], { isDev: false })).toEqual(['a'])
    expect(await missingNames('npm', '{"dependencies":{"a":"1"}}', ['a'], { isDev: true })).toEqual(['a'])
    expect(await missingNames('npm', '{"dependencies":["a"]}', ['constructor'], { isDev: false })).toEqual([
      'constructor',
    ])
    expect(await missingNames('npm', '{"dependencies":{}}', ['constructor', '__proto__'], { isDev: false })).toEqual([
      'constructor',
      '__proto__',
    ])
  })

  test('of Go names no module that only begins alike', async () => {
    expect(await missingNames('go', 'require a.b/c v1.0.0\n', ['a.b/cd'], { isDev: false })).toEqual(['a.b/cd'])
  })
})

test('a requirement takes the line of the one before it, or comes last, and nothing else changes', () => {
  expect(withRequirements('', [{ name: 'a', text: 'a==1' }])).toBe('a==1\n')
  expect(
    withRequirements('# x\nA_b==1\n-r y.txt', [
      { name: 'a.b', text: 'a.b==2' },
      { name: 'c', text: 'c' },
    ]),
  ).toBe('# x\na.b==2\n-r y.txt\nc\n')
  expect(withRequirements('a\r\nb\r\n', [{ name: 'b', text: 'b>1' }])).toBe('a\r\nb>1\r\n')
})
