// Finds secrets in a text, a file or a name: tokens, keys, passwords. secretlint's rules come first, then ours for what
// it does not cover.

import { encodedRuns } from './base64.ts'
import { secretFile } from './file-names.ts'
import { isRandom } from './plausible.ts'
import { readingsOf } from './readings.ts'
import type { Rule, Secret } from './rule.ts'
import { hasUrlPassword, isKeyBody, rules } from './rules.ts'
import type { Linted } from './secretlint.ts'
import { escapeRegex, matchesOf, tokenShapes } from './tokens.ts'

export { secretFile } from './file-names.ts'
export { readingOf } from './readings.ts'
export type { Secret } from './rule.ts'

/**
 * A text is searched in pieces, so that no rule is worse than linear in its length. No secret that is found is longer
 * than the overlap.
 */
const [pieceLength, overlap] = [40 * 1024, 8 * 1024]
/** Limit per file. */
export const mostSecrets = 1000

/** Every rule, including secretlint's, needs one of these words. Most texts have none, and then nothing is loaded. */
const words = String.raw`passw|passphrase|pwd|secret|token|credential|(?:api|access|private|encryption|signing|auth|account|client)[_-]?key|auth(?!ors?\b)|bearer|heroku|discord|twilio|cargo|crates|machine\s|hooks\.slack|webhook|-----BEGIN|PuTTY|:\/\/|:AA|eyJ|T3BlbkFJ|AKIA|ASIA`
const hint = new RegExp([words, ...tokenShapes.flatMap(({ prefixes }) => prefixes.map(escapeRegex))].join('|'), 'i')

interface Found {
  readonly rule: string
  readonly says: string
  readonly value: string
  readonly from: number
}

/**
 * The secret is in `value` and never in a message. If the file is a secret by its name, that is the first finding, with
 * the path as its value.
 */
export const findSecrets = (text: string, path: string): Promise<readonly Secret[]> =>
  findSecretsIn(Buffer.from(text), path)

/** The same for the bytes of a file in any encoding; at most `mostSecrets`. */
export async function findSecretsIn(bytes: Uint8Array, path: string): Promise<readonly Secret[]> {
  const readings = readingsOf(bytes)
  const reason = secretFile(path, Buffer.from(readings[0]?.text.slice(0, 8192) ?? '', 'latin1'))
  const found: Secret[] =
    reason === undefined
      ? []
      : [{ rule: 'file-name', message: `by its name it is ${reason}`, line: 1, column: 1, value: path }]
  for (const { text, isPieces } of readings) {
    // Pieces were joined, so line numbers do not apply to the file.
    for (const each of await secretsIn(text, path, isPieces))
      found.push(isPieces ? { ...each, line: 1, column: 1 } : each)
  }
  return found.slice(0, mostSecrets)
}

/** True if one of these names may be a secret or contain one. */
export const mayBeSecrets = (names: readonly string[]): boolean =>
  names.some(
    (name) =>
      (hint.test(name) && rules.some(({ pattern }) => matchesNonWord(pattern, name))) || inBase64(name).length > 0,
  )

const matchesNonWord = (pattern: RegExp, text: string): boolean =>
  matchesOf(pattern, text).some(({ 0: whole, groups }) => /[^A-Za-z_./-]/.test(groups?.['value'] ?? whole))

/** The first token or key in a name; rules that match ordinary words do not apply. */
export async function secretInName(name: string): Promise<Secret | undefined> {
  const [first] = await secretsIn(name, '', true)
  return first
}

/** `isPieces`: the text consists of pieces of a binary file. */
async function secretsIn(text: string, path: string, isPieces: boolean): Promise<readonly Secret[]> {
  const isBinary = isPieces || text.slice(0, 8192).includes('\0')
  const chosen = rules.filter(({ inBinary, notIn }) => (!isBinary || inBinary === true) && notIn?.test(path) !== true)
  const found: Found[] = []
  for (let [at, end] = [0, 0]; at < text.length && found.length < mostSecrets; at += pieceLength - overlap) {
    const piece = text.slice(at, at + pieceLength)
    const ours = hint.test(piece)
      ? [...(isBinary ? [] : await lintedSecrets(piece, path)), ...chosen.flatMap((rule) => foundBy(rule, piece))]
      : []
    // Of overlapping findings the first wins; at the same position, the one whose rule comes first.
    for (const each of [...ours, ...inBase64(piece)].toSorted((a, b) => a.from - b.from)) {
      const from = each.from + at
      if (from < end) continue
      found.push({ ...each, from })
      end = from + each.value.length
    }
    if (at + pieceLength >= text.length) break
  }
  return withPositions(text, found)
}

async function lintedSecrets(text: string, path: string): Promise<Found[]> {
  const { lintText } = await import('./secretlint.ts')
  return (await lintText(text, path))
    .filter(isPlausible)
    .map((each) => ({ ...each, from: Math.max(each.from, text.indexOf(each.value, each.from)) }))
}

const encodedRules = rules.filter(
  ({ inBinary, rule }) => inBinary === true || rule === 'url-password' || rule === 'registry-password',
)

/** Decoded text is judged with the rules for binary files; the finding is the encoded text. */
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

/** secretlint takes some placeholders for secrets. */
function isPlausible({ rule, value }: Linted): boolean {
  if (rule === 'secretlint-privatekey') return isKeyBody(value.replace(/-----[A-Z ]+-----/g, ''))
  // `npm_config_…` is a variable name.
  if (value.startsWith('npm_') && value.includes('_', 4)) return false
  if (value.includes('://')) return hasUrlPassword(value)
  return (
    value.length >= 10 &&
    !/\s/.test(value) &&
    isRandom(value.replace(/^[A-Za-z]{2,6}[_.-](?:(?:pat|api|proj|ant)[_-])?/, ''))
  )
}

function withPositions(text: string, found: readonly Found[]): Secret[] {
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
