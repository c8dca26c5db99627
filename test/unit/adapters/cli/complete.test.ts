import { describe, expect, test } from 'vitest'
import { complete, type Completion } from '../../../../src/adapters/cli/complete.ts'
import { commands } from '../../../../src/commands/table/index.ts'
import { globalOptions } from '../../../../src/adapters/cli/global-options.ts'
import type { Facts } from '../../../../src/operation/completion-facts.ts'
import { unquote } from '../../../../src/adapters/cli/unquote.ts'

/** Answers with what it was asked, so that a test sees which plan, step and directory were meant. */
const facts: Facts = {
  plans: async (at, { isFinishedToo }) => [
    { value: 'open' },
    ...(isFinishedToo ? [{ value: 'finished' }] : []),
    ...at.map((path) => ({ value: `at ${path}` })),
  ],
  steps: async (at, plan) => [
    { value: `step of ${plan ?? 'the plan that is meant'}` },
    ...at.map((path) => ({ value: `at ${path}` })),
  ],
  attempts: async (_, plan, step) => [{ value: `attempt at ${step} of ${plan ?? 'the plan that is meant'}` }],
  statuses: async () => ['failed', 'merged'],
  templates: async () => [{ value: 'codemod' }],
  preflightChecks: async () => ['tools', 'disk'],
}

/** The bar is the cursor. */
const at = (line: string): Promise<Completion> => {
  const words = line.split(' ')
  const cursor = words.findIndex((word) => word.endsWith('|'))
  return complete(words.with(cursor, (words[cursor] ?? '').slice(0, -1)), cursor, facts)
}
const offered = async (line: string): Promise<string[]> => (await at(line)).candidates.map(({ value }) => value)
const optionsOf = (name: string): string[] =>
  commands.find((command) => command.name === name)?.options.map((option) => `--${option.name}`) ?? []
const globals = globalOptions.map(({ name }) => `--${name}`)
const names = commands.map(({ name }) => name)

describe('the first word', () => {
  test.each([
    'git-plan |',
    'git plan |',
    'git -C dir -c a=b --git-dir x plan |',
    '/usr/bin/git --no-pager p |',
    'git-plan --json -C dir sho|',
  ])('%s is a command, with its summary', async (line) => {
    const { candidates } = await at(line)
    expect(candidates.map(({ value }) => value)).toEqual([...names, 'help'])
    expect(candidates[0]).toEqual({ value: 'init', description: commands[0]?.summary })
  })

  test('an option before it is a global one', async () => expect(await offered('git plan --|')).toEqual(globals))
  test('git itself is not ours to complete', async () => expect(await offered('git pl|')).toEqual([]))
})

describe('options', () => {
  test('are those of the command and the global ones, with what they do', async () => {
    expect(await offered('git plan show -|')).toEqual([...optionsOf('show'), ...globals])
    expect((await at('git plan show --g|')).candidates[0]).toEqual({
      value: '--graph',
      description: 'draw the dependencies between the steps',
    })
  })

  test('that were given are not offered again, wherever they stand, unless they may be', async () => {
    const left = await offered('git plan start --json --skip-check disk x --| --approve')
    expect(left).not.toContain('--json')
    expect(left).not.toContain('--approve')
    expect(left).toContain('--skip-check')
    expect(await offered('git plan approve -m fine --|')).not.toContain('--message')
    expect(await offered('git plan approve -mfine --|')).not.toContain('--message')
  })

  test('are offered where nothing else can follow', async () => {
    expect(await offered('git plan list |')).toEqual(optionsOf('list'))
    expect(await offered('git plan list x|')).toEqual([])
  })

  test('are none after --', async () => expect(await offered('git plan show -- |')).toEqual(['open', 'finished']))
})

