// Recognises a private key in output line by line: after its first line, as long as the lines look like a part of a
// key.

/** Base64 longer than any word, also after a log prefix. */
const body = /(?=[A-Za-z0-9+/=]{0,80}[a-z])(?=[A-Za-z0-9+/=]{0,80}[A-Z])(?=[A-Za-z0-9+/=]{0,80}\d)[A-Za-z0-9+/=]{40}/
const heading = /^[\s|>]*(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset)\s*:/
const blank = /^[\s|>"'+\\,;)]*$/
/** The last line is shorter than the others, and a checksum may follow it. */
const short = /^[\s|>"'+]*[A-Za-z0-9+/=]{1,76}(?:\\n)?[\s"'+,;\\]*$/
const sum = /^\s*=[A-Za-z0-9+/]{4}\s*$/
/**
 * A line of a key that is in base64 as a whole. `base64` and `openssl` wrap at 64 or 76; a shorter line is the last.
 */
const encoded = /^[ \t|>]*(?<line>[A-Za-z0-9+/_-]{1,80}={0,2})\s*$/
const isFull = (length: number): boolean => length >= 60 && length <= 80

export const hasKeyBody = (text: string): boolean => body.test(text)

/** Position within a key: before its body, in it, after its last line; or in a key that is in base64 as a whole. */
export type Inside = 'head' | 'body' | 'last' | 'base64'

/** The position after a line with the head of a key in base64. */
export const insideEncoded = (line: string): Inside | undefined =>
  isFull(encoded.exec(line)?.groups?.['line']?.length ?? 0) ? 'base64' : undefined

export interface KeyLine {
  /** End of the secret part of the line. */
  readonly end: number
  readonly inside: Inside | undefined
}

/** undefined: the line is not a part of the key. */
export function keyLine(line: string, inside: Inside): KeyLine | undefined {
  if (inside === 'base64') return encoded.test(line) ? { end: line.length, inside: insideEncoded(line) } : undefined
  const end = line.indexOf('-----END')
  if (end >= 0)
    return {
      end: blank.test(line.slice(0, end)) || (inside === 'head' && !body.test(line.slice(0, end))) ? 0 : end,
      inside: undefined,
    }
  if (blank.test(line)) return { end: 0, inside }
  const next = after(line, inside)
  return next === undefined ? undefined : { end: line.length, inside: next }
}

function after(line: string, inside: Inside): Inside | undefined {
  if (inside === 'last') return sum.test(line) ? 'last' : undefined
  if (body.test(line)) return 'body'
  if (inside === 'body') return short.test(line) ? 'last' : undefined
  return heading.test(line) ? 'head' : undefined
}
