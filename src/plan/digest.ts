// What is approved: the bytes of the file without the executor's tail.

import { createHash } from 'node:crypto'

export interface Tail {
  /** Offset of the line `status:`. */
  readonly start: number
  /** Offset of the closing fence. */
  readonly end: number
}

/** SHA-256, hexadecimal, of the UTF-8 bytes of the text without the tail. The offsets are in characters, as the parser gives them. */
export function digestOf(text: string, tail: Tail | undefined): string {
  const hash = createHash('sha256')
  if (!tail) return hash.update(text, 'utf8').digest('hex')
  return hash.update(text.slice(0, tail.start), 'utf8').update(text.slice(tail.end), 'utf8').digest('hex')
}
