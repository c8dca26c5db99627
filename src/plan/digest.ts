// What is approved: the bytes of the file without the executor's tail.

import { createHash } from 'node:crypto'
import { sha256 } from './sha256.ts'

export interface Tail {
  /** Offset of the line `status:`. */
  readonly start: number
  /** Offset of the closing fence. */
  readonly end: number
}

/** Where `node:crypto` is not loaded yet, a few short texts are done without it. */
const shortBytes = 4096
const few = 20
let made = 0

/** SHA-256, hexadecimal, of the UTF-8 bytes of the text without the tail. The offsets are in characters, as the parser gives them. */
export function digestOf(text: string, tail: Tail | undefined): string {
  const parts = tail === undefined ? [text] : [text.slice(0, tail.start), text.slice(tail.end)]
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part, 'utf8')))
  made += 1
  return bytes.length <= shortBytes && made <= few ? sha256(bytes) : createHash('sha256').update(bytes).digest('hex')
}
