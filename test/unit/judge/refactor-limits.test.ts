// Searches that would take for ever. In a file of their own: after a search was stopped, its process cannot parse any more.

import { expect, test } from 'vitest'
import { makeRewriter } from '../../../src/judge/refactor/rewriter.ts'
import { syntaxProblems } from '../../../src/judge/syntax/syntax.ts'

const request = (pattern: string) => ({ grammar: 'typescript', matcher: { rule: { pattern } }, fix: 'x' }) as const

test('an interrupted step, one that is out of time, and deep nesting are refused', async () => {
  const stopped = makeRewriter({ totalMs: 1000, signal: AbortSignal.abort() })
  expect(await stopped('f(1)', request('f($A)'))).toMatchObject({ ok: false, reason: 'interrupted' })
  const late = makeRewriter({ totalMs: 0 })
  expect(await late('f(1)', request('f($A)'))).toMatchObject({ ok: false, reason: 'timeout' })
  const deep = `${'f('.repeat(5000)}1${')'.repeat(5000)}`
  expect(await makeRewriter({ totalMs: 60_000 })(deep, request('f($A)'))).toMatchObject({
    ok: false,
    message: 'it is nested too deeply to be searched',
  })
})

test('a search that takes too long is stopped, and later ones say why they cannot run', async () => {
  const rewrite = makeRewriter({ totalMs: 300 })
  const long = `f(${'1, '.repeat(150_000)}2)\n`
  expect(await rewrite(long, request('f($$$A, $$$B, $$$C, zzz)'))).toMatchObject({ ok: false, reason: 'timeout' })
  expect(await makeRewriter({ totalMs: 60_000 })('f(1)', request('f($A)'))).toMatchObject({
    ok: false,
    message: expect.stringContaining('a search took too long'),
  })
  // Other parsers are not concerned.
  expect(await syntaxProblems('a.ts', 'const a = ;')).toHaveLength(1)
})
