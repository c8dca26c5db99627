import { describe, expect, test } from 'vitest'
import { readPlan } from '../../../src/plan/file/read-plan.ts'
import type { Performed, ShellResult } from '../../../src/plan/model/verb.ts'
import { specOf, verbNamed, verbs } from '../../../src/plan/verbs/index.ts'
import { bytesOf, fenced, parsed } from '../../helpers/plans.ts'
import { perform, world } from '../../helpers/verb-world.ts'

describe('the registry', () => {
  test('names each verb as its key, with its own key in its schema', () => {
    expect(Object.keys(verbs)).toEqual([
      'run',
      'create',
      'edit',
      'edits',
      'patch',
      'refactor',
      'delete',
      'move',
      'install',
      'agent',
      'manual',
      'gate',
    ])
    for (const [name, verb] of Object.entries(verbs)) {
      expect(verb.name).toBe(name)
      expect(Object.keys(verb.shape)).toContain(name)
    }
    expect(verbNamed('constructor')).toBeUndefined()
    expect(specOf(verbs['move']!, { move: 'a', to: 'b', id: 'x' })).toEqual({ move: 'a', to: 'b' })
  })
})

describe('run', () => {
  test.each<[ShellResult, Performed]>([
    [{ kind: 'exited', code: 0 }, { kind: 'performed' }],
    [
      { kind: 'exited', code: 3 },
      { kind: 'failed', reason: 'exit', message: 'exit code 3', exit: 3 },
    ],
    [
      { kind: 'killed', reason: 'timeout' },
      { kind: 'failed', reason: 'timeout', message: 'timed out' },
    ],
    [
      { kind: 'killed', reason: 'signal', signal: 'SIGSEGV' },
      { kind: 'failed', reason: 'signal', message: 'the command was killed by a signal (SIGSEGV)' },
    ],
    [
      { kind: 'killed', reason: 'output-limit' },
      { kind: 'failed', reason: 'output-limit', message: 'the command exceeded its output limit' },
    ],
    [
      { kind: 'killed', reason: 'interrupted' },
      { kind: 'failed', reason: 'interrupted', message: 'the command was interrupted' },
    ],
  ])('gives what came of the command: %j', async (result, performed) => {
    const { context, commands } = world({}, result)
    expect(await perform('run: make', context)).toEqual(performed)
    expect(commands).toEqual(['make'])
  })
})

describe('create, delete and move', () => {
  test('create makes a file where nothing is', async () => {
    const { context, content, executable } = world({ 'd/a': '1' })
    expect(await perform('create: b\ncontent: |\n  x\nexecutable: true', context)).toEqual({ kind: 'performed' })
    expect(content()).toEqual({ 'd/a': '1', b: 'x\n' })
    expect([...executable]).toEqual(['b'])
    expect(await perform('create: d/a\ncontent: x', context)).toMatchObject({ kind: 'failed', reason: 'verb' })
    expect(await perform('create: d\ncontent: x', context)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('directory'),
    })
  })
  test('delete removes what git tracks, and nothing where one of the paths is wrong', async () => {
    const { context, content } = world({ 'd/a': '1', 'd/b': '2', c: '3' })
    expect(await perform('delete: [c, nope]', context)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('nope'),
    })
    expect(Object.keys(content())).toHaveLength(3)
    expect(await perform('delete: [d, d/a]', context)).toEqual({ kind: 'performed' })
    expect(content()).toEqual({ c: '3' })
  })
  test('move renames what git tracks to where nothing is', async () => {
    const { context, content } = world({ 'd/a': '1', c: '3' })
    expect(await perform('move: d\nto: e', context)).toEqual({ kind: 'performed' })
    expect(content()).toEqual({ 'e/a': '1', c: '3' })
    expect(await perform('move: c\nto: e', context)).toMatchObject({ kind: 'failed', reason: 'verb' })
    expect(await perform('move: x\nto: y', context)).toMatchObject({ kind: 'failed', reason: 'verb' })
  })
})

