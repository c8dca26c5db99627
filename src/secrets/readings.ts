// The texts that a file can be read as: UTF-8, UTF-16 as some editors and shells of Windows write it, and the pieces of
// UTF-16 in what is no text.

import { matchesOf } from './tokens.ts'

export interface Reading {
  readonly text: string
  /**
   * Pieces out of something else: tokens and keys are looked for, and nothing that needs to know what stands around.
   */
  readonly isPieces: boolean
}

/** What a file says, in one text: to compare it with. */
export const readingOf = (bytes: Uint8Array): string =>
  readingsOf(bytes)
    .map(({ text }) => text)
    .join('\n')

/** The first one is of all of it. */
export function readingsOf(bytes: Uint8Array): readonly Reading[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const plain = { text: buffer.toString(), isPieces: false }
  // Without a zero there is no letter of a token in UTF-16.
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
 * As many letters as the shortest token has, with a zero behind each but the last. Of big-endian text they are the
 * same.
 */
const widePiece = new RegExp(String.raw`(?:[\t\n\r -~]\0){15,65536}[\t\n\r -~]?`, 'g')

/** By its mark; or nearly every other byte of the beginning is zero, and hardly any of the others. */
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
