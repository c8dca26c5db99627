import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digestOf } from '../../../src/plan/digest.ts'
import { sha256 } from '../../../src/plan/sha256.ts'

const theirs = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

test('every length up to three blocks, and then some', () => {
  for (let length = 0; length < 200; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 7 + length) % 256)
    expect(sha256(bytes)).toBe(theirs(bytes))
  }
  expect(sha256(Buffer.from('abc'))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000, size: 'max' }), (bytes) => sha256(bytes) === theirs(bytes)),
    { numRuns: 300 },
  )
})

test('the digest of a text is that of its bytes without the tail, whatever its length', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom(1000, 4095, 4096, 4097, 9000).map((length) => 'ä'.repeat(length)),
  )
  fc.assert(
    fc.property(text, fc.nat(), fc.nat(), (whole, one, two) => {
      const [start = 0, end = 0] = [one % (whole.length + 1), two % (whole.length + 1)].toSorted((a, b) => a - b)
      const without = [Buffer.from(whole.slice(0, start)), Buffer.from(whole.slice(end))]
      return digestOf(whole, { start, end }) === theirs(Buffer.concat(without)) && digestOf(whole, undefined) === theirs(Buffer.from(whole))
    }),
  )
})
