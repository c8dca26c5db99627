// Text within a budget: the least important sections go first, and of a long one a part stays.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitSections, type Section } from '../../../src/view/fit-sections.ts'

const sections: readonly Section[] = [
  { priority: 1, lines: ['first', 'one', 'two'] },
  { priority: 3, lines: ['third', 'x'.repeat(10), 'y'.repeat(10)] },
  { priority: 2, keeps: 'end', lines: ['second', 'a'.repeat(10), 'b'.repeat(10), 'c'.repeat(10)] },
]

test('everything, in the given order', () => {
  expect(fitSections(sections, 1000)).toBe(
    'first\none\ntwo\n\nthird\nxxxxxxxxxx\nyyyyyyyyyy\n\nsecond\naaaaaaaaaa\nbbbbbbbbbb\ncccccccccc',
  )
})

test('the least important one is cut first, then left out', () => {
  expect(fitSections(sections, 79)).toBe(
    'first\none\ntwo\n\nthird\nxxxxxxxxxx\n…\n\nsecond\naaaaaaaaaa\nbbbbbbbbbb\ncccccccccc',
  )
  expect(fitSections(sections, 60)).toBe('first\none\ntwo\n\nsecond\naaaaaaaaaa\nbbbbbbbbbb\ncccccccccc')
})

test('of a section that keeps its end, the last lines stay', () => {
  expect(fitSections(sections, 45)).toBe('first\none\ntwo\n\nsecond\n…\ncccccccccc')
  expect(fitSections(sections, 20)).toBe('first\none\ntwo')
  expect(fitSections(sections, 3)).toBe('')
  expect(fitSections([], 100)).toBe('')
})

test('never more than the budget', () => {
  const section = fc.record({
    priority: fc.integer({ min: 1, max: 5 }),
    lines: fc.array(
      fc.string({ maxLength: 30 }).map((text) => text.replaceAll('\n', ' ')),
      { minLength: 1, maxLength: 8 },
    ),
  })
  fc.assert(
    fc.property(fc.array(section, { maxLength: 6 }), fc.nat(300), (all, most) => {
      expect(fitSections(all, most).length).toBeLessThanOrEqual(most)
    }),
  )
})
