import { describe, expect, test } from 'vitest'
import { eventAsJson, jsonLine, resultAsJson } from '../../../../src/adapters/cli/json.ts'
import { patchText } from '../../../../src/adapters/cli/print/diff.ts'
import { duration } from '../../../../src/view/duration.ts'
import { findingLines } from '../../../../src/adapters/cli/print/findings.ts'
import { printList } from '../../../../src/adapters/cli/print/list.ts'
import { printOutcome } from '../../../../src/adapters/cli/print/outcome.ts'
import { PlainProgress } from '../../../../src/adapters/cli/progress.ts'
import { eventLines } from '../../../../src/adapters/cli/event-lines.ts'
import { reportError } from '../../../../src/adapters/cli/report-error.ts'
import { noStyle, styleFor } from '../../../../src/adapters/cli/style.ts'
import { PlanError } from '../../../../src/errors.ts'
import { parseChanges } from '../../../../src/store/changes.ts'
import type { RunEvent } from '../../../../src/engine/run/events.ts'

const hostile = 'a\u001b[2Jb\u202ec'
const report = (error: unknown, options: { json?: boolean; debug?: boolean } = {}) =>
  reportError(error, { json: false, debug: false, style: noStyle, version: '1', ...options })

describe('an error', () => {
  test('is a message, its findings and a hint', () => {
    const findings = [
      {
        rule: 'unknown-key',
        severity: 'error',
        message: 'no such key',
        file: 'a.md',
        line: 3,
        column: 5,
        advice: 'did you mean `run`?',
      },
    ]
    const { stderr, exitCode, stdout } = report(
      new PlanError('invalid-plan', 'not a plan', { hint: 'git plan edit a\ngit plan check a', facts: { findings } }),
    )
    expect(stderr).toBe(
      'git plan: not a plan\na.md:3:5: error: no such key (unknown-key)\n  did you mean `run`?\nHint: git plan edit a\n      git plan check a\n',
    )
    expect([exitCode, stdout]).toEqual([2, ''])
  })

  test('as JSON goes to stdout with its code', () => {
    const { stdout, stderr } = report(
      new PlanError('held', 'busy', { hint: 'wait', facts: { holder: 'ada', findings: [] } }),
      {
        json: true,
      },
    )
    expect(JSON.parse(stdout)).toEqual({
      schemaVersion: 1,
      kind: 'error',
      code: 'held',
      message: 'busy',
      hint: 'wait',
      exitCode: 4,
      facts: { holder: 'ada' },
    })
    expect(stderr).toBe('')
  })

  test('of ours is 70, and shows its stack only with --debug', () => {
    const bug = new TypeError('oops')
    expect(report(bug)).toMatchObject({ exitCode: 70 })
    expect(report(bug).stderr).not.toContain('    at ')
    expect(report(bug, { debug: true }).stderr).toContain('    at ')
    expect(JSON.parse(report('thrown text', { json: true }).stdout)).toMatchObject({
      code: 'bug',
      message: 'thrown text',
    })
  })

  test('cannot steer the terminal', () => {
    const { stderr } = report(
      new PlanError('usage', hostile, {
        hint: hostile,
        facts: { findings: [{ rule: 'x', severity: 'error', message: hostile, file: hostile, advice: hostile }] },
      }),
    )
    expect(stderr).not.toMatch(/[\u001b\u202e]/)
  })
})

describe('JSON', () => {
  test('is one line of plain characters that reads back the same', () => {
    const line = jsonLine({ text: `${hostile}\n\u2028\u{e0041}\u009b` })
    expect(line).toMatch(/^[\x20-\x7e]*\n$/)
    expect(JSON.parse(line)).toEqual({ text: `${hostile}\n\u2028\u{e0041}\u009b` })
  })

  test('has the version and the kind first', () => {
    expect(resultAsJson({ kind: 'list', exitCode: 0, data: { plans: [] }, next: ['a'] })).toBe(
      '{"schemaVersion":1,"kind":"list","plans":[],"nextCommands":["a"]}\n',
    )
    expect(JSON.parse(eventAsJson({ kind: 'notice', message: 'm' }, new Date(0)))).toEqual({
      schemaVersion: 1,
      at: '1970-01-01T00:00:00.000Z',
      kind: 'notice',
      message: 'm',
    })
  })
})

