import { describe, expect, test, vi } from 'vitest'
import { LiveProgress, type Canvas } from '../../../../src/adapters/cli/live-progress.ts'
import { table } from '../../../../src/adapters/terminal/table.ts'
import { clip, widthOf } from '../../../../src/adapters/terminal/width.ts'
import { noStyle, styleFor } from '../../../../src/adapters/cli/style.ts'
import type { RunEvent } from '../../../../src/engine/run/events.ts'

const started: RunEvent = {
  kind: 'run-started',
  plan: 'p',
  run: 'r',
  title: 'T',
  where: '/repo',
  done: 1,
  total: 4,
  steps: [
    { id: 'a', title: 'A', status: 'done' },
    { id: 'b', title: 'B', status: 'pending' },
    { id: 'c', title: 'C', status: 'pending' },
    { id: 'd', title: 'D \u001b[2J', status: 'pending' },
  ],
}
const stepB: RunEvent = {
  kind: 'step-started',
  plan: 'p',
  step: 'b',
  title: 'B',
  verb: 'run',
  attempt: 1,
  number: 2,
  total: 4,
}

function screen(options: { columns?: number; rows?: number } = {}) {
  let kept = ''
  let picture = ''
  let now = 0
  const canvas: Canvas = Object.assign((text: string) => void (picture = text), { clear: () => void (picture = '') })
  const live = new LiveProgress({
    style: () => ({ ...noStyle, columns: options.columns ?? 60 }),
    rows: () => options.rows ?? 24,
    write: (text) => {
      // Whatever is drawn is taken away first, or the lines would land in the middle of it.
      expect(picture).toBe('')
      kept += text
    },
    canvas,
    clock: () => now,
  })
  return { live, kept: () => kept, picture: () => picture, pass: (ms: number) => void (now += ms) }
}

