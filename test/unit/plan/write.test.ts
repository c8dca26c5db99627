import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { digestOf } from '../../../src/plan/file/digest.ts'
import { planStatuses, stepStatuses } from '../../../src/plan/model/plan.ts'
import type { PlanState, StepStatus } from '../../../src/plan/model/plan.ts'
import { planId } from '../../../src/plan/model/ids.ts'
import type { StepId } from '../../../src/plan/model/ids.ts'
import { asProposed, withPlanId, withState, type PlanAndText } from '../../../src/plan/file/write.ts'
import { fenced, parsed, textOf } from '../../helpers/plans.ts'

const stateOf = (entries: Record<string, StepStatus>): PlanState =>
  new Map(Object.entries(entries) as [StepId, StepStatus][])

const awkward = `---
# a comment at the top
title:   "Odd:  spacing"   # kept
request: >
  folded text
  goes on

steps:   # the steps
  - run: "a"    # first
    # between
    id: a

  - {id: b, run: b, env: {A: "1,2"}}
  -   create: x
      id: c
      content: |+
        status: completed
        ---

verify: [x]
# before the tail
status: proposed   # gone
state: {}
# gone too
---

status: not this
---
state: {a: done}
no newline at the end`

describe('state', () => {
  test('replaces the tail and no other byte', () => {
    const written = textOf(
      withState(parsed(awkward), 'active', stateOf({ c: 'failed', a: 'done', b: 'pending' })).bytes,
    )
    expect(written).toBe(
      awkward.replace(
        'status: proposed   # gone\nstate: {}\n# gone too\n',
        'status: active\nstate:\n  a: done\n  c: failed\n',
      ),
    )
  })
  test('is added where there is none, and empty state is written as such', () => {
    const text = fenced('steps:\n  - run: x')
    expect(textOf(withState(parsed(text), 'approved', new Map()).bytes)).toBe(
      '---\nsteps:\n  - run: x\nstatus: approved\nstate: {}\n---\n',
    )
  })
  test('uses the line endings of the file', () => {
    const text = awkward.replaceAll('\n', '\r\n')
    const written = textOf(withState(parsed(text), 'active', stateOf({ a: 'done' })).bytes)
    expect(written.replaceAll('\r\n', '')).not.toContain('\n')
    expect(written).toContain(
      '# before the tail\r\nstatus: active\r\nstate:\r\n  a: done\r\n---\r\n\r\nstatus: not this',
    )
  })
  test('of a step that is not there is a bug', () => {
    expect(() => withState(parsed(awkward), 'active', stateOf({ zzz: 'done' }))).toThrow('not in the plan')
  })
  test('quotes ids that YAML would read as something else', () => {
    const text = fenced(
      'steps:\n  - {id: "1", run: x}\n  - {id: "null", run: x}\n  - {id: 1e3, run: x}'.replace('1e3', '"1e3"'),
    )
    const state = stateOf({ 1: 'done', null: 'done', '1e3': 'failed' })
    expect(parsed(textOf(withState(parsed(text), 'failed', state).bytes)).plan.state).toEqual(state)
  })
})

// Plans as people write them: comments, blank lines, flow and block, odd text, either line ending.
const word = fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/)
const comment = fc.option(
  word.map((text) => ` # ${text}`),
  { nil: '' },
)
const value = fc.oneof(
  word,
  fc
    .string({ maxLength: 20 })
    .filter((text) => text.trim() !== '')
    .map((text) => JSON.stringify(text)),
)
const step = fc
  .record({
    flow: fc.boolean(),
    id: fc.option(fc.nat(999), { nil: undefined }),
    title: fc.option(word, { nil: undefined }),
    run: value,
    pad: fc.constantFrom(' ', '   '),
    comment,
  })
  .map(({ flow, id, title, run, pad, comment }) => ({
    flow,
    keys: [
      `run: ${run}`,
      ...(id === undefined ? [] : [`id: s${id}`]),
      ...(title === undefined ? [] : [`title: ${title}`]),
    ],
    pad,
    comment,
  }))
const planText = fc
  .record({
    steps: fc.uniqueArray(step, {
      minLength: 1,
      maxLength: 6,
      selector: (entry) => entry.keys.find((key) => key.startsWith('id:')) ?? Math.random(),
    }),
    top: fc.subarray([
      'plan: given',
      'title: "A: title"',
      'base: main',
      'version: 1',
      '# remark',
      'request: >-\n  folded\n  text',
      '',
    ]),
    verify: fc.boolean(),
    tail: fc.constantFrom(
      '',
      'status: proposed\n',
      'status: active # x\nstate: {}\n',
      'status: failed\n\nstate: {}   \n# end\n\n',
    ),
    prose: fc.oneof(
      fc.constantFrom('', '\n# Heading\n', 'status: x\n---\nstate: {}', '---\n'),
      fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => text.replace(/[\0\r]|\p{Cs}/gu, '')),
    ),
    crlf: fc.boolean(),
  })
  .map(({ steps, top, verify, tail, prose, crlf }) => {
    const lines = steps.map(({ flow, keys, pad, comment }) =>
      flow ? `  -${pad}{${pad}${keys.join(', ')}}${comment}` : `  -${pad}${keys.join(`${comment}\n   ${pad}`)}`,
    )
    const text = `---\n${top.map((line) => `${line}\n`).join('')}steps:\n${lines.join('\n')}\n${verify ? 'verify: |\n  lint\n\n' : ''}${tail}---\n${prose}`
    return crlf ? text.replaceAll('\n', '\r\n') : text
  })

