// The browser without a terminal: keys and news in, lines and requests out.

import { describe, expect, test } from 'vitest'
import { styleFor, type Style } from '../../../../src/adapters/cli/style.ts'
import { widthOf } from '../../../../src/adapters/terminal/width.ts'
import { keyRows, rowsOf, shownKey } from '../../../../src/adapters/tui/keys.ts'
import { startModel, type Effect, type Message, type Model } from '../../../../src/adapters/tui/model.ts'
import { requests } from '../../../../src/adapters/tui/requests.ts'
import { update } from '../../../../src/adapters/tui/update.ts'
import { view } from '../../../../src/adapters/tui/view.ts'

const terminal = (env: Record<string, string> = {}): Style =>
  styleFor({ isTTY: true, columns: 80 }, { noColor: false, env: { LANG: 'C.UTF-8', ...env } })
const plain = terminal({ NO_COLOR: '1' })

const listed = (id: string, more: object = {}): object => ({
  id,
  title: `The plan ${id}`,
  status: 'proposed',
  seen: 'proposed',
  digest: `digest-of-${id}`,
  risk: 'HIGH',
  progress: { done: 0, total: 3 },
  running: [],
  resumable: false,
  createdAt: '2026-01-02T03:04:05Z',
  rolledBackTo: null,
  ...more,
})

const listRead = (plans: readonly object[], more: object = {}): Message =>
  ({ kind: 'list-read', list: { plans, unreadable: [], hidden: 0, ...more } }) as unknown as Message

const step = (id: string, seen: string, more: object = {}): object => ({
  id,
  title: `Do ${id}`,
  verb: 'run',
  agent: null,
  seen,
  status: seen === 'running' ? 'pending' : seen,
  attempt: 1,
  needs: [],
  commit: null,
  replayed: null,
  owner: null,
  durationMs: null,
  error: null,
  why: null,
  question: null,
  tests: null,
  claim: null,
  cpuMs: null,
  peakBytes: null,
  outputBytes: null,
  ...more,
})

const statusRead = (steps: readonly object[], more: object = {}): Message =>
  ({
    kind: 'status-read',
    status: {
      ...listed('one', { seen: 'failed', status: 'failed' }),
      steps,
      holder: null,
      reason: null,
      approval: { state: 'approved', required: 1 },
      ...more,
    },
    next: ['git plan resume one'],
  }) as unknown as Message

const key = (name: string, text = name.length === 1 ? name : ''): Message => ({ kind: 'key', key: { name, text } })

/** The state after these messages, and everything that they asked for. */
function after(
  messages: readonly Message[],
  plan?: string,
): { readonly model: Model; readonly effects: readonly Effect[] } {
  let model = startModel(
    { name: 'hello', size: { rows: 24, columns: 80 }, now: Date.parse('2026-01-02T03:05:00Z') },
    plan,
  )
  const effects: Effect[] = []
  for (const message of messages) {
    const next = update(model, message)
    model = next.model
    effects.push(...next.effects)
  }
  return { model, effects }
}

const shown = (model: Model, style: Style = plain): string => view(model, style).join('\n')
const performed = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'perform' ? [effect.request] : []))

const three = listRead([listed('one'), listed('two'), listed('three')])
const failed = statusRead([step('a', 'done', { commit: 'abcdef0123' }), step('b', 'failed'), step('c', 'blocked')])

