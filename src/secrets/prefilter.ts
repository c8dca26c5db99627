// Where a secret may be: a text that every secret of a kind has in it, and a look at what follows. Where nothing is found here no rule finds anything, so none is
// loaded. A rule that is made wider is made wider here, too; the tests hold it against every rule.

import { AnchorScan, isAt } from './anchor-scan.ts'
import { byteSet } from './byte-set.ts'
import { encodedForms, isEncodedAt } from './encoded.ts'
import { tokenShapes } from './token-shapes.ts'

/** Says whether there may be a secret, given the place behind the text. */
type Follow = (bytes: Uint8Array, at: number) => boolean

const blanks = ' \t\r\n\v\f'
const tokenBytes = byteSet('A-Za-z0-9_+/=.~%@-')
const nameBytes = byteSet('A-Za-z0-9_.-')
const quoteBytes = byteSet('"\'`\\]>')
const operatorBytes = byteSet(':=>')
const typeBytes = byteSet(`A-Za-z0-9_<>|.[]?${blanks}`)
/** `r"…"`, `b'…'` */
const literalBytes = byteSet('rbfuLR@"\'`\\')
/** The bytes of what is not ASCII count as blank, too: some of it is. */
const blankBytes = byteSet(`${blanks}\x80-\xff`)
const [atSign, colon, equals, greater, slash] = [64, 58, 61, 62, 47]

function skip(bytes: Uint8Array, from: number, isIn: Uint8Array, most = Infinity): number {
  let index = from
  while (index < bytes.length && index - from < most && isIn[bytes[index]!] === 1) index += 1
  return index
}

const always: Follow = () => true

const atLeast =
  (count: number): Follow =>
  (bytes, from) =>
    skip(bytes, from, tokenBytes, count) - from === count

/** `user:password@`, up to the first blank or slash. */
const isWithPassword: Follow = (bytes, from) => {
  let hasColon = false
  for (let index = from; index < Math.min(bytes.length, from + 600); index += 1) {
    const byte = bytes[index]!
    if (byte === atSign && hasColon) return true
    if (byte === colon) hasColon = true
    if (byte <= 32 || byte === slash) return false
  }
  return false
}

/** A colon, a quote and a text without blanks. */
const isQuoted: Follow = (bytes, from) => {
  const at = skip(bytes, skip(bytes, skip(bytes, from, blankBytes), operatorBytes, 1), blankBytes)
  return quoteBytes[bytes[at]!] === 1 && atLeast(12)(bytes, at + 1)
}

/** The rest of a name, `:`, `=`, `=>`, `:=` or `>`, and a value that is no plain word. The type of a variable may stand between. */
const isAssigned: Follow = (bytes, from) => {
  let index = skip(bytes, skip(bytes, skip(bytes, from, nameBytes, 40), quoteBytes, 3), blankBytes)
  if (bytes[index] !== colon && bytes[index] !== equals && bytes[index - 1] !== greater) return false
  index = skip(bytes, skip(bytes, index, operatorBytes, 3), blankBytes)
  if (isValue(bytes, index)) return true
  const behind = skip(bytes, index, typeBytes, 60)
  return bytes[behind] === equals && isValue(bytes, skip(bytes, behind + 1, blankBytes))
}

/** Eight characters or more, with a digit or of three kinds. */
function isValue(bytes: Uint8Array, from: number): boolean {
  const start = skip(bytes, from, literalBytes, 4)
  let kinds = 0
  let index = start
  for (; index < bytes.length && index - start < 600; index += 1) {
    const byte = bytes[index]!
    if (byte <= 32 || byte === 34 || byte === 39 || byte === 96 || byte === 60) break
    kinds |= byte >= 48 && byte <= 57 ? 8 : byte >= 97 && byte <= 122 ? 1 : byte >= 65 && byte <= 90 ? 2 : 4
  }
  // What was skipped may have been a part of it.
  return index - from >= 8 && (kinds >= 7 || index - start >= 600)
}

/** A blank, and something that is no word. */
const isSpokenTo: Follow = (bytes, from) => {
  const start = skip(bytes, from, blankBytes)
  return start > from && atLeast(12)(bytes, start) && isMixed(bytes, start)
}