describe('progress', () => {
  const shown = (...events: RunEvent[]): string => {
    let text = ''
    const progress = new PlainProgress({ style: noStyle, write: (part) => (text += part) })
    for (const event of events) progress.show(event)
    progress.end()
    return text
  }

  test('is plain lines', () => {
    const text = shown(
      { kind: 'step-started', step: 'wire', title: 'Use it in the app', verb: 'edit', attempt: 1, number: 2, total: 5 },
      { kind: 'output', step: 'wire', stream: 'stdout', text: 'half' },
      { kind: 'output', step: 'wire', stream: 'stdout', text: ' a line\nrest' },
      { kind: 'step-done', step: 'wire', attempt: 1, commit: 'abc1234def', durationMs: 1234 },
    )
    expect(text).toBe('[2/5] wire: Use it in the app\n  wire | half a line\n  wire | rest\n✓ done in 1.2s abc1234\n')
  })

  test('says after a failure what was saved', () => {
    const text = shown({
      kind: 'step-failed',
      step: 'wire',
      attempt: 2,
      status: 'failed',
      reason: 'exit',
      message: 'exit 3',
      saved: 'refs/plan/x/attempts/wire/2',
      changed: true,
      retrying: true,
      allowed: false,
      durationMs: 10,
    })
    expect(text).toContain('✗ failed: exit 3')
    expect(text).toContain('its changes are saved in refs/plan/x/attempts/wire/2')
    expect(text).toContain('retrying')
  })

  test('output cannot steer the terminal; colors and redrawn lines are left out', () => {
    const text = shown({
      kind: 'output',
      step: 'a',
      stream: 'stderr',
      text: `10%\r99%\r\n\u001b[32mgreen\u001b[0m ${hostile}\n`,
    })
    expect(text).toBe('  a | 99%\n  a | green a\\x1b[2Jb\\u{202e}c\n')
  })
})

describe('printers', () => {
  test('a list says so when it is empty, and names unreadable plans', () => {
    expect(printList({ kind: 'list', exitCode: 0, data: { plans: [], hidden: 0, unreadable: [] } }, noStyle)).toContain(
      'git plan new',
    )
    expect(
      printList(
        {
          kind: 'list',
          exitCode: 0,
          data: { plans: [], hidden: 0, unreadable: [{ id: 'bad', code: 'invalid-plan', message: hostile }] },
        },
        noStyle,
      ),
    ).toBe('unreadable: bad: a\\x1b[2Jb\\u{202e}c\n')
  })

  test('what a writing command says is its message, else its facts', () => {
    expect(printOutcome({ kind: 'x', exitCode: 0, data: { message: ['a', 'b'], id: 1 } }, noStyle)).toBe('a\nb\n')
    expect(printOutcome({ kind: 'x', exitCode: 0, data: { id: 'demo', steps: ['a'], nested: {} } }, noStyle)).toBe(
      'id: demo\nsteps:\n  a\n',
    )
  })

  test('a patch is left as it is in a pipe, and made harmless on a terminal', () => {
    const patch = `+x\r\n-${hostile}\n`
    expect(patchText(patch, noStyle)).toBe(patch)
    expect(patchText(patch, { ...noStyle, isTerminal: true })).not.toMatch(/[\u001b\u202e\r]/)
  })

  test('a finding without a file names its step', () => {
    expect(findingLines([{ rule: 'r', severity: 'warning', message: 'm', step: 's' }], noStyle)).toEqual([
      'step s: warning: m (r)',
    ])
  })

  test.each([
    [0, '0ms'],
    [999, '999ms'],
    [1234, '1.2s'],
    [65_000, '1m 05s'],
    [3_720_000, '1h 02m'],
    [90_000_000, '1d 1h'],
  ])('%d milliseconds are %s', (ms, text) => {
    expect(duration(ms)).toBe(text)
  })

  test('colours only on a terminal that wants them', () => {
    const env = { TERM: 'xterm' }
    expect(styleFor({ isTTY: true }, { noColor: false, env }).red('x')).not.toBe('x')
    expect(styleFor({ isTTY: false }, { noColor: false, env }).red('x')).toBe('x')
    expect(styleFor({ isTTY: true }, { noColor: true, env }).red('x')).toBe('x')
    expect(styleFor({ isTTY: true }, { noColor: false, env: { ...env, NO_COLOR: '1' } }).red('x')).toBe('x')
    expect(styleFor({ isTTY: true }, { noColor: true, env }).isTerminal).toBe(true)
  })
})

test('raw records and counts are joined by path, binary files and strange names included', () => {
  const text = [
    ':000000 100644 0 1 A',
    'new file',
    ':100644 000000 1 0 D',
    'gone\tby',
    ':100644 100644 1 2 M',
    'b.png',
    '3\t0\tnew file',
    '0\t2\tgone\tby',
    '-\t-\tb.png',
    '',
  ].join('\0')
  expect(parseChanges(text)).toEqual([
    { path: 'new file', change: 'created', added: 3, removed: 0 },
    { path: 'gone\tby', change: 'deleted', added: 0, removed: 2 },
    { path: 'b.png', change: 'modified', added: null, removed: null },
  ])
})

test('the commands of a hint below a note are aligned', () => {
  const event = { kind: 'notice', message: 'not restored', hint: 'restore one: a\nlist them:   b' } as const
  expect(eventLines(event, noStyle)).toEqual(['note: not restored', '  Hint: restore one: a\n        list them:   b'])
})