describe('edit', () => {
  test.each([
    ['replace: b\nwith: x', 'a\nx\nc\n'],
    ['match: "[bc]"\nwith: <$&>\nall: true', 'a\n<b>\n<c>\n'],
    ['lines: 2-3\nwith: x', 'a\nx\n'],
    ['lines: [1, 2]\nwith: ""', 'c\n'],
    ['lines: 3\nwith: x', 'a\nb\nx\n'],
    ['insert: x\nbefore: b', 'a\nx\nb\nc\n'],
    ['insert: x\nafter: b', 'a\nb\nx\nc\n'],
    ['append: x', 'a\nb\nc\nx\n'],
    ['diff: |\n  @@ -2 +2 @@\n  -b\n  +x', 'a\nx\nc\n'],
  ])('%j', async (way, expected) => {
    const { context, content } = world({ f: 'a\nb\nc\n' })
    expect(await perform(`edit: f\n${way}`, context)).toEqual({ kind: 'performed' })
    expect(content()).toEqual({ f: expected })
  })
  test('fails with a reason and leaves the file', async () => {
    const { context, content } = world({ f: 'b b', 'd/x': '', bin: new Uint8Array([0xff, 0xfe]) })
    expect(await perform('edit: f\nreplace: b\nwith: x', context)).toMatchObject({
      kind: 'failed',
      reason: 'verb',
      message: expect.stringContaining('2 times'),
    })
    expect(await perform('edit: none\nappend: x', context)).toMatchObject({
      message: 'cannot edit none: it does not exist',
    })
    expect(await perform('edit: d\nappend: x', context)).toMatchObject({ message: 'cannot edit d: it is a directory' })
    expect(await perform('edit: bin\nappend: x', context)).toMatchObject({
      message: expect.stringContaining('not UTF-8'),
    })
    expect(content()['f']).toBe('b b')
  })
})

test('manual and gate wait', async () => {
  expect(await perform('manual: Turn the key', world().context)).toEqual({
    kind: 'waiting',
    for: 'person',
    message: 'Turn the key',
  })
  expect(await perform('manual: Turn the key\ndone: Ada did it', world().context)).toEqual({ kind: 'performed' })
  expect(await perform('gate: Ship it?', world().context)).toEqual({
    kind: 'waiting',
    for: 'decision',
    message: 'Ship it?',
  })
})

test.each(['../x', '.git/config', '/etc/x', '.GIT/x', 'git~1/x'])('no verb takes the path %s', (path) => {
  for (const step of [
    `create: ${path}\n    content: x`,
    `edit: ${path}\n    append: x`,
    `delete: ${path}`,
    `delete: [a, ${path}]`,
    `move: ${path}\n    to: a`,
    `move: a\n    to: ${path}`,
  ]) {
    expect(() => parsed(fenced(`steps:\n  - ${step}`)), step).toThrow('bad-value')
  }
})

