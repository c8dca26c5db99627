// Finds secrets in a text, a file or a name: tokens, keys, passwords. The rules of secretlint come first, then ours,
// for what it does not know.

import { encodedRuns } from './base64.ts'
import { secretFile } from './file-names.ts'
import { isDrawn } from './plausible.ts'
import { readingsOf } from './readings.ts'
import type { Rule, Secret } from './rule.ts'
import { isAddress, isKeyBody, rules } from './rules.ts'
import type { Linted } from './secretlint.ts'
import { escaped, matchesOf, tokenShapes } from './tokens.ts'

export { secretFile } from './file-names.ts'
export { readingOf } from './readings.ts'
export type { Secret } from './rule.ts'

/**
 * A text is looked at piece by piece, so that no rule takes longer for a long one than its length says. No secret that
 * is found is longer than the overlap.
 */
const [pieceLength, overlap] = [40 * 1024, 8 * 1024]
/** No more are found in a file. */
export const mostSecrets = 1000

/** Each rule, of secretlint too, needs one of these: most texts have none, and nothing else is loaded for them. */
const words = String.raw`passw|passphrase|pwd|secret|token|credential|(?:api|access|private|encryption|signing|auth|account|client)[_-]?key|auth(?!ors?\b)|bearer|heroku|discord|twilio|cargo|crates|machine\s|hooks\.slack|webhook|-----BEGIN|PuTTY|:\/\/|:AA|eyJ|T3BlbkFJ|AKIA|ASIA`
const hint = new RegExp([words, ...tokenShapes.flatMap(({ prefixes }) => prefixes.map(escaped))].join('|'), 'i')

interface Found {
  readonly rule: string
  readonly says: string
  readonly value: string
  readonly from: number
}

/**
 * What is found stands in `value`, and in no message. A file that is one by its name is the first finding, with its
 * path as the value.
 */
export const findSecrets = (text: string, path: string): Promise<readonly Secret[]> =>
  findSecretsIn(Buffer.from(text), path)

/** The same for the bytes of a file, whatever its encoding is; at most `mostSecrets`. */
export async function findSecretsIn(bytes: Uint8Array, path: string): Promise<readonly Secret[]> {
  const readings = readingsOf(bytes)
  const reason = secretFile(path, Buffer.from(readings[0]?.text.slice(0, 8192) ?? '', 'latin1'))
  const found: Secret[] =
    reason === undefined
      ? []
      : [{ rule: 'file-name', message: `by its name it is ${reason}`, line: 1, column: 1, value: path }]
  for (const { text, isPieces } of readings) {
    // Where pieces were put together no line is one of the file.
    for (const each of await secretsIn(text, path, isPieces))
      found.push(isPieces ? { ...each, line: 1, column: 1 } : each)
  }
  return found.slice(0, mostSecrets)
}

/** Whether one of these names may be a secret itself, or hold one. */
export const mayBeSecrets = (names: readonly string[]): boolean =>
  names.some(
    (name) => (hint.test(name) && rules.some(({ pattern }) => holds(pattern, name))) || inBase64(name).length > 0,
  )

const holds = (pattern: RegExp, text: string): boolean =>
  matchesOf(pattern, text).some(({ 0: whole, groups }) => /[^A-Za-z_./-]/.test(groups?.['value'] ?? whole))

/** The first one in a name: a token or a key, and nothing that could be a word. */
export async function secretInName(name: string): Promise<Secret | undefined> {
  const [first] = await secretsIn(name, '', true)
  return first
}

/** `isPieces`: it is no text, but pieces of one. */
async function secretsIn(text: string, path: string, isPieces: boolean): Promise<readonly Secret[]> {
  const isBinary = isPieces || text.slice(0, 8192).includes('\0')
  const chosen = rules.filter(({ inBinary, notIn }) => (!isBinary || inBinary === true) && notIn?.test(path) !== true)
  const found: Found[] = []
  for (let [at, end] = [0, 0]; at < text.length && found.length < mostSecrets; at += pieceLength - overlap) {
    const piece = text.slice(at, at + pieceLength)
    const ours = hint.test(piece)
      ? [...(isBinary ? [] : await linted(piece, path)), ...chosen.flatMap((rule) => foundBy(rule, piece))]
      : []
    // Of those that overlap the first counts, and where they begin at one place the one whose rule came first.
    for (const each of [...ours, ...inBase64(piece)].toSorted((a, b) => a.from - b.from)) {
      const from = each.from + at
      if (from < end) continue
      found.push({ ...each, from })
      end = from + each.value.length
    }
    if (at + pieceLength >= text.length) break
  }
  return withPlaces(text, found)
}

async function linted(text: string, path: string): Promise<Found[]> {
  const { lintText } = await import('./secretlint.ts')
  return (await lintText(text, path))
    .filter(isPlausible)
    .map((each) => ({ ...each, from: Math.max(each.from, text.indexOf(each.value, each.from)) }))
}

const encodedRules = rules.filter(
  ({ inBinary, rule }) => inBinary === true || rule === 'url-password' || rule === 'registry-password',
)

/** What is decoded is looked at with the rules for what is no text, and stands in the text as it is encoded. */
const inBase64 = (text: string): Found[] =>
  encodedRuns(text, 'wrapped').flatMap(({ from, to, decoded }) => {
    const [first] = encodedRules.flatMap((rule) => foundBy(rule, decoded))
    return first === undefined ? [] : [{ ...first, says: `${first.says} in base64`, value: text.slice(from, to), from }]
  })

function foundBy({ rule, says, pattern, accept }: Rule, text: string): Found[] {
  return matchesOf(pattern, text).flatMap((match) => {
    const value = match.groups?.['value'] ?? match[0]
    if (accept?.(value, match) === false) return []
    return [{ rule, says, value, from: match.index + Math.max(0, match[0].lastIndexOf(value)) }]
  })
}

/** Its rules take some placeholders for secrets. */
function isPlausible({ rule, value }: Linted): boolean {
  if (rule === 'secretlint-privatekey') return isKeyBody(value.replace(/-----[A-Z ]+-----/g, ''))
  // `npm_config_…` is a variable.
  if (value.startsWith('npm_') && value.includes('_', 4)) return false
  if (value.includes('://')) return isAddress(value)
  return (
    value.length >= 10 &&
    !/\s/.test(value) &&
    isDrawn(value.replace(/^[A-Za-z]{2,6}[_.-](?:(?:pat|api|proj|ant)[_-])?/, ''))
  )
}

function withPlaces(text: string, found: readonly Found[]): Secret[] {
  let line = 1
  let lineStart = 0
  return found.map(({ rule, says, value, from }) => {
    for (let next = text.indexOf('\n', lineStart); next >= 0 && next < from; next = text.indexOf('\n', lineStart)) {
      line += 1
      lineStart = next + 1
    }
    return { rule, message: `it looks like ${says}`, line, column: from - lineStart + 1, value }
  })
}