describe('the list', () => {
  test('the selection moves with the arrows and stays inside, and Enter opens a plan', () => {
    const { model, effects } = after([three, key('up'), key('down'), key('j'), key('down'), key('return')])
    expect(model.opened).toBe('three')
    expect(effects).toEqual([
      { kind: 'read-status', plan: 'three' },
      { kind: 'watch', plan: 'three' },
    ])
    expect(shown(after([three, key('down')]).model)).toContain('> two ')
  })

  test('many plans scroll, with the selected one among the lines', () => {
    const many = listRead(Array.from({ length: 1000 }, (_, at) => listed(`plan-${at}`)))
    const messages = [many, ...Array.from({ length: 500 }, () => key('down'))]
    const lines = shown(after(messages).model)
    expect(lines).toContain('501/1000')
    expect(lines).toContain('> plan-500 ')
    expect(shown(after([many, key('end')]).model)).toContain('> plan-999 ')
    expect(shown(after([many, key('end'), key('home')]).model)).toContain('> plan-0 ')
  })

  test('a text that is typed after / filters ids and titles; its letters are no commands; Escape drops it', () => {
    const typing = after([three, key('/'), key('t'), key('h'), key('X', 'X'), key('backspace'), key('r')])
    expect(typing.model.filter).toBe('thr')
    expect(performed(typing.effects)).toEqual([])
    expect(shown(typing.model)).toContain('> three')
    expect(shown(typing.model)).not.toContain('two')
    const kept = after([three, key('/'), key('t'), key('w'), key('return'), key('a')])
    expect(performed(kept.effects)).toEqual([{ words: ['approve', 'two'] }])
    expect(after([three, key('/'), key('t'), key('escape')]).model.filter).toBe('')
    expect(shown(after([three, key('/'), key('z'), key('q')]).model)).toContain('No such plans')
  })

  test('when the selected plan is gone, its neighbor is selected', () => {
    const { model } = after([three, key('down'), listRead([listed('one'), listed('three')])])
    expect(shown(model)).toContain('> three')
  })

  test('a plan that cannot be read is listed', () => {
    const { model } = after([listRead([], { unreadable: [{ id: 'broken', code: 'x', message: 'bad front matter' }] })])
    expect(shown(model)).toMatch(/> broken +unreadable .*bad front matter/)
  })

  test('A asks for all plans, and what is not listed is counted', () => {
    const { model, effects } = after([listRead([listed('one')], { hidden: 7 }), key('A')])
    expect(effects).toEqual([{ kind: 'read-list', isAll: true }])
    expect(shown(model)).toContain('7 more finished')
  })
})

describe('a plan', () => {
  const open = [three, key('return')]

  test('the step that the plan waits for is selected until a person selects one', () => {
    const { model } = after([...open, failed])
    expect(shown(model)).toContain('> ✗  b ')
    expect(shown(after([...open, failed, key('up')]).model)).toContain('> ✓  a ')
    const running = statusRead([step('a', 'done'), step('b', 'running'), step('c', 'pending')])
    expect(shown(after([...open, running]).model)).toContain('> ▸  b ')
  })

  test('the status of another plan, which comes late, is not shown', () => {
    const late = { ...failed, status: { ...(failed as { status: object }).status, id: 'two' } } as Message
    expect(after([...open, late]).model.status).toBeUndefined()
  })

  test('news of the plan are read again, and lines of a running step are shown with its time', () => {
    const running = statusRead([step('a', 'running')], {
      seen: 'running',
      holder: {
        state: 'running',
        pid: 7,
        host: 'here',
        since: '2026-01-02T03:04:00Z',
        waitsFor: null,
        running: [{ step: 'a', since: '2026-01-02T03:04:48Z', attempt: 1, worker: null }],
      },
    })
    const news: Message = {
      kind: 'changed',
      plans: ['one'],
      output: [{ step: 'a', attempt: 1, text: 'first\nsecond\r\u001b[31mred\n' }],
    }
    const { model, effects } = after([...open, running, news])
    expect(effects.slice(2)).toEqual([
      { kind: 'read-list', isAll: false },
      { kind: 'read-status', plan: 'one' },
    ])
    expect(shown(model)).toMatch(/▸ +a +running +12s/)
    expect(shown(model)).toContain('  | first\n  | red')
    // Who watches again is told the last lines again.
    for (const again of [{ kind: 'returned' } as const, key('ctrl-l')])
      expect(shown(after([...open, running, news, again, news]).model).match(/\| first/g)).toHaveLength(1)
    // News of another plan does not concern it.
    const other = after([...open, running, { kind: 'changed', plans: ['two'], output: [] }])
    expect(other.effects.slice(2)).toEqual([{ kind: 'read-list', isAll: false }])
  })

  test('a plan that cannot be read any more is closed, with the refusal and its hint', () => {
    const refused: Message = {
      kind: 'refused',
      plan: 'one',
      notice: { message: 'there is no plan "one"', hint: 'git plan list' },
    }
    const { model, effects } = after([...open, failed, refused])
    expect(model.opened).toBeUndefined()
    expect(effects.at(-1)).toEqual({ kind: 'watch', plan: undefined })
    expect(shown(model)).toContain('there is no plan "one"\nHint: git plan list')
    // The next key removes it.
    expect(shown(update(model, key('down')).model)).not.toContain('Hint:')
  })

  test('many steps scroll, and the selected one keeps its details', () => {
    const steps = Array.from({ length: 300 }, (_, at) => step(`s${at}`, 'pending'))
    const lines = shown(after([...open, statusRead(steps), key('end')]).model)
    expect(lines).toContain('> ')
    expect(lines).toContain('s299: run')
  })
})

