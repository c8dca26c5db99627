import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyDiff, parseDiff } from '../../../src/plan/text/apply-diff.ts'
import { appendText, insertAt, replaceLines, replaceMatch, replaceText } from '../../../src/plan/text/edit-text.ts'
import type { Edited } from '../../../src/plan/text/edit-text.ts'

const textIn = (result: Edited): string => {
  if (!result.ok) throw new Error(result.message)
  return result.text
}
const message = (result: Edited): string => (result.ok ? 'ok' : result.message)

describe('replace', () => {
  test('takes text that is there exactly once', () => {
    expect(textIn(replaceText('a b c', { replace: 'b', with: '$& x' }))).toBe('a $& x c')
    expect(message(replaceText('a', { replace: 'b', with: '' }))).toContain('was not found')
    expect(message(replaceText('b b b', { replace: 'b', with: '' }))).toContain('3 times')
    expect(message(replaceText('aaa', { replace: 'aa', with: '' }))).toContain('2 times')
    expect(textIn(replaceText('b b b', { replace: 'b', with: 'c', all: true }))).toBe('c c c')
  })
  test('leaves no empty line where a block scalar stands in for the rest of a line', () => {
    expect(
      textIn(
        replaceText('app.use(router)\nend\n', {
          replace: 'app.use(router)',
          with: 'app.use(limiter)\napp.use(router)\n',
        }),
      ),
    ).toBe('app.use(limiter)\napp.use(router)\nend\n')
    expect(textIn(replaceText('a(b)c\n', { replace: '(b)', with: 'x\n' }))).toBe('ax\nc\n')
    expect(textIn(replaceText('a\nb\n', { replace: 'a\n', with: 'x\n' }))).toBe('x\nb\n')
  })
  test('matches and writes the line endings of the file', () => {
    expect(textIn(replaceText('a\r\nb\r\nc', { replace: 'a\nb', with: 'x\ny\nz' }))).toBe('x\r\ny\r\nz\r\nc')
    expect(textIn(replaceText('a\r\nb\r\nc\nd', { replace: 'b', with: 'x\ny' }))).toBe('a\r\nx\r\ny\r\nc\nd')
  })
})

describe('match', () => {
  test('takes one match, groups and flags', () => {
    expect(textIn(replaceMatch('version = 1.2', { match: '(\\d+)\\.(?<minor>\\d+)', with: '$<minor>.$1' }))).toBe(
      'version = 2.1',
    )
    expect(textIn(replaceMatch('A\nb\n', { match: '^a$', with: 'x', flags: 'im' }))).toBe('x\nb\n')
    expect(message(replaceMatch('aa', { match: 'a', with: '' }))).toContain('2 times')
    expect(message(replaceMatch('aa', { match: 'b', with: '' }))).toContain('0 times')
    expect(textIn(replaceMatch('aa', { match: 'a', with: 'b', all: true }))).toBe('bb')
    expect(textIn(replaceMatch('a\r\nb\r\n', { match: 'a$\\n', with: 'x\ny\n', flags: 'm' }))).toBe('x\r\ny\r\nb\r\n')
  })
})

describe('lines, insert and append', () => {
  test('lines are replaced or removed', () => {
    expect(textIn(replaceLines('1\n2\n3\n', { from: 2, to: 3, with: 'x' }))).toBe('1\nx\n')
    expect(textIn(replaceLines('1\n2\n3', { from: 3, to: 3, with: 'x\ny\n' }))).toBe('1\n2\nx\ny')
    expect(textIn(replaceLines('1\n2\n', { from: 1, to: 1, with: '' }))).toBe('2\n')
    expect(message(replaceLines('1\n2\n', { from: 2, to: 3, with: '' }))).toContain('2 lines')
    expect(message(replaceLines('', { from: 1, to: 1, with: '' }))).toContain('0 lines')
  })
  test('whole lines go before or after the line with the anchor', () => {
    expect(textIn(insertAt('a\nb c\nd\n', { insert: 'x\n', before: 'c' }))).toBe('a\nx\nb c\nd\n')
    expect(textIn(insertAt('a\nb c\nd', { insert: 'x', after: 'd' }))).toBe('a\nb c\nd\nx')
    expect(textIn(insertAt('a\r\nb\r\n', { insert: 'x\ny', after: 'a\nb\n' }))).toBe('a\r\nb\r\nx\r\ny\r\n')
    expect(message(insertAt('a\na\n', { insert: 'x', after: 'a' }))).toContain('2 times')
    expect(message(insertAt('a\n', { insert: 'x', after: 'b' }))).toContain('0 times')
  })
  test('text is appended as lines of its own, the final newline kept as it was', () => {
    expect(textIn(appendText('a\n', 'b'))).toBe('a\nb\n')
    expect(textIn(appendText('a', 'b\n'))).toBe('a\nb')
    expect(textIn(appendText('', 'b\n'))).toBe('b\n')
    expect(textIn(appendText('a\r\n', 'b\nc\n'))).toBe('a\r\nb\r\nc\r\n')
  })
})

