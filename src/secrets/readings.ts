// The texts that a file can be read as: UTF-8, UTF-16 as some Windows editors and shells write it, and pieces of UTF-16
// in binary files.

import { matchesOf } from './tokens.ts'

export interface Reading {
  readonly text: string
  /** The text consists of pieces: only tokens and keys are searched, by rules that need no context. */
  readonly isPieces: boolean
}

/** All readings of a file in one text, for comparison. */
export const readingOf = (bytes: Uint8Array): string =>
  readingsOf(bytes)
    .map(({ text }) => text)
    .join('\n')

/** The first reading covers the whole file. */
export function readingsOf(bytes: Uint8Array): readonly Reading[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const plain = { text: buffer.toString(), isPieces: false }
  // UTF-16 text with a token contains zero bytes.
  if (!buffer.includes(0)) return [plain]
  const order = orderOf(buffer)
  if (order !== undefined) {
    const little = order === 'little' ? buffer : Buffer.from(buffer.subarray(0, buffer.length & ~1)).swap16()
    return [{ text: little.toString('utf16le').replace(/^\ufeff/, ''), isPieces: false }]
  }
  const pieces = matchesOf(widePiece, buffer.toString('latin1'))
    .map(([piece]) => piece.replaceAll('\0', ''))
    .join('\n')
  return pieces === '' ? [plain] : [plain, { text: pieces, isPieces: true }]
}

/**
 * At least as many characters as the shortest token, each followed by a zero byte except the last. This matches
 * big-endian text too.
 */
const widePiece = new RegExp(String.raw`(?:[\t\n\r -~]\0){15,65536}[\t\n\r -~]?`, 'g')

/**
 * Byte order by the byte order mark; or because nearly every other byte at the beginning is zero, and few of the rest.
 */
function orderOf(bytes: Buffer): 'little' | 'big' | undefined {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return 'little'
  if (first === 0xfe && second === 0xff) return 'big'
  const size = Math.min(bytes.length, 256) & ~1
  const zeros = [0, 0]
  for (let at = 0; at < size; at += 1) if (bytes[at] === 0) zeros[at & 1]! += 1
  const [even, odd] = zeros.map((count) => (count * 2) / size)
  if (size < 16) return undefined
  if (odd! > 0.9 && even! < 0.1) return 'little'
  return even! > 0.9 && odd! < 0.1 ? 'big' : undefined
}
