// A private key that is in base64 as a whole, as `kubectl get secret` or `base64` print it: in one run, or in lines of one length.

import { base64Bytes } from '../secrets/base64-forms.ts'
import type { BlockRead } from './key-block.ts'

/** Where: in a run of base64, or before a line that may be its next one. */
export type InsideEncoded = 'run' | 'line'

const [newline, equals] = [10, 61]
/** As `base64` and `openssl` break lines. What is longer is one run, what is shorter is the last. */
const isFull = (length: number): boolean => length >= 60 && length <= 80
const line = /^[ \t|>]*(?<body>[A-Za-z0-9+/_-]{1,80}={0,2})[ \t\r]*$/
const beginning = /^[ \t|>]*[A-Za-z0-9+/_-]{0,80}={0,2}[ \t\r]*$/

/** Reads on from `from`. `isLast`: nothing follows the bytes. */
export function readEncoded(bytes: Buffer, from: number, inside: InsideEncoded, isLast: boolean): BlockRead<InsideEncoded> {
  const secrets: (readonly [number, number])[] = []
  let at = from
  if (inside === 'run') {
    while (at < bytes.length && (base64Bytes[bytes[at]!] === 1 || bytes[at] === equals)) at += 1
    if (at > from) secrets.push([from, at])
    if (at === bytes.length) return { secrets, to: at, inside: isLast ? undefined : 'run' }
    const start = bytes.lastIndexOf(newline, at - 1) + 1
    const end = bytes.indexOf(newline, at)
    const isLine = end >= 0 && bytes.toString('latin1', at, end).trim() === ''
    if (!isLine || !isFull(bytes.toString('latin1', start, at).trim().length)) return { secrets, to: at, inside: undefined }
    at = end + 1
  }
  for (;;) {
    const end = bytes.indexOf(newline, at)
    const text = bytes.toString('latin1', at, end < 0 ? Math.min(bytes.length, at + 200) : end)
    if (end < 0 && !isLast) return { secrets, to: at, inside: beginning.test(text) ? 'line' : undefined }
    const body = line.exec(text)?.groups?.['body']
    if (body === undefined) return { secrets, to: at, inside: undefined }
    const start = at + text.indexOf(body)
    secrets.push([start, start + body.length])
    if (end < 0 || !isFull(body.length)) return { secrets, to: start + body.length, inside: undefined }
    at = end + 1
  }
}