describe('what a key types', () => {
  const request = (name: string, messages: readonly Message[] = [three]) =>
    performed(after([...messages, key(name)]).effects)
  const inPlan = [three, key('return'), failed]
  const onDone = [...inPlan, key('home')]

  test.each([
    ['a', ['approve', 'one']],
    ['s', ['start', 'one']],
    ['d', ['diff', 'one']],
    ['v', ['show', 'one']],
    ['l', ['log', 'one']],
    ['p', ['report', 'one']],
    ['e', ['edit', 'one']],
  ])('in the list: %s', (name, words) => {
    expect(request(name)).toEqual([{ words }])
  })

  test.each([
    ['return', ['log', 'one', '--output', 'b']],
    ['o', ['log', 'one', '--output', 'b']],
    ['d', ['attempts', 'one', '--show', 'b']],
    ['w', ['diff', 'one']],
    ['t', ['attempts', 'one', '--show', 'b']],
    ['r', ['resume', 'one', '--retry', 'b']],
    ['s', ['resume', 'one']],
  ])('at a failed step: %s', (name, words) => {
    expect(request(name, inPlan)).toEqual([{ words }])
  })

  test('the changes of a step that is done are those of its commit', () => {
    expect(request('d', onDone)).toEqual([{ words: ['diff', 'one', 'a'] }])
  })

  test('a rejection asks for its reason, and is about the text that was shown', () => {
    const [rejected] = request('x')
    expect(rejected?.words).toEqual(['reject', 'one', '--digest', 'digest-of-one'])
    expect(rejected?.ask?.words('-m is no option')).toEqual(['--message=-m is no option'])
  })

  test.each([
    ['b', onDone, ['rollback', 'one', '--to', 'a']],
    ['B', inPlan, ['rollback', 'one', '--all']],
    ['u', inPlan, ['rollback', 'one', '--undo']],
    ['b', [three], ['rollback', 'one']],
  ] as const)('a rollback shows first what it would remove, and asks: %s', (name, messages, words) => {
    const [rollback] = request(name, messages)
    expect(rollback).toMatchObject({ words, preview: [...words, '--dry-run'], confirm: expect.stringMatching(/\?$/) })
  })

  test('there is no rollback to a step that is not done', () => {
    expect(request('b', inPlan)).toEqual([])
    expect(shown(after([...inPlan, key('b')]).model)).toContain('Select a step that is done')
  })

  test.each(['D', 'X', 'f'])('%s asks first', (name) => {
    expect(request(name, inPlan)[0]?.confirm).toMatch(/^(Delete|Cancel|Finish) one/)
  })

  test('before a plan is deleted, it is closed', () => {
    const { model, effects } = after([...inPlan, key('D')])
    expect(model.opened).toBeUndefined()
    expect(effects.slice(-2).map(({ kind }) => kind)).toEqual(['watch', 'perform'])
  })

  test('after a command, and for Ctrl-L, news are looked for again', () => {
    const watch = { kind: 'watch', plan: 'one' }
    expect(after([...inPlan, { kind: 'returned' }]).effects.slice(2)).toEqual([watch])
    expect(after([...inPlan, key('ctrl-l')]).effects.slice(2)).toEqual([
      { kind: 'read-list', isAll: false },
      { kind: 'read-status', plan: 'one' },
      watch,
    ])
  })

  test('without a plan or a step, nothing is typed', () => {
    for (const name of ['a', 'D', 'b', 's', 'return']) expect(request(name, [listRead([])])).toEqual([])
    const empty = [three, key('return'), statusRead([])]
    for (const name of ['return', 'r', 'n', 'b']) expect(request(name, empty).length, name).toBe(name === 'b' ? 1 : 0)
  })

  test('Ctrl-C interrupts wherever a person is', () => {
    for (const messages of [[three], [three, key('/')], [three, key('?')], inPlan])
      expect(after([...messages, key('ctrl-c')]).effects.at(-1)).toEqual({ kind: 'interrupt' })
  })

  test('each request has a key, each key is told, and no key has two meanings in one place', () => {
    const named = keyRows.flatMap(({ deed }) => (deed.kind === 'request' ? [deed.name] : []))
    expect([...new Set(named)].toSorted()).toEqual(Object.keys(requests).toSorted())
    for (const place of ['plans', 'plan'] as const) {
      const names = rowsOf(place).flatMap((row) => row.names)
      expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
      const messages = place === 'plans' ? [three, key('?')] : [...inPlan, key('?')]
      const help = shown(after(messages).model)
      for (const row of rowsOf(place)) expect(help).toContain(`${shownKey(row).padEnd(12)} ${row.about}`)
    }
  })
})

