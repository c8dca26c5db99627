// Globs: as picomatch matches ordinary ones, and in bounded work for those that would keep a regular expression busy
// for ever.

import picomatch from 'picomatch'
import { describe, expect, test } from 'vitest'
import { globBase, globMatcher, globWalker, isGlob } from '../../../src/plan/text/glob.ts'
import { globProblem } from '../../../src/plan/text/repo-path.ts'

const paths =
  `a b ab a.ts .env src src/a.ts src/b.js src/.hidden src/x/a.ts src/x/y/a.test.ts src/x/y/z test/a.ts test/unit/x/a.ts docs/README.md
  package.json package-lock.json src/[id]/page.ts src/i/page.ts a/b/c/d.ts x/a/b/y a1 a2 a-b aXb ä src/ä.ts foo{bar}.ts fooa.ts foob.ts`.split(
    /\s+/,
  )

const patterns =
  `a src/a.ts * ** *.ts **/*.ts src/* src/** src/**/* src/**/*.ts **/a.ts **/x/** a/**/d.ts a/**/b/**/d.ts src/*/a.ts src/*/*/* a? ?.ts
  a[12] [ab] [^a] [a-c]* src/[a-z].ts {a,b} {src,test}/** {src,test}/**/*.ts src/{x,x/y}/a* {a,b}{,.ts} {src/*.js,*.json} package{,-lock}.json **/*.{ts,md}
  src/** **/** **/**/a.ts src/**/** .* **/.* foo{a,b}.ts *{a,b}.ts {src,{test,docs}}/* a-b a* *a* *a*b* [a-]* src/[id]/page.ts foo{bar}.ts`.split(
    /\s+/,
  )

test.each(patterns)('%s matches what it matches in picomatch', (pattern) => {
  const isExpected = picomatch(pattern, { dot: true })
  const expected = paths.filter((path) => isExpected(path))
  expect(paths.filter(globMatcher([pattern]))).toEqual(expected)
})

test.each([
  ['[!a]', 'b', true],
  ['[!a]', 'a', false],
  ['a[!b]c', 'a/c', false],
  ['a*b', 'a/b', false],
  ['a?b', 'a/b', false],
  ['a**b', 'axyb', true],
  ['a**b', 'ax/yb', false],
  ['{**,b}/c', 'c', true],
  ['{a/**,b}/c', 'a/x/y/c', true],
  ['?', '💥', true],
  ['\\*', '*', true],
  ['\\*', 'a', false],
  ['[', '[', true],
  ['{a', '{a', true],
  ['[]]', ']', true],
  ['(a)', '(a)', true],
  ['(a)', 'a', false],
])('%s and %s: %s', (pattern, path, isMatch) => {
  expect(globMatcher([pattern])(path)).toBe(isMatch)
})

test.each([
  ['src/a.ts', false, 'src/a.ts'],
  ['src/*.ts', true, 'src'],
  ['src/**', true, 'src'],
  ['src/x/{a,b}/**', true, 'src/x'],
  ['src/x{a,b}', true, 'src'],
  ['**', true, ''],
  ['{a,b}', true, ''],
  ['app/{{name}}.ts', false, 'app/{{name}}.ts'],
])('%s: a glob %s, below "%s"', (pattern, isOne, base) => {
  expect([isGlob(pattern), globBase(pattern)]).toEqual([isOne, base])
})

describe('what would make a regular expression backtrack is matched in few steps', () => {
  const hostile = {
    stars: `${'*a'.repeat(100)}*b`,
    'many stars': `${'*'.repeat(200)}b`,
    'deep stars': `${'**/'.repeat(80)}b`,
    braces: `${'{a,aa}'.repeat(40)}b`,
    'nested braces': `${'{a,'.repeat(60)}b${'}'.repeat(60)}b`,
    'empty branches': `${'{,a}'.repeat(60)}b`,
    sets: `${'[a-z]*'.repeat(40)}b`,
  }
  const long = ['a'.repeat(2000), 'a/'.repeat(1000), 'aaa/'.repeat(500)]

  test.each(Object.entries(hostile))('%s', (_, pattern) => {
    expect(globProblem(pattern)).toBeUndefined()
    const walk = globWalker(pattern)
    for (const path of long) {
      const { isMatch, steps } = walk(path)
      expect(isMatch).toBe(false)
      expect(steps).toBeLessThanOrEqual(3 * (pattern.length + 1) * (path.length + 2))
    }
  })
})

test.each(['+(a|b)', 'src/@(a|b)/*', '!(a)', '*(a)', '(a|b)', '[[:alpha:]]', '{1..1000000}', '*a'.repeat(200)])(
  'a glob such as %s is refused, with the syntax that is known',
  (pattern) => {
    expect(globProblem(pattern)).toMatch(
      /a glob (may have `\*`, `\*\*`, `\?`, `\[abc\]` and `\{a,b\}`, not|cannot begin|has at most 255)/,
    )
  },
)