describe('install', () => {
  const lock = { 'package.json': '{"dependencies":{"a":"^1"},"devDependencies":{"b":"2"}}', 'package-lock.json': '' }

  test('tells the manager of the directory, and looks at the manifest afterwards', async () => {
    const { context, commands } = world(lock)
    expect(await perform('install: a@^1', context)).toEqual({ kind: 'performed' })
    expect(await perform('install: [b]\ndev: true\nscripts: true', context)).toEqual({ kind: 'performed' })
    expect(commands).toEqual([
      'npm install --save-prod --no-audit --no-fund --ignore-scripts a@^1',
      'npm install --save-dev --no-audit --no-fund b',
    ])
  })

  test('does so in another directory', async () => {
    const { context, commands } = world({
      'packages/api/package.json': '{"dependencies":{"a":"1"}}',
      'pnpm-lock.yaml': '',
    })
    expect(await perform('install: a\nin: packages/api', context)).toEqual({ kind: 'performed' })
    expect(commands).toEqual(['(packages/api) pnpm add --save-prod --ignore-workspace-root-check --ignore-scripts a'])
  })

  test.each([
    ['install: [a, c]', lock, 'npm exited with 0, but package.json does not list c'],
    ['install: a\ndev: true', lock, 'package.json does not list a as development dependencies'],
    ['install: a\nmanager: npm', {}, 'npm exited with 0, but package.json does not exist'],
    ['install: a\nmanager: npm', { 'package.json': '{' }, 'npm exited with 0, but package.json cannot be read'],
    ['install: serde\nmanager: cargo', { 'Cargo.toml': '[dependencies' }, 'Cargo.toml cannot be read'],
  ])('%j fails after the command: %#', async (step, files, message) => {
    const { context, commands } = world(files)
    expect(await perform(step, context)).toMatchObject({
      kind: 'failed',
      reason: 'verb',
      message: expect.stringContaining(message) as string,
    })
    expect(commands).toHaveLength(1)
  })

  test.each([
    ['install: a', {}, 'names a package manager: set `manager`'],
    ['install: a', { ...lock, 'yarn.lock': '' }, 'both npm and yarn'],
    ['install: a\nin: x', lock, 'cannot install in x: it is missing'],
    ['install: a\nin: package.json', lock, 'it is not a directory'],
    ['install: a/b', lock, 'a/b is not a valid package for npm'],
    ['install: rack', { Gemfile: '' }, '`scripts: true`'],
  ])('%j is refused before anything runs: %#', async (step, files, message) => {
    const { context, commands } = world(files)
    expect(await perform(step, context)).toMatchObject({
      kind: 'failed',
      reason: 'verb',
      message: expect.stringContaining(message) as string,
    })
    expect(commands).toEqual([])
  })

  test('says how its manager ended', async () => {
    const { context } = world(lock, { kind: 'exited', code: 3 })
    expect(await perform('install: a', context)).toEqual({
      kind: 'failed',
      reason: 'exit',
      message: 'npm exited with 3',
      exit: 3,
    })
    const { context: late } = world(lock, { kind: 'killed', reason: 'timeout' })
    expect(await perform('install: a', late)).toMatchObject({ reason: 'timeout', message: 'npm timed out' })
  })

  test('stops at the first gem that fails', async () => {
    const { context, commands } = world({ Gemfile: '' }, { kind: 'exited', code: 1 })
    await perform('install: [a, b]\nscripts: true', context)
    expect(commands).toEqual(['bundle add a'])
  })

  test('writes down what pip has installed', async () => {
    const { context, content } = world({ 'requirements.txt': 'flask\n' })
    expect(await perform('install: [requests==2.32.3, Flask>=3]', context)).toEqual({ kind: 'performed' })
    expect(content()).toEqual({ 'requirements.txt': 'Flask>=3\nrequests==2.32.3\n' })
    expect(await perform('install: pytest\ndev: true', context)).toEqual({ kind: 'performed' })
    expect(content()).toMatchObject({ 'requirements-dev.txt': 'pytest\n' })
  })

  test('derives an id and a title from the first package', () => {
    const named = (step: string): unknown => {
      const { id, title } = parsed(fenced(`steps:\n  - ${step.replaceAll('\n', '\n    ')}`)).plan.steps[0]!
      return [id, title]
    }
    expect(named('install: express-rate-limit@^7')).toEqual([
      'install-express-rate-limit',
      'Install express-rate-limit@^7',
    ])
    expect(named('install: ["@types/node@20", x]\nin: packages/api')).toEqual([
      'install-types-node',
      'Install @types/node@20 and 1 more in packages/api',
    ])
    expect(named('install: requests[socks]>=2')).toEqual(['install-requests', 'Install requests[socks]>=2'])
  })

  test.each([
    ['install: -g', 'begin with `-`'],
    ['install: https://example.com/x.tgz', 'use `run`'],
    ['install: []', 'install'],
    ['install: [a, a]', 'twice'],
    ['install: a\nmanager: apt', 'manager'],
    ['install: a\nin: ../x', '`..`'],
    ['install: a\nscripts: "yes"', 'scripts'],
    ['install: a/b\nmanager: npm', 'not a valid package for npm'],
    ['install: a\nmanager: poetry', '`scripts: true`'],
    ['install: example.com/a\nmanager: go\ndev: true', 'remove `dev`'],
    ['install: a\nsave: true', 'unknown key `save`'],
  ])('%j is no step', (step, message) => {
    const result = readPlan(bytesOf(fenced(`steps:\n  - ${step.replaceAll('\n', '\n    ')}`)), { file: 'x.md' })
    expect(result.ok ? [] : result.findings.map((finding) => finding.message).join()).toContain(message)
  })
})