describe('progress on a terminal', () => {
  test('draws the running step, the end of its output and the steps to come; what is over is one line', () => {
    const { live, kept, picture, pass } = screen()
    live.show(started)
    live.show(stepB)
    live.show({ kind: 'output', plan: 'p', step: 'b', stream: 'stdout', text: '1\n2\n3\n4\n5\n6\n7\nhalf' })
    pass(65_000)
    live.show({ kind: 'notice', plan: 'p', message: 'n' })
    expect(picture()).toBe(
      '⠋ [2/4] b: B 1m 05s\n  | 4\n  | 5\n  | 6\n  | 7\n  | half\n  [3/4] c: C\n  [4/4] d: D \\x1b[2J',
    )
    live.show({ kind: 'step-done', plan: 'p', step: 'b', attempt: 1, commit: 'abcdef012345', durationMs: 65_000 })
    live.end()
    expect(kept()).toBe('T (p), 1 of 4 steps done, in /repo\nnote: n\n✓ [2/4] b: B 1m 05s abcdef0\n')
    expect(picture()).toBe('')
  })

  test('a failure leaves the end of the output and the reason', () => {
    const { live, kept } = screen()
    live.show(started)
    live.show(stepB)
    live.show({
      kind: 'output',
      plan: 'p',
      step: 'b',
      stream: 'stderr',
      text: Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\n'),
    })
    live.show({
      kind: 'step-failed',
      plan: 'p',
      step: 'b',
      attempt: 1,
      status: 'timeout',
      reason: 'timeout',
      message: 'timed out',
      changed: false,
      retrying: true,
      allowed: false,
      durationMs: 5,
    })
    const lines = kept().split('\n')
    expect(lines.slice(1, 4)).toEqual(['✗ [2/4] b: B', '  | … 20 lines before these', '  | line 20'])
    expect(lines.slice(-4, -1)).toEqual(['  | line 39', '  timed out (5ms)', '  retrying'])
  })

  test('fits a small window, and other text does not land in the picture', () => {
    const { live, picture } = screen({ columns: 12, rows: 6 })
    live.show(started)
    live.show(stepB)
    live.show({
      kind: 'output',
      plan: 'p',
      step: 'b',
      stream: 'stdout',
      text: 'a long line of output\nanother long line\n',
    })
    live.write('git plan: stopping\n')
    const lines = picture().split('\n')
    expect(lines.length).toBeLessThan(6)
    expect(lines.every((line) => widthOf(line) <= 12)).toBe(true)
    expect(lines.at(-1)).toBe('  and 2 mo…')
    live.end()
  })

  test('steps that run side by side each have a line and the end of their output; a result is a line once committed', () => {
    const { live, kept, picture, pass } = screen()
    live.show(started)
    live.show({ ...stepB, worker: 1 })
    live.show({
      kind: 'step-started',
      plan: 'p',
      step: 'c',
      title: 'C',
      verb: 'run',
      attempt: 1,
      number: 3,
      total: 4,
      worker: 2,
    })
    live.show({ kind: 'output', plan: 'p', step: 'b', stream: 'stdout', text: '1\n2\n', worker: 1 })
    live.show({ kind: 'output', plan: 'p', step: 'c', stream: 'stdout', text: 'half', worker: 2 })
    pass(1000)
    live.show({ kind: 'notice', plan: 'p', message: 'n' })
    expect(picture()).toBe('⠋ [2/4] b: B 1s\n  | 2\n⠋ [3/4] c: C 1s\n  | half\n  [4/4] d: D \\x1b[2J')
    live.show({ kind: 'step-ran', plan: 'p', step: 'c', attempt: 1, durationMs: 1000, worker: 2 })
    expect(picture()).toBe('⠋ [2/4] b: B 1s\n  | 1\n  | 2\n  [4/4] d: D \\x1b[2J')
    live.show({ kind: 'step-ran', plan: 'p', step: 'b', attempt: 1, durationMs: 1000, worker: 1 })
    for (const step of ['b', 'c'])
      live.show({
        kind: 'step-done',
        plan: 'p',
        step,
        integrated: true,
        attempt: 1,
        commit: 'abcdef012345',
        durationMs: 1000,
      })
    live.end()
    expect(kept()).toContain('✓ [2/4] b: B 1.0s abcdef0\n✓ [3/4] c: C 1.0s abcdef0\n')
  })

  test('the lines of several plans begin with their names', () => {
    const { live, kept, picture } = screen()
    live.show({ kind: 'plans-started', plans: ['p', 'q'], jobs: 2 })
    live.show(started)
    live.show(stepB)
    live.show({ ...stepB, plan: 'q' })
    expect(picture()).toContain('⠋ p [2/4] b: B 0s\n⠋ q [2/4] b: B 0s\n  p [3/4] c: C')
    live.end()
    expect(kept()).toBe('p T (p), 1 of 4 steps done, in /repo\n')
  })

  test('time passes without events', () => {
    vi.useFakeTimers()
    try {
      const { live, picture, pass } = screen()
      live.show(started)
      live.show(stepB)
      pass(2000)
      vi.advanceTimersByTime(150)
      expect(picture()).toContain('b: B 2s')
      live.end()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('width', () => {
  test('counts columns, not characters, and never cuts a character in two', () => {
    expect(clip('漢字かな', 5)).toBe('漢字…')
    expect(clip('a👩‍👩‍👧b', 3)).toBe('a…')
    expect(clip('abc', 3)).toBe('abc')
    expect(clip('abc', undefined)).toBe('abc')
  })

  test('in a narrow window the widest columns of a table give way; without a window nothing is cut', () => {
    const rows = [['id', 'a title that is long', 'some more that is long']]
    expect(table(rows, noStyle)).toBe('id  a title that is long  some more that is long\n')
    expect(table(rows, { ...noStyle, columns: 30 })).toBe('id  a title tha…  some more t…\n')
    expect(
      table(
        [
          ['漢字', 'x'],
          ['ab', 'y'],
        ],
        noStyle,
      ),
    ).toBe('漢字  x\nab    y\n')
  })
})

describe('style', () => {
  const terminal = { isTTY: true, columns: 80 }
  test.each([
    [{}, '✓'],
    [{ LANG: 'C.UTF-8' }, '✓'],
    [{ LANG: 'de_DE.utf8' }, '✓'],
    [{ LANG: 'C' }, '+'],
    [{ LANG: 'C.UTF-8', LC_ALL: 'POSIX' }, '+'],
    [{ TERM: 'linux' }, '+'],
  ])('the sign of %j is %s', (env, sign) => expect(styleFor(terminal, { noColor: false, env }).signs.done).toBe(sign))

  test('a terminal without a size clips nothing', () =>
    expect(styleFor({ isTTY: true, columns: 0 }, { noColor: true, env: {} }).columns).toBeUndefined())
})
