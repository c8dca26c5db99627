// The digest that an approval is bound to: the bytes of the file without its status block.

import { createHash } from 'node:crypto'

export interface Tail {
  /** Offset of the line `status:`. */
  readonly start: number
  /** Offset of the closing fence. */
  readonly end: number
}

/**
 * SHA-256 in hexadecimal of the UTF-8 bytes of the text without the status block. Offsets are in characters, as the
 * parser gives them.
 */
export function digestOf(text: string, tail?: Tail): string {
  const parts = tail === undefined ? [text] : [text.slice(0, tail.start), text.slice(tail.end)]
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part, 'utf8')
  return hash.digest('hex')
}
