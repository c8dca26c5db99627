// Secrets within base64, as in Kubernetes manifests, CI variables and data URLs: found by the encoded form of their
// prefixes, then judged decoded.

import { escapeRegex, matchesOf, tokenShapes } from './tokens.ts'

/**
 * The characters of the base64 encoding that do not depend on the surrounding text: one form per position in a group of
 * three bytes, in both alphabets.
 */
export function base64Forms(text: string): readonly string[] {
  const bytes = Buffer.from(text)
  return [0, 1, 2].flatMap((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    const form = whole.slice([0, 2, 3][shift], Math.floor(((shift + bytes.length) * 8) / 6))
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

const beginnings = [
  'eyJ',
  'eyJhbGci',
  'eyJ0eXAi',
  '-----BEGIN ',
  '{"auths"',
  'postgres',
  'mysql:',
  'mariadb:',
  'mongodb',
  'redis',
  'amqp',
  'https:',
  'http:',
]
/** Shorter forms occur by chance. */
const shortest = 4

const begins = new RegExp(
  [...new Set([...beginnings, ...tokenShapes.flatMap(({ prefixes }) => prefixes)].flatMap(base64Forms))]
    .filter((form) => form.length >= shortest)
    .map(escapeRegex)
    .join('|'),
)

const runs = {
  line: /[A-Za-z0-9+/_-]{24,}={0,2}/g,
  wrapped: /[A-Za-z0-9+/_-]{24,}(?:\r?\n[ \t]*[A-Za-z0-9+/_-]+)*={0,2}/g,
}

export interface EncodedRun {
  readonly from: number
  readonly to: number
  /**
   * Decoded from each of its first four characters on, because text before the base64 may look like a part of it, such
   * as the directories of a path.
   */
  readonly decoded: string
}

/** Runs of text that may be secrets in base64. */
export function encodedRuns(text: string, breaks: keyof typeof runs): readonly EncodedRun[] {
  if (!begins.test(text)) return []
  return matchesOf(runs[breaks], text).flatMap(({ 0: run, index }) => {
    if (!begins.test(run)) return []
    const letters = run.replace(/\s+/g, '')
    const decoded = [0, 1, 2, 3].map((from) => Buffer.from(letters.slice(from), 'base64').toString('latin1')).join('\n')
    return [{ from: index, to: index + run.length, decoded }]
  })
}
