// Tokens, passwords in addresses and credentials in headers, in bytes of which the end may not have come yet.

import { AnchorScan } from '../secrets/anchor-scan.ts'
import { base64Bytes, encodedRange } from '../secrets/base64-forms.ts'
import { byteSet } from '../secrets/byte-set.ts'
import { encodedForms, encodedIn, type Encoded } from '../secrets/encoded.ts'
import { tokenShapes, type TokenShape } from '../secrets/token-shapes.ts'

/** What is at a place: a secret; the beginning of something that may become one, which is not shown before that is known; the head of a block with a key. */
export type Mark =
  | {
      readonly kind: 'secret'
      readonly from: number
      readonly to: number
      /** It reaches the end, and more of these bytes are a part of it. */ readonly more?: Uint8Array
      /** It is all that follows of its bytes: what the same look finds within it ends there, too. */
      readonly isRun?: true
    }
  | { readonly kind: 'open'; readonly from: number }
  | { readonly kind: 'block'; readonly from: number }
  /** The same where all of it is in base64, and not only the key. */
  | { readonly kind: 'encoded'; readonly from: number; readonly to: number }

/** `isLast`: nothing follows the bytes. */
export type Look = (bytes: Buffer, at: number, isLast: boolean) => Mark | undefined

const runEnd = (bytes: Buffer, from: number, isIn: Uint8Array, most = Infinity): number => {
  let at = from
  while (at < bytes.length && at - from < most && isIn[bytes[at]!] === 1) at += 1
  return at
}

const wordBytes = byteSet('A-Za-z0-9_')

const endOfEscape = new RegExp(String.raw`\\[nrtbf]$|\\u[0-9a-f]{4}$|%[0-9a-f]{2}$|\x1b\[[\d;]*m$`, 'i')

/** Before a word is no letter and no digit, unless they end an escape such as `\n` or a colour of a terminal. */
function isWordStart(bytes: Buffer, at: number): boolean {
  if (at === 0 || wordBytes[bytes[at - 1]!] === 0) return true
  return endOfEscape.test(bytes.toString('latin1', Math.max(0, at - 16), at))
}

function lookForShape(shape: TokenShape): Look {
  const { least, isExact = false, isWord = false } = shape
  return (bytes, found, isLast) => {
    const isIn = byteSet(shape.of)
    for (const prefix of shape.prefixes) {
      // A short one is found by the byte before it.
      const at = prefix.length < 4 ? found + 1 : found
      const isThere = prefix.startsWith(bytes.toString('latin1', at, at + prefix.length))
      if (!isThere || (isWord && !isWordStart(bytes, at))) continue
      const start = at + prefix.length
      const end = start > bytes.length ? bytes.length : runEnd(bytes, start, isIn, isExact ? least + 1 : Infinity)
      const isOpen = end === bytes.length && !isLast
      const count = end - start
      if (isOpen && (count < least || (isExact && count === least))) return { kind: 'open', from: at }
      if (isExact ? count === least : count >= least) return { kind: 'secret', from: at, to: end, isRun: true, ...(isOpen ? { more: isIn } : {}) }
    }
    return undefined
  }
}

const jwtBytes = byteSet('A-Za-z0-9_.-')
const jwt = /^eyJ[\w-]{8,4096}\.eyJ[\w-]{4}/
const jwtStart = /^eyJ[\w-]{0,4096}(?:\.(?:e(?:y(?:J[\w-]{0,3})?)?)?)?$/

const lookForJwt: Look = (bytes, at, isLast) => {
  if (!isWordStart(bytes, at)) return undefined
  const head = runEnd(bytes, at, jwtBytes, 4200)
  const text = bytes.toString('latin1', at, head)
  if (!jwt.test(text)) return head === bytes.length && !isLast && jwtStart.test(text) ? { kind: 'open', from: at } : undefined
  const end = runEnd(bytes, head, jwtBytes)
  return { kind: 'secret', from: at, to: end, isRun: true, ...(end === bytes.length && !isLast ? { more: jwtBytes } : {}) }
}

const blanks = ' \t\r\n\v\f'
const userBytes = byteSet(`^:/@"'<>\\?#[]{}${blanks}`)
const passwordBytes = byteSet(`^/"'<>\\\`${blanks}`)
const [at, colon] = [64, 58]

/** In `scheme://user:password@host` the password, up to the last `@`. */
const lookForPassword: Look = (bytes, found, isLast) => {
  const user = runEnd(bytes, found + 4, userBytes, 256)
  if (bytes[user] !== colon) return undefined
  const from = user + 1
  const end = runEnd(bytes, from, passwordBytes, 512)
  if (end === bytes.length && !isLast) return { kind: 'open', from }
  const to = from + bytes.subarray(from, end).lastIndexOf(at)
  return to > from && !/^[*x]*$/.test(bytes.toString('latin1', from, to)) ? { kind: 'secret', from, to } : undefined
}

