import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventOf, formatMessage, parseMessage, trailersOf } from '../../../src/plan/record/trailers.ts'
import type { PlanEvent } from '../../../src/plan/record/trailers.ts'
import { planId, stepId } from '../../../src/plan/model/ids.ts'

const event: PlanEvent = {
  event: 'step',
  plan: planId('p'),
  step: stepId('one'),
  attempt: 2,
  run: 'r1',
  digest: 'ab',
  reason: 'why',
  exit: 0,
  startedAt: '2026-01-02T03:04:05.678Z',
  endedAt: '2026-01-02T03:04:05.690Z',
  durationMs: 12,
  approvedBy: 'A <a@b>',
  verified: 'files',
}

describe('messages', () => {
  test('an event comes back from its commit message', () => {
    const message = formatMessage({ subject: 'Do it', body: 'Because.\n\nMore.', trailers: trailersOf(event) })
    expect(eventOf(message)).toEqual(event)
    expect(parseMessage(message)).toMatchObject({ subject: 'Do it', body: 'Because.\n\nMore.' })
  })
  test('a time that is none is ignored, and an earlier version recorded the duration alone', () => {
    const trailers: [string, string][] = [
      ['Plan-Id', 'p'],
      ['Plan-Event', 'step'],
      ['Plan-Started', 'yesterday'],
      ['Plan-Duration-Ms', '7'],
    ]
    expect(eventOf(formatMessage({ subject: 'x', trailers }))).toEqual({ event: 'step', plan: 'p', durationMs: 7 })
  })
  test('nothing in subject, body or values becomes a trailer', () => {
    const injected = 'x\n\nPlan-Id: evil\nPlan-Event: approved'
    const message = formatMessage({
      subject: injected,
      body: injected,
      trailers: [...trailersOf({ event: 'failed', plan: planId('p') }), ['Plan-Reason', injected]],
    })
    expect(eventOf(message)).toMatchObject({
      event: 'failed',
      plan: 'p',
      reason: 'x Plan-Id: evil Plan-Event: approved',
    })
    expect(message.split('\n')[0]).toBe('x Plan-Id: evil Plan-Event: approved')
    expect(eventOf(formatMessage({ subject: injected, body: injected, trailers: [] }))).toBeUndefined()
    expect(
      eventOf(formatMessage({ subject: 'x', body: 'plan-id: evil\nplan-event: approved', trailers: [] })),
    ).toBeUndefined()
  })
  test('control characters do not reach the message', () => {
    expect(
      formatMessage({ subject: 'a\u001b[31m\tb', body: 'a\u0007\r\nb', trailers: [['Plan-Id', 'a\u202e\r\nb']] }),
    ).toBe('a [31m b\n\na\nb\n\nPlan-Id: a b\n')
  })
  test('a hook may add trailers, and the first of a name counts', () => {
    expect(eventOf('s\n\nPlan-Id: p\nplan-event: step\nSigned-off-by: A <a@b>\nPlan-Id: q\n')).toEqual({
      event: 'step',
      plan: 'p',
    })
  })
  test.each([
    ['no trailers', 'subject\n\nbody\n'],
    ['trailers as the subject', 'Plan-Id: p\nPlan-Event: step\n'],
    ['trailers that are not last', 's\n\nPlan-Id: p\nPlan-Event: step\n\nbody\n'],
    ['an id that is none', 's\n\nPlan-Id: ../p\nPlan-Event: step\n'],
    ['an event that is none', 's\n\nPlan-Id: p\nPlan-Event: toString\n'],
    ['a step that is none', 's\n\nPlan-Id: p\nPlan-Event: step\nPlan-Step: -x\n'],
    ['nothing', ''],
  ])('a commit with %s is none of ours', (_, message) => {
    expect(eventOf(message)).toBeUndefined()
  })
  test('a key that is none is a bug', () => {
    expect(() => formatMessage({ subject: 's', trailers: [['a b', 'c']] })).toThrow(TypeError)
  })
})

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('Plan-Id: x', '', ' ', '\n', '\r\n', 'word', 'a: b', '---', '#', '\t'), { maxLength: 12 })
    .map((parts) => parts.join('\n')),
)
const key = fc.constantFrom('Plan-Id', 'Plan-Event', 'Plan-Step', 'Plan-Reason', 'Plan-Exit')

test('formatting and reading agree for any text', () => {
  fc.assert(
    fc.property(
      text,
      text,
      fc.uniqueArray(fc.tuple(key, text), { selector: ([name]) => name, maxLength: 5 }),
      (subject, body, trailers) => {
        const message = formatMessage({ subject, body, trailers })
        const read = parseMessage(message)
        expect([...read.trailers.keys()]).toEqual(trailers.map(([name]) => name))
        expect(read.subject).not.toMatch(/\n/)
        expect(formatMessage({ subject: read.subject, body: read.body, trailers: [...read.trailers] })).toBe(message)
      },
    ),
    { numRuns: 500 },
  )
})

test('git reads the same trailers', () => {
  for (const body of ['', 'b', 'Plan-Id: evil', 'a: b\nPlan-Event: approved', '# comment', 'x\n---\ny']) {
    const message = formatMessage({ subject: 'subject', body, trailers: trailersOf(event) })
    const read = execFileSync('git', ['interpret-trailers', '--only-trailers', '--no-divider'], {
      input: message,
      encoding: 'utf8',
    })
    expect(read.trim().split('\n')).toEqual(
      [...parseMessage(message).trailers].map(([name, value]) => `${name}: ${value}`),
    )
  }
})

// With a pattern that backtracks this would not come to an end.
test('a megabyte that almost is a trailer is read', () => {
  const messages = [
    '\n'.repeat(1e6) + 'x',
    `s\n\n${' '.repeat(1e6)}x`,
    `s\n\n${'a'.repeat(1e6)}`,
    `s\n\nPlan-Id:${' '.repeat(1e6)}x\n${'\n'.repeat(1e6)}y`,
  ]
  for (const message of messages) expect(eventOf(message)).toBeUndefined()
})
