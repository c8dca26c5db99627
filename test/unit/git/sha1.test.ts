import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha1 } from '../../../src/git/sha1.ts'

const theirs = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('hex')

test('every length up to three blocks', () => {
  for (let length = 0; length < 200; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 7 + length) % 256)
    expect(sha1(bytes)).toBe(theirs(bytes))
  }
  expect(sha1(Buffer.from('abc'))).toBe('a9993e364706816aba3e25717850c26c9cd0d89d')
})

test('any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000, size: 'max' }), (bytes) => sha1(bytes) === theirs(bytes)),
    { numRuns: 300 },
  )
})