describe('for any plan', () => {
  test('writing state keeps digest, prose and every byte outside the tail', () => {
    fc.assert(
      fc.property(
        planText,
        fc.constantFrom(...planStatuses),
        fc.array(fc.constantFrom(...stepStatuses), { minLength: 6, maxLength: 6 }),
        (text, status, statuses) => {
          const before = parsed(text)
          const state = new Map(before.plan.steps.map((step, index) => [step.id, statuses[index]!]))
          const written = textOf(withState(before, status, state).bytes)
          const after = parsed(written)
          expect(after.plan.digest).toBe(before.plan.digest)
          expect(after.plan.status).toBe(status)
          for (const [id, wanted] of state) expect(after.plan.state.get(id) ?? 'pending').toBe(wanted)
          const { start, end } = before.source.tail ?? { start: before.source.matterEnd, end: before.source.matterEnd }
          expect(written.startsWith(text.slice(0, start))).toBe(true)
          expect(written.endsWith(text.slice(end))).toBe(true)
          // Writing twice is writing once.
          expect(textOf(withState(parsed(written), status, state).bytes)).toBe(written)
          expect(textOf(withState(withState(after, 'failed', new Map()), status, state).bytes)).toBe(written)
        },
      ),
    )
  })

  test('a tail of ours in the place of a tail of ours need not be read again', () => {
    const states = fc.array(fc.constantFrom(...stepStatuses), { minLength: 6, maxLength: 6 })
    const statuses = fc.constantFrom(...planStatuses)
    fc.assert(
      fc.property(planText, fc.array(fc.tuple(statuses, states), { minLength: 1, maxLength: 4 }), (text, changes) => {
        let at: PlanAndText = parsed(textOf(withState(parsed(text), 'active', new Map()).bytes))
        for (const [status, values] of changes) {
          const next = withState(at, status, new Map(at.plan.steps.map((step, index) => [step.id, values[index]!])))
          const read = parsed(textOf(next.bytes))
          expect(next.plan).toEqual(read.plan)
          expect({ ...next.source, place: undefined }).toEqual({ ...read.source, place: undefined })
          at = next
        }
      }),
    )
  })

  test('writing what is derived gives the same plan with nothing derived, and only adds', () => {
    fc.assert(
      fc.property(planText, (text) => {
        const origin = { file: '.plans/some-name.md', base: 'trunk' }
        const before = parsed(text, origin)
        const written = textOf(asProposed(before).bytes)
        const after = parsed(written, { file: 'other.md' })
        expect({ ...after.plan, digest: '' }).toEqual({
          ...before.plan,
          digest: '',
          status: 'proposed',
          state: new Map(),
        })
        expect(after.source.derived).toEqual({ plan: false, title: false, base: false })
        expect(after.source.steps.every((step) => !step.derived.id && !step.derived.title)).toBe(true)
        expect(textOf(asProposed(parsed(written, origin)).bytes)).toBe(written)
        expect(isSubsequence(textOf(withState(before, 'proposed', new Map()).bytes), written)).toBe(true)
      }),
    )
  })

  test('another id changes the id alone', () => {
    fc.assert(
      fc.property(planText, (text) => {
        const before = parsed(text, { file: 'plan.md' }).plan
        const after = parsed(textOf(withPlanId(parsed(text, { file: 'plan.md' }), planId('another')).bytes), {
          file: 'plan.md',
          id: 'another',
        }).plan
        expect({ ...after, digest: '', id: '', title: '' }).toEqual({ ...before, digest: '', id: '', title: '' })
      }),
    )
  })

  test('any other byte outside the tail gives another digest', () => {
    fc.assert(
      fc.property(planText, fc.nat(), (text, at) => {
        const { tail } = parsed(text).source
        const index = at % text.length
        if (tail && index >= tail.start && index < tail.end) return
        const changed = text.slice(0, index) + (text[index] === 'x' ? 'y' : 'x') + text.slice(index + 1)
        expect(digestOf(changed, tail)).not.toBe(digestOf(text, tail))
      }),
    )
  })
})

function isSubsequence(part: string, whole: string): boolean {
  let at = 0
  for (const character of whole) if (part.startsWith(character, at)) at += character.length
  return at >= part.length
}

test('the id is replaced in every form of a scalar', () => {
  for (const form of ['old', '"old"', "'old'", 'old   # why', '>-\n  old']) {
    const text = fenced(`plan: ${form}\ntitle: x\nsteps:\n  - run: x`)
    expect(
      parsed(textOf(withPlanId(parsed(text, { file: 'plan.md' }), planId('new')).bytes), { file: 'a.md', id: 'new' })
        .plan,
    ).toMatchObject({
      id: 'new',
      title: 'x',
    })
  }
})

test('what is derived is written where a person would write it', () => {
  const text = fenced(
    'steps:\n  - run: a: b\n'.replace('a: b', '"a: b"') + '  - { run: x }\n  -\n    # why\n    run: z',
    '# Do it: now\n',
  )
  expect(textOf(asProposed(parsed(text, { file: 'p.md', base: 'main' })).bytes)).toBe(
    '---\nplan: p\ntitle: "Do it: now"\nbase: main\nsteps:\n  - id: a-b\n    title: "Run a: b"\n    run: "a: b"\n  - {id: x, title: Run x,  run: x }\n  -\n    # why\n    id: z\n    title: Run z\n    run: z\nstatus: proposed\nstate: {}\n---\n# Do it: now\n',
  )
})
