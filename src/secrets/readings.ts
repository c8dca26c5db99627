// The texts that a file can be read as: UTF-8, UTF-16 as some editors and shells of Windows write it, and the pieces of UTF-16 in what is no text.

import { byteSet } from './byte-set.ts'

export interface Reading {
  readonly text: string
  /** Pieces out of something else: tokens and keys are looked for, and nothing that needs to know what stands around. */
  readonly isPieces: boolean
}

/** What a file says, in one text: to compare it with. */
export const readingOf = (bytes: Uint8Array): string =>
  readingsOf(bytes)
    .map(({ text }) => text)
    .join('\n')

/** The first one is of all of it. */
export function readingsOf(bytes: Uint8Array): readonly Reading[] {
  const wide = wideReading(bytes)
  if (wide?.isPieces === false) return [wide]
  return [{ text: bufferOf(bytes).toString(), isPieces: false }, ...(wide === undefined ? [] : [wide])]
}

/** What is there to read as UTF-16; undefined: nothing. */
export function wideReading(bytes: Uint8Array): Reading | undefined {
  const buffer = bufferOf(bytes)
  // Without a zero there is no letter of a token in it.
  if (!buffer.includes(0)) return undefined
  const whole = wideText(buffer)
  if (whole !== undefined) return { text: whole, isPieces: false }
  const pieces = widePieces(buffer)
  return pieces === '' ? undefined : { text: pieces, isPieces: true }
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

/** undefined: it is not UTF-16. */
function wideText(bytes: Buffer): string | undefined {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return bytes.toString('utf16le', 2)
  if (first === 0xfe && second === 0xff) return swapped(bytes).toString('utf16le', 2)
  const order = orderOf(bytes)
  return order === undefined ? undefined : (order === 'little' ? bytes : swapped(bytes)).toString('utf16le')
}

function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16()
}

/** Without a mark: nearly every other byte of the beginning is zero, and hardly any of the others. */
function orderOf(bytes: Buffer): 'little' | 'big' | undefined {
  const size = Math.min(bytes.length, 256) & ~1
  const zeros = [0, 0]
  for (let at = 0; at < size; at += 1) if (bytes[at] === 0) zeros[at & 1]! += 1
  const isMost = (count: number): boolean => count * 2 > size * 0.9
  const isFew = (count: number): boolean => count * 2 < size * 0.1
  if (size < 16) return undefined
  if (isMost(zeros[1]!) && isFew(zeros[0]!)) return 'little'
  return isMost(zeros[0]!) && isFew(zeros[1]!) ? 'big' : undefined
}

/** As many letters as the shortest token has. */
const shortest = 16
const isLetter = byteSet('\t\n\r -~')

/** Letters with a zero behind each. Of big-endian text they are the same. */
function widePieces(bytes: Buffer): string {
  const pieces: string[] = []
  const isWide = (at: number): boolean => isLetter[bytes[at]!] === 1 && bytes[at + 1] === 0
  // In a piece one of any two bytes is zero, and it is longer than what is skipped: most of a file is never looked at.
  for (let at = 0; at + 1 < bytes.length; at += shortest) {
    let from = bytes[at] === 0 ? at + 1 : at
    if (!isWide(from)) continue
    while (from >= 2 && isWide(from - 2)) from -= 2
    let to = from
    while (isWide(to)) to += 2
    // Nothing follows the last letter of a big-endian file.
    const end = to === bytes.length - 1 && isLetter[bytes[to]!] === 1 ? to + 1 : to
    if (end - from >= 2 * shortest - 1) pieces.push(bytes.toString('latin1', from, end).replaceAll('\0', ''))
    at = Math.max(at, to - shortest)
  }
  return pieces.join('\n')
}
