// Judges the value of a parameter, and reads one that was typed on a command line.

import { describeValue } from '../file/issues.ts'
import type { ParamValue } from '../model/params.ts'
import { pathProblem } from '../text/repo-path.ts'
import { withinTime } from '../text/within-time.ts'
import type { Declaration } from './declarations.ts'

const maxValueLength = 64 * 1024
/** Limit for a pattern that may backtrack. */
const patienceMs = 1000

const typeNames: Readonly<Record<Declaration['type'], string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  choice: 'text',
  path: 'a path',
  list: 'a list of texts',
}

/** The problem, as the rest of a sentence about the value; undefined if there is none. */
export function valueProblem(declared: Omit<Declaration, 'default' | 'fixed'>, value: unknown): string | undefined {
  if (!hasType(declared.type, value))
    return `should be ${typeNames[declared.type]}, not ${describeValue(value)}${
      ['number', 'boolean'].includes(typeof value) && declared.type !== 'list' ? `: put it in quotes` : ''
    }`
  for (const text of Array.isArray(value) ? (value as string[]) : [value]) {
    if (typeof text !== 'string') continue
    if (text.length > maxValueLength) return `has more than ${maxValueLength} characters`
    if (/[\0\p{Cs}]/u.test(text)) return 'contains a NUL character or half a surrogate pair'
    if (declared.type === 'path' && pathProblem(text) !== undefined) return `is refused: ${pathProblem(text)}`
    if (declared.choices !== undefined && !declared.choices.includes(text))
      return `must be ${declared.choices.join(', ').replace(/, ([^,]*)$/, ' or $1')}, not ${describeValue(text)}`
    if (declared.pattern === undefined) continue
    const expression = new RegExp(`^(?:${declared.pattern})$`, 'u')
    const matches = withinTime(patienceMs, () => expression.test(text))
    if (matches === undefined) return `takes too long to compare with the pattern ${describeValue(declared.pattern)}`
    if (!matches) return `does not match ${describeValue(declared.pattern)}: ${describeValue(text)}`
  }
  return undefined
}

function hasType(type: Declaration['type'], value: unknown): boolean {
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value)
  if (type === 'boolean') return typeof value === 'boolean'
  if (type === 'list') return Array.isArray(value) && value.every((each) => typeof each === 'string')
  return typeof value === 'string'
}

/** The value that was typed. A list is given once per entry; one empty text is an empty list. */
export function readTyped({ type }: Declaration, texts: readonly string[]): ParamValue | undefined {
  if (type === 'list') return texts.length === 1 && texts[0] === '' ? [] : texts
  const text = texts[0]
  if (text === undefined || texts.length > 1) return undefined
  if (type === 'number') return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : text
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}
