import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeForTerminal, hasHidden } from '../../../src/plan/text/display.ts'

test('control, bidirectional and zero-width characters are spelled out', () => {
  expect(escapeForTerminal('a\u001b[31mb\u0007\u202ec\u200bd\r\n\te')).toBe(
    'a\\x1b[31mb\\x07\\u{202e}c\\u{200b}d\\r\\n\\te',
  )
  expect(escapeForTerminal('a\r\n\tb\rc', { multiline: true })).toBe('a\n\tb\\rc')
  expect(escapeForTerminal('naïve 日本 🎉')).toBe('naïve 日本 🎉')
})

test('nothing hidden is left of any text', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !hasHidden(escapeForTerminal(text))))
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      (text) => !hasHidden(escapeForTerminal(text, { multiline: true }).replace(/[\n\t]/g, '')),
    ),
  )
})
