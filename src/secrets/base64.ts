// Secrets within base64, as manifests of Kubernetes, variables of CI and data URLs have them: found by how their
// beginnings look there, and judged decoded.

import { escaped, matchesOf, tokenShapes } from './tokens.ts'

/**
 * The characters that are the same whatever stands around the text: one form for each place in a group of three bytes,
 * in either alphabet.
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
/** Fewer characters are found by chance. */
const shortest = 4

const begins = new RegExp(
  [...new Set([...beginnings, ...tokenShapes.flatMap(({ prefixes }) => prefixes)].flatMap(base64Forms))]
    .filter((form) => form.length >= shortest)
    .map(escaped)
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
   * Decoded from each of its first four characters on: what stands before the base64 may look like it, such as the
   * directories of a path.
   */
  readonly decoded: string
}

/** What may be secrets in base64. */
export function encodedRuns(text: string, breaks: keyof typeof runs): readonly EncodedRun[] {
  if (!begins.test(text)) return []
  return matchesOf(runs[breaks], text).flatMap(({ 0: run, index }) => {
    if (!begins.test(run)) return []
    const letters = run.replace(/\s+/g, '')
    const decoded = [0, 1, 2, 3].map((from) => Buffer.from(letters.slice(from), 'base64').toString('latin1')).join('\n')
    return [{ from: index, to: index + run.length, decoded }]
  })
}