describe('what stands for a plan, a step, a file', () => {
  test.each([
    ['git plan show |', ['open', 'finished']],
    ['git plan resume |', ['open']],
    ['git plan delete |', ['open', 'finished']],
    ['git plan doctor --unlock |', ['open']],
    ['git plan show open |', ['--graph', '--mermaid']],
    ['git plan resume --retry |', ['step of the plan that is meant']],
    ['git plan resume --retry=|', ['step of the plan that is meant']],
    ['git plan resume a --skip |', ['step of a']],
    ['git plan resume --skip | a', ['step of a']],
    ['git plan resume --message a --skip |', ['step of the plan that is meant']],
    ['git plan diff |', ['open', 'finished', 'step of the plan that is meant']],
    ['git plan diff a |', ['step of a']],
    ['git plan attempts --show |', ['step of the plan that is meant']],
    ['git plan attempts --show | 2', ['step of the plan that is meant']],
    ['git plan attempts --show wire |', ['open', 'finished', 'attempt at wire of the plan that is meant']],
    ['git plan attempts a --show wire |', ['attempt at wire of a']],
    ['git plan attempts |', ['open', 'finished']],
    ['git plan resume a --retry wire --from-attempt |', ['attempt at wire of a']],
    ['git plan list --status |', ['failed', 'merged']],
    ['git plan list --status=fa|', ['failed', 'merged']],
    ['git plan start a --skip-check |', ['tools', 'disk']],
    ['git plan start a --skip-check tools --skip-check |', ['disk']],
    ['git plan completion |', ['bash', 'zsh', 'fish']],
    ['git plan hooks |', ['install', 'status', 'uninstall']],
    ['git plan hooks install pre-commit |', ['pre-commit', 'pre-push', 'pre-receive']],
    ['git plan help |', names],
    ['git plan help show |', []],
    ['git plan new |', []],
    ['git plan approve --digest |', []],
    ['git plan nothing |', []],
    ['git plan show --graph=|', []],
    ['git plan show --nothing=|', []],
  ])('%s offers %j', async (line, expected) => expect(await offered(line)).toEqual(expected))

  test.each([
    ['git plan start |', 'files'],
    ['git plan check |', 'files'],
    ['git plan new --from |', 'files'],
    ['git plan replan --from=|', 'files'],
    ['git plan -C |', 'directories'],
    ['git plan show --directory=|', 'directories'],
    ['git plan show |', undefined],
  ])('%s leaves %s to the shell', async (line, paths) => expect((await at(line)).paths).toBe(paths))

  test('what was typed of it is known, so that it can be matched', async () => {
    expect(await at('git plan list --status=fa|')).toMatchObject({ typed: 'fa' })
    expect(await at('git plan sho|')).toMatchObject({ typed: 'sho' })
  })

  test('is looked for where -C says: git goes first, of our own the last one counts', async () => {
    expect(await offered('git -C a -C b plan show |')).toEqual(['open', 'finished', 'at a', 'at b'])
    expect(await offered('git -C a plan -C b show -C c |')).toEqual(['open', 'finished', 'at a', 'at c'])
    expect(await offered('git-plan log --directory=a --output |')).toEqual(['step of the plan that is meant', 'at a'])
  })

  test('a template is offered by its name, plans and files to compose', async () => {
    expect(await offered('git plan new --template |')).toEqual(['codemod'])
    expect(await offered('git plan template show |')).toEqual(['codemod'])
    expect(await at('git plan compose a.md |')).toMatchObject({ paths: 'files', candidates: [{ value: 'open' }] })
  })

  test('every label of the table is one that is known here, or one that a person has to think of', async () => {
    const labels = commands.flatMap(({ options, positionals }) => [
      ...options.map(({ value }) => value ?? ''),
      ...positionals.map(({ label }) => label),
    ])
    const known = ['', '-', 'PLAN', 'PLAN…', 'STEP', 'FILE', 'DIR', 'N', 'S', 'NAME', 'TEMPLATE', 'FILE…']
    const thought = [
      'WHY',
      'TEXT',
      'TIME',
      'AGENT',
      'AGENT…',
      'TOKENS',
      'PATTERN',
      'TOOL',
      'ID…',
      'MODEL',
      'MESSAGE',
      'TITLE',
      'ID',
      'NEW-ID',
      'D',
      'RANGE',
      'JOBS',
      'WHEN',
      'KEY=VALUE',
      '-- COMMAND…',
      'FORMAT',
      'DURATION',
      'ADDRESS',
      'LIMIT',
      'ACTION',
      'ARGUMENT…',
      'PORT',
      'HOST',
    ]
    // Small letters stand for themselves.
    const isWord = (part: string): boolean => /^[a-z][a-z-]+…?$/.test(part)
    expect(
      labels
        .flatMap((label) => label.split('|'))
        .filter((part) => !isWord(part) && ![...known, ...thought].includes(part)),
    ).toEqual([])
  })
})

test('any words at any place are answered', async () => {
  const words = ['git', '-C', 'plan', '', '-', '--', '--status=', '\n', '$(x)', 'list', '-mx', '--skip-check', 'é']
  for (const first of words)
    for (const second of words)
      for (const third of words)
        for (let cursor = -1; cursor < 5; cursor += 1)
          expect(Array.isArray((await complete([first, second, third, 'show'], cursor, facts)).candidates)).toBe(true)
})

test.each([
  ['plain', 'plain'],
  ["'it is'", 'it is'],
  ["'open", 'open'],
  ['"a \\"b\\" \\c', 'a "b" \\c'],
  ['a\\ b\\', 'a b\\'],
  ['"$(touch x)`y`"', '$(touch x)`y`'],
  ['a\'b\'"c"d', 'abcd'],
  ['"it\'s"', "it's"],
])('bash writes %s for %s', (written, meant) => expect(unquote(written)).toBe(meant))