const credentialBytes = byteSet('A-Za-z0-9._~+/=-')
const header = /^authorization["'\]]{0,3}[ \t]{0,4}[:=,][ \t]{0,4}[["'`b]{0,3}(?:bearer|basic|token)[ \t]{1,4}/i

/** A word in lower case is one of a sentence about it. */
const lookForCredentials: Look = (bytes, found, isLast) => {
  const [head] = header.exec(bytes.toString('latin1', found, found + 48)) ?? []
  if (head === undefined) return undefined
  const from = found + head.length
  const end = runEnd(bytes, from, credentialBytes)
  const isOpen = end === bytes.length && !isLast
  if (end - from >= 8 && /[A-Z0-9=]/.test(bytes.toString('latin1', from, Math.min(end, from + 64)))) {
    return { kind: 'secret', from, to: end, ...(isOpen ? { more: credentialBytes } : {}) }
  }
  return isOpen && end - from < 64 ? { kind: 'open', from } : undefined
}

const keyHead = /^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/

const lookForBlock: Look = (bytes, found) => {
  const from = found - 4
  const [head] = from < 0 ? [] : (keyHead.exec(bytes.toString('latin1', from, from + 80)) ?? [])
  return head === undefined ? undefined : { kind: 'block', from: from + head.length }
}

function lookForEncoded(encoded: Encoded): Look {
  return (bytes, at, isLast) => {
    const found = encodedIn(bytes, at, encoded)
    if (found === undefined) return undefined
    const [start, end] = encodedRange(encoded.form, found.length)
    const from = at + start
    if (found.length === 0) return isLast ? undefined : { kind: 'open', from }
    if (encoded.isKey === true) return { kind: 'encoded', from, to: runEnd(bytes, at, base64Bytes) }
    // Its last character may hold a part of what follows it, too.
    const to = found.isOpen ? runEnd(bytes, at, base64Bytes) : Math.min(bytes.length, at + end)
    return { kind: 'secret', from, to, isRun: true, ...(to === bytes.length && !isLast ? { more: base64Bytes } : {}) }
  }
}

/** An address that is a part of another one. */
const encodedAddress = /^%3A%2F%2F(?:[\w.~!*+-]|%(?!3A|40|2F|3F|23)[0-9A-F]{2}){0,256}%3A((?:[\w.~!*+-]|%(?!40|2F)[0-9A-F]{2}){1,512})%40/i
const percentBytes = byteSet('A-Za-z0-9_.~!*+%-')

const lookForEncodedPassword: Look = (bytes, at, isLast) => {
  const end = runEnd(bytes, at, percentBytes, 1200)
  const found = encodedAddress.exec(bytes.toString('latin1', at, end))
  if (found === null) return end === bytes.length && !isLast ? { kind: 'open', from: at } : undefined
  const to = at + found[0].length - '%40'.length
  return { kind: 'secret', from: to - (found[1]?.length ?? 0), to }
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'.split('')
export const tokenAnchors = (): readonly (readonly [string, Look])[] => [
  ...tokenShapes.flatMap((shape) => {
    const look = lookForShape(shape)
    return shape.prefixes.map((text): [string, Look] => [text, look])
  }),
  ...[...letters, '_', '-'].map((letter): [string, Look] => [`eyj${letter}`, lookForJwt]),
  ...[...letters, '+', '.', '-'].map((letter): [string, Look] => [`${letter}://`, lookForPassword]),
  ['%3a%2f%2f', lookForEncodedPassword],
  ...encodedForms().map((each): [string, Look] => [each.form.text, lookForEncoded(each)]),
  ['authorization', lookForCredentials],
  // The last of the dashes: lines of nothing but dashes are many.
  ['-BEGIN ', lookForBlock],
]

let scan: AnchorScan<Look> | undefined
/** For output of which no value is known. */
export const tokenScan = (): AnchorScan<Look> => (scan ??= new AnchorScan(tokenAnchors()))

const wordPrefixes = tokenShapes.filter(({ isWord }) => isWord === true).flatMap(({ prefixes }) => prefixes)
const beginnings = (prefixes: readonly string[]): ReadonlySet<string> => new Set(prefixes.flatMap((prefix) => [prefix.slice(0, 2), prefix.slice(0, 3)]))
const plainBeginnings = beginnings(tokenShapes.filter(({ isWord }) => isWord !== true).flatMap(({ prefixes }) => prefixes))
const wordBeginnings = beginnings([...wordPrefixes, 'eyJ'])

const prefixBytes = byteSet('A-Za-z0-9_.-')

/** Whether the last two or three bytes are those of a token, and from where. One alone is shown: too many texts end like that, and wait for an answer. */
export function tokenTail(bytes: Buffer): number | undefined {
  // Most texts end with a line.
  if (prefixBytes[bytes[bytes.length - 1]!] === 0) return undefined
  for (const size of [3, 2]) {
    const from = bytes.length - size
    const tail = from < 0 ? '' : bytes.toString('latin1', from)
    if (plainBeginnings.has(tail) || (wordBeginnings.has(tail) && isWordStart(bytes, from))) return from
  }
  return undefined
}