describe('diff', () => {
  const diff = '--- a/f\n+++ b/f\n@@ -2,3 +2,3 @@ here\n b\n-c\n+x\n d\n'
  test('applies at its place, or at the only other one', () => {
    expect(textIn(applyDiff('a\nb\nc\nd\ne\n', diff))).toBe('a\nb\nx\nd\ne\n')
    expect(textIn(applyDiff('0\n0\na\nb\nc\nd\n', diff))).toBe('0\n0\na\nb\nx\nd\n')
    expect(textIn(applyDiff('a\r\nb\r\nc\r\nd\r\n', diff))).toBe('a\r\nb\r\nx\r\nd\r\n')
  })
  test('names the hunk that does not apply', () => {
    expect(message(applyDiff('a\nb\nC\nd\n', diff))).toMatch(/hunk 1 of 1 .* 0 other places/)
    expect(message(applyDiff('b\nc\nd\nb\nc\nd\n', '@@ -2,3 +2,3 @@\n b\n-c\n+x\n d\n'))).toMatch(
      /hunk 1 of 1 .* 2 other places/,
    )
  })
  test('adds to the end, to an empty file, and minds the last newline', () => {
    expect(textIn(applyDiff('', '@@ -0,0 +1,2 @@\n+a\n+b\n'))).toBe('a\nb\n')
    expect(textIn(applyDiff('a\n', '@@ -1,0 +2 @@\n+b\n'))).toBe('a\nb\n')
    expect(textIn(applyDiff('a', '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n'))).toBe('b\n')
    expect(textIn(applyDiff('a\n', '@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n'))).toBe('b')
    expect(message(applyDiff('a', '@@ -1 +1 @@\n-a\n+b\n'))).toContain('hunk 1')
  })
  test.each([
    '',
    'text',
    '@@ -1,2 +1,2 @@\n a\n',
    '@@ -1 +1 @@\n-a\n+b\n+c\n',
    '@@ -1 +1 @@\n*a\n',
    '--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n--- c\n+++ d\n@@ -1 +1 @@\n-a\n+b\n',
  ])('%j is no diff of one file', (text) => {
    expect(parseDiff(text).ok).toBe(false)
  })
})

const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', 'dd'), { maxLength: 12 })
const file = fc
  .tuple(lines, fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([list, eol, isEnded]) => list.join(eol) + (isEnded && list.length > 0 ? eol : ''))

describe('for any file', () => {
  test('an edit keeps endings and the state of the final newline', () => {
    fc.assert(
      fc.property(file, fc.constantFrom('x', 'x\ny', 'x\ny\n'), (text, added) => {
        for (const result of [
          appendText(text, added),
          insertAt(text, { insert: added, after: 'dd' }),
          replaceText(text, { replace: 'dd', with: added }),
          replaceLines(text, { from: 1, to: 1, with: added }),
        ]) {
          if (!result.ok || text === '') continue
          if (text.includes('\r\n')) expect(result.text.replaceAll('\r\n', '')).not.toContain('\n')
          else expect(result.text).not.toContain('\r')
          expect(result.text.endsWith('\n')).toBe(text.endsWith('\n'))
        }
      }),
    )
  })
  test('a diff of two files turns one into the other', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        fc.pre(before.length + after.length > 0)
        const start = (list: readonly string[]): string => `${list.length === 0 ? 0 : 1},${list.length}`
        const diff = `@@ -${start(before)} +${start(after)} @@\n${before.map((line) => `-${line}\n`).join('')}${after.map((line) => `+${line}\n`).join('')}`
        const text = (list: readonly string[]): string => list.map((line) => `${line}\n`).join('')
        expect(textIn(applyDiff(text(before), diff))).toBe(text(after))
      }),
    )
  })
  test('replacing there and back changes nothing', () => {
    fc.assert(
      fc.property(file, (text) => {
        const there = replaceText(text, { replace: 'dd', with: 'unique' })
        if (there.ok) expect(textIn(replaceText(there.text, { replace: 'unique', with: 'dd' }))).toBe(text)
      }),
    )
  })
})

test('an expression that backtracks for ever is given up', () => {
  const ended = replaceMatch(`${'a'.repeat(45)}!`, { match: '(a+)+$', with: 'b' })
  expect(ended).toEqual({ ok: false, message: 'the expression takes longer than 2s to match' })
})
