import { describe, expect, test } from 'vitest'
import { globalsOfInvalid, parseCommandLine } from '../../../../src/adapters/cli/command-line.ts'
import { helpText } from '../../../../src/adapters/cli/help.ts'
import { commands } from '../../../../src/commands/table/index.ts'
import { globalOptions } from '../../../../src/adapters/cli/global-options.ts'
import { noStyle } from '../../../../src/adapters/cli/style.ts'
import { PlanError } from '../../../../src/errors.ts'

const requestOf = (...argv: string[]): unknown => {
  const parsed = parseCommandLine(argv)
  return parsed.kind === 'command' ? { ...parsed.request } : parsed.kind
}
const refusal = (...argv: string[]): PlanError => {
  try {
    parseCommandLine(argv)
  } catch (error) {
    if (error instanceof PlanError) return error
  }
  throw new Error('it was not refused')
}

describe('a command line', () => {
  test.each([
    [['status'], {}],
    [['status', 'demo'], { plan: 'demo' }],
    [['new', 'A title', '--from', '-', '--id=x'], { title: 'A title', from: '-', id: 'x' }],
    [
      ['start', 'f.md', '--approve', '--dry-run', '--skip-check', 'a', '--skip-check=b'],
      { target: 'f.md', approve: true, dryRun: true, skipCheck: ['a', 'b'] },
    ],
    [['approve', '-m', 'fine', '--digest', 'd'], { message: 'fine', digest: 'd' }],
    [['approve', '-mfine'], { message: 'fine' }],
    [['resume', '--retry', 'wire', '--from-attempt', '2'], { retry: 'wire', fromAttempt: '2' }],
    [['rollback', '--to', 'a', '--keep-effects'], { to: 'a', keepEffects: true }],
    [['clone', 'a', 'b'], { plan: 'a', newId: 'b' }],
    [['attempts', '--show', 'wire', '2'], { show: 'wire', plan: '2' }],
    [['new', '--', '--strange title'], { title: '--strange title' }],
    [['new', '--id=-x', 'T'], { title: 'T', id: '-x' }],
  ])('%j becomes a request', (argv, request) => {
    expect(requestOf(...argv)).toEqual(request)
  })

  test('global options may stand before or behind the command', () => {
    const parsed = parseCommandLine(['-C', 'status', '--json', 'list', '--no-input', '--debug', '--no-color'])
    expect(parsed).toMatchObject({
      kind: 'command',
      command: { name: 'list' },
      globals: { json: true, noInput: true, debug: true, noColor: true, directory: 'status' },
    })
    expect(parseCommandLine(['list', '-C', 'x'])).toMatchObject({ globals: { directory: 'x' } })
  })

  test.each([[[]], [['-h']], [['--help']], [['help']]])('%j is help', (argv) => {
    expect(parseCommandLine(argv)).toMatchObject({ kind: 'help', command: undefined })
  })

  test('help for one command, and the version', () => {
    expect(parseCommandLine(['log', '-h'])).toMatchObject({ kind: 'help', command: { name: 'log' } })
    expect(parseCommandLine(['help', 'log'])).toMatchObject({ kind: 'help', command: { name: 'log' } })
    expect(requestOf('--version')).toBe('version')
    expect(requestOf('list', '--version')).toBe('version')
  })

  test.each([
    [['statsu'], 'did you mean `status`?'],
    [['run'], 'did you mean `start`?'],
    [['apply'], 'did you mean `start`?'],
    [['abort'], 'did you mean `cancel`?'],
    [['continue'], 'did you mean `resume`?'],
    [['Undo'], 'did you mean `rollback`?'],
    [['land'], 'did you mean `finish`?'],
    [['rm'], 'did you mean `delete`?'],
    [['create'], 'did you mean `new`?'],
    [['help', 'stop'], 'did you mean `cancel`?'],
    // A prefix was typed on purpose; a spelling that only resembles a command that removes something was not.
    [['del'], 'did you mean `delete`?'],
    [['brune'], 'unknown command "brune"; known: init, '],
    [['frobnicate'], 'unknown command "frobnicate"; known: init, '],
    [['list', '--statsu', 'x'], 'did you mean `--status`?'],
    [['--jsn'], 'did you mean `--json`?'],
    [['list', '-x'], 'unknown option "-x"'],
    [['list', 'extra'], 'unexpected argument'],
    [['new', 'a', 'b'], 'quotes'],
    [['delete'], 'needs PLAN'],
    [['clone'], 'needs PLAN'],
    [['approve', '-m'], 'needs a value'],
    [['new', '--from', '--json'], 'looks like an option'],
    [['list', '--json=yes'], 'takes no value'],
  ])('%j is refused with advice', (argv, words) => {
    const error = refusal(...argv)
    expect(error.message).toContain(words)
    expect(error.code).toBe('usage')
    expect(error.hint).toBeTruthy()
  })

  test('a broken one still says how it wants its errors, and nothing behind -- counts', () => {
    expect(globalsOfInvalid(['lits', '--json'])).toMatchObject({ json: true })
    expect(globalsOfInvalid(['new', '--', '--json'])).toMatchObject({ json: false })
  })
})

describe('the table of commands', () => {
  test.each(commands.map((command) => [command.name, command] as const))(
    '%s has help, an example that parses, and no option twice',
    (name, command) => {
      const options = [...command.options, ...globalOptions]
      expect(new Set(options.map((option) => option.name)).size).toBe(options.length)
      const shorts = options.flatMap((option) => option.short ?? [])
      expect(new Set(shorts).size).toBe(shorts.length)
      for (const example of command.examples) {
        const words = [...example.replace(/ > .*/, '').matchAll(/'([^']*)'|(\S+)/g)].map(
          (match) => match[1] ?? match[2] ?? '',
        )
        expect(words.slice(0, 3)).toEqual(['git', 'plan', name])
        expect(parseCommandLine(words.slice(2)).kind).toBe('command')
      }
      expect(helpText(command, noStyle)).toContain(`Usage: git plan ${name}`)
      expect(helpText(undefined, noStyle)).toContain(`\n  ${name} `)
    },
  )
})
