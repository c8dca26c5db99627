import { describe, expect, test } from 'vitest'
import type { Performed, ShellResult, VerbContext } from '../../../src/plan/verb.ts'
import { specOf, verbNamed, verbOf, verbs } from '../../../src/plan/verbs/index.ts'
import { bytesOf, fenced, parsed, textOf } from '../../helpers/plans.ts'

/** A tree in memory in which git tracks every file. */
function world(files: Record<string, string | Uint8Array> = {}, shell: ShellResult = { kind: 'exited', code: 0 }) {
  const tree = new Map(Object.entries(files).map(([path, content]) => [path, typeof content === 'string' ? bytesOf(content) : content]))
  const below = (path: string): string[] => [...tree.keys()].filter((file) => file === path || file.startsWith(`${path}/`))
  const commands: string[] = []
  const executable = new Set<string>()
  const context: VerbContext = {
    shell: async (command) => {
      commands.push(command)
      return shell
    },
    tree: {
      kind: async (path) => (tree.has(path) ? 'file' : below(path).length > 0 ? 'directory' : 'absent'),
      read: async (path) => tree.get(path)!,
      write: async (path, bytes, options) => {
        tree.set(path, bytes)
        if (options?.executable) executable.add(path)
      },
      tracked: async (path) => below(path),
      remove: async (path) => void tree.delete(path),
      rename: async (from, to) => {
        for (const file of below(from)) {
          tree.set(to + file.slice(from.length), tree.get(file)!)
          tree.delete(file)
        }
      },
    },
  }
  const content = (): Record<string, string> => Object.fromEntries([...tree].map(([path, bytes]) => [path, textOf(bytes)]))
  return { context, commands, executable, content }
}

async function perform(step: string, context: VerbContext): Promise<Performed> {
  const entry = parsed(fenced(`steps:\n  - ${step.trim().replaceAll('\n', '\n    ')}`)).plan.steps[0]!
  return verbOf(entry).perform(entry.spec, context)
}

describe('the registry', () => {
  test('names each verb as its key, with its own key in its schema', () => {
    expect(Object.keys(verbs)).toEqual(['run', 'create', 'edit', 'delete', 'move', 'manual', 'gate'])
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
      { kind: 'failed', reason: 'exit', message: 'the command exited with 3', exit: 3 },
    ],
    [
      { kind: 'killed', reason: 'timeout' },
      { kind: 'failed', reason: 'timeout', message: 'the command ran out of time' },
    ],
    [
      { kind: 'killed', reason: 'signal', signal: 'SIGSEGV' },
      { kind: 'failed', reason: 'signal', message: 'the command was ended by a signal (SIGSEGV)' },
    ],
    [
      { kind: 'killed', reason: 'output-limit' },
      { kind: 'failed', reason: 'output-limit', message: 'the command wrote more than its limit' },
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
    expect(await perform('create: d\ncontent: x', context)).toMatchObject({ kind: 'failed', message: expect.stringContaining('directory') })
  })
  test('delete removes what git tracks, and nothing where one of the paths is wrong', async () => {
    const { context, content } = world({ 'd/a': '1', 'd/b': '2', c: '3' })
    expect(await perform('delete: [c, nope]', context)).toMatchObject({ kind: 'failed', message: expect.stringContaining('nope') })
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
    expect(await perform('edit: none\nappend: x', context)).toMatchObject({ message: 'cannot edit none: there is no such file' })
    expect(await perform('edit: d\nappend: x', context)).toMatchObject({ message: 'cannot edit d: it is a directory' })
    expect(await perform('edit: bin\nappend: x', context)).toMatchObject({ message: expect.stringContaining('not UTF-8') })
    expect(content()['f']).toBe('b b')
  })
})

test('manual and gate wait', async () => {
  expect(await perform('manual: Turn the key', world().context)).toEqual({ kind: 'waiting', for: 'person', message: 'Turn the key' })
  expect(await perform('gate: Ship it?', world().context)).toEqual({ kind: 'waiting', for: 'decision', message: 'Ship it?' })
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