describe('the screen', () => {
  const states = [
    [],
    [three],
    [listRead([])],
    [three, key('/')],
    [three, key('?')],
    [three, key('!')],
    [three, key('return')],
    [three, key('return'), failed],
    [three, key('return'), failed, key('?')],
    [three, key('return'), statusRead([])],
  ]

  test('never has more lines or columns than the terminal, nor fewer lines', () => {
    for (const messages of states)
      for (const size of [
        { rows: 24, columns: 80 },
        { rows: 40, columns: 120 },
        { rows: 5, columns: 20 },
        { rows: 1, columns: 1 },
        { rows: 100, columns: 9 },
      ])
        for (const style of [plain, terminal()]) {
          const lines = view(after([...messages, { kind: 'resized', size }]).model, style)
          expect(lines.length).toBe(size.rows)
          for (const line of lines)
            expect(widthOf(line), JSON.stringify([line, size])).toBeLessThanOrEqual(size.columns)
        }
  })

  test('needs no colors and no Unicode', () => {
    for (const messages of states) {
      expect(shown(after(messages).model, plain)).not.toContain('\u001b')
      expect(shown(after(messages).model, terminal({ NO_COLOR: '1', LANG: 'C' }))).toMatch(/^[\n\x20-\x7e]*$/)
    }
  })

  test('spells out control characters of plans and of output', () => {
    const evil = 'x\u001b[2J\u001b]0;owned\u0007\u202e\r\ny'
    const hostile = { title: evil, error: evil, question: evil, why: evil, owner: evil }
    const messages = [
      listRead([listed('one', { title: evil, running: [] })], {
        unreadable: [{ id: 'two', code: 'x', message: evil }],
      }),
      key('return'),
      statusRead([step('a', 'waiting', hostile)], { title: evil, reason: evil }),
      { kind: 'changed', plans: [], output: [{ step: 'a', attempt: 1, text: `${evil}\n` }] },
      { kind: 'refused', plan: undefined, notice: { message: evil, hint: evil } },
    ] as const
    for (let length = 1; length <= messages.length; length += 1) {
      const lines = view(after(messages.slice(0, length)).model, plain)
      expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    }
  })
})
