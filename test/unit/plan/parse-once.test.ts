import { expect, test } from 'vitest'
import { parseOnce } from '../../../src/plan/parse-once.ts'
import { parsePlan } from '../../../src/plan/parse.ts'
import { bytesOf, fenced } from '../../helpers/plans.ts'

const text = fenced('title: One\nsteps:\n  - run: echo 1')
const origin = { file: '.plans/one.md' }

test('the same bytes from the same place are read once, and as parsePlan reads them', () => {
  const first = parseOnce(bytesOf(text), origin)
  expect(parseOnce(bytesOf(text), { ...origin })).toBe(first)
  expect(first.ok && first.plan).toEqual((parsePlan(bytesOf(text), origin) as typeof first & { ok: true }).plan)
})

test('bytes that are changed in place, and another origin, are read anew', () => {
  const bytes = bytesOf(text)
  parseOnce(bytes, origin)
  bytes[bytes.indexOf(0x31)] = 0x32
  const changed = parseOnce(bytes, origin)
  expect(changed.ok && changed.plan.steps[0]?.title).toBe('Run echo 2')
  const based = parseOnce(bytesOf(text), { ...origin, base: 'main' })
  expect(based.ok && based.plan.base).toBe('main')
  expect(parseOnce(bytesOf(text), { ...origin, id: 'other' })).not.toBe(parseOnce(bytesOf(text), origin))
})

test('what is refused is refused each time', () => {
  const bad = bytesOf(fenced('steps: []'))
  expect(parseOnce(bad, origin).ok).toBe(false)
  expect(parseOnce(bad, origin).ok).toBe(false)
})