function isMixed(bytes: Uint8Array, from: number): boolean {
  const end = skip(bytes, from, tokenBytes, 600)
  for (let index = from + 1; index < end; index += 1) if (bytes[index]! > 47 && bytes[index]! < 91) return true
  return false
}

const isNetrc: Follow = (bytes, from) => {
  for (let index = from; index < Math.min(bytes.length, from + 1200); index += 1) if (isAt(bytes, 'password', index)) return true
  return false
}

/** A word that says whose token it is, and something long behind it. */
const isNear: Follow = (bytes, from) => {
  const end = Math.min(bytes.length, from + 100)
  for (let index = from; index <= end; index += 1) if (tokenBytes[bytes[index]!] === 1 && atLeast(30)(bytes, index)) return true
  return false
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789_-'
const assigned =
  'passw passphrase secret token credential api_key api-key apikey access_key access-key accesskey private_key private-key privatekey encryption_key encryption-key encryptionkey signing_key signing-key signingkey auth_key auth-key authkey account_key account-key accountkey client-key-data _auth heroku'
const texts: readonly (readonly [Follow, readonly string[]])[] = [
  [isAssigned, assigned.split(' ')],
  // Three letters, and what may follow them.
  [(bytes, from) => isAssigned(bytes, from - 1), ' \t\r\n"\'`:=\\]>0123456789'.split('').map((next) => `pwd${next}`)],
  [isWithPassword, 'abcdefghijklmnopqrstuvwxyz0123456789+.-'.split('').map((letter) => `${letter}://`)],
  [isSpokenTo, ['bearer', 'basic']],
  [isQuoted, ['"auth"']],
  [isNetrc, ['machine']],
  [atLeast(30), '0123456789'.split('').map((digit) => `${digit}:aa`)],
  [atLeast(20), letters.split('').map((letter) => `eyj${letter}`)],
  [isNear, ['discord', 'twilio', 'cargo', 'crates']],
  [atLeast(20), ['t3blbkfj', 'hooks.slack.com/', 'discord.com/api/webhooks/', 'discordapp.com/api/webhooks/', 'webhook.office.com/']],
  [atLeast(3), ['xoxb-', 'xoxp-', 'xapp-', 'xoxa-', 'xoxo-', 'xoxr-']],
  [atLeast(16), ['akia', 'asia']],
  [always, ['-----begin', 'putty-user-key-file-', 'x-oauth-basic@']],
]

interface Anchor {
  readonly text: string
  readonly follow: Follow
}

let scan: AnchorScan<Anchor> | undefined

function anchors(): AnchorScan<Anchor> {
  const ofTexts = texts.flatMap(([follow, each]) => each.map((text): [string, Anchor] => [text, { text, follow }]))
  const ofShapes = tokenShapes.flatMap(({ prefixes, least }) => prefixes.map((text): [string, Anchor] => [text, { text, follow: atLeast(least) }]))
  const inBase64 = encodedForms().map((each): [string, Anchor] => {
    const { text } = each.form
    return [text, { text, follow: (bytes, behind) => isEncodedAt(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), behind - text.length, each) }]
  })
  return new AnchorScan([...ofTexts, ...ofShapes, ...inBase64])
}

/** Short prefixes are found by the byte before them; nothing is before the first. */
const isAtStart = (bytes: Uint8Array): boolean =>
  tokenShapes.some(({ prefixes, least }) => prefixes.some((prefix) => prefix.length < 4 && isAt(bytes, prefix, 0) && atLeast(least)(bytes, prefix.length)))

/** The first place at or after `from` where a secret may begin, or be given to a name; -1: there is none. */
export function nextPlace(bytes: Uint8Array, from: number): number {
  scan ??= anchors()
  if (from === 0 && isAtStart(bytes)) return 0
  for (let found = scan.next(bytes, from); found >= 0; found = scan.next(bytes, found + 1)) {
    const at = found
    const isHere = ({ text, follow }: Anchor): boolean => {
      const from = text.length < 4 ? at + 1 : at
      return isAt(bytes, text, from) && follow(bytes, from + text.length)
    }
    if (scan.at(bytes, at)?.some(isHere) === true) return at
  }
  return -1
}
