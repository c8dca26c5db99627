// Converts zod issues to findings in our own words, with their positions in the file.

import type * as z from 'zod/mini'
import { checkKinds } from '../model/check-kinds.ts'
import { durationAdvice, idAdvice, sizeAdvice } from './text-problems.ts'
import { escapeForTerminal } from '../text/display.ts'
import type { Finding } from '../model/finding.ts'
import { textEditShape } from '../model/text-edit.ts'
import { suggest, type Synonyms } from '../text/nearest.ts'
import type { FindPosition, Path } from './yaml.ts'

type Issue = z.core.$ZodIssue

export interface IssueContext {
  /** The value that was validated. */
  readonly value: unknown
  /** Path of that value within the file. */
  readonly at: Path
  readonly position: FindPosition
  /** Keys known at `at`, for suggestions. zod names the keys below it. */
  readonly known: readonly string[]
  /** Other words for those keys. */
  readonly synonyms?: Synonyms
}

export const issuesToFindings = (issues: readonly Issue[], context: IssueContext): Finding[] =>
  relevantIssues(issues).flatMap((issue) => toFindings(issue, [], context))

/**
 * Drops the complaint about a missing key where a key is misspelt, since the misspelling explains it. Limited to 100
 * issues: a hostile file has many.
 */
function relevantIssues(issues: readonly Issue[]): Issue[] {
  const misspelt = new Set(
    issues.filter((issue) => issue.code === 'unrecognized_keys').map((issue) => issue.path.join('/')),
  )
  return issues.filter((issue) => issue.code !== 'custom' || !misspelt.has(issue.path.join('/'))).slice(0, 100)
}

const expectedNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'a map',
  record: 'a map',
}

/** YAML reads an unquoted `true` or `12` as a boolean or a number. */
const quotingAdvice = (expected: string, value: unknown): string | undefined =>
  expected === 'string' && ['boolean', 'number'].includes(typeof value)
    ? `put it in quotes: '${String(value)}'`
    : undefined

function toFindings(issue: Issue, prefix: Path, context: IssueContext): Finding[] {
  const path = [...prefix, ...(issue.path as (string | number)[])]
  const whole = [...context.at, ...path]
  const found = (rule: string, message: string, advice?: string, where = context.position(whole)): Finding[] => [
    { rule, severity: 'error', message, ...where, ...(advice ? { advice } : {}) },
  ]
  const name = nameOf(whole)
  const value = valueAt(context.value, path)
  const advice = adviceFor(whole)

  if (issue.code === 'unrecognized_keys') {
    const known = path.length === 0 ? context.known : knownBelow(path)
    return issue.keys
      .slice(0, 50)
      .flatMap((key) =>
        found(
          'unknown-key',
          `unknown key ${quoted(key)}`,
          known.length > 0 ? suggest(key, known, path.length === 0 ? context.synonyms : undefined) : undefined,
          context.position([...whole, key], { key: true }),
        ),
      )
  }
  if (value === undefined && issue.code !== 'custom') return found('missing-key', `${name} is missing`, advice)
  switch (issue.code) {
    case 'invalid_type':
      return found(
        'wrong-type',
        `${name} should be ${expectedNames[issue.expected] ?? issue.expected}, not ${describeValue(value)}`,
        advice ?? quotingAdvice(issue.expected, value),
      )
    case 'invalid_value':
      return found(
        'bad-value',
        `${name} must be ${oneOf(issue.values)}, not ${describeValue(value)}`,
        typeof value === 'string' ? suggest(value, issue.values.map(String)) : advice,
      )
    case 'too_big':
      if (nameOf(whole) === '`steps`')
        return found(
          'too-large',
          `a plan has at most ${issue.maximum} steps`,
          'split the plan',
          context.position(whole, { key: true }),
        )
      return found('bad-value', `${name} is over the limit of ${issue.maximum}`, advice)
    case 'too_small':
      return found(
        'bad-value',
        issue.origin === 'number' || issue.origin === 'int'
          ? `${name} is under the minimum of ${issue.minimum}`
          : `${name} is empty`,
        advice,
      )
    case 'invalid_union':
      return fromUnion(issue, path, context, () =>
        found('wrong-type', `${name} cannot be ${describeValue(value)}${formsOf(issue.errors)}`, advice),
      )
    default:
      return found('bad-value', `${name}: ${issue.message}`, advice)
  }
}

/**
 * Reports the form that the author most likely meant: the right type at the top and the fewest issues. If no form has
 * the right type, one finding says so.
 */
function fromUnion(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  path: Path,
  context: IssueContext,
  otherwise: () => Finding[],
): Finding[] {
  const meant = issue.errors.filter(
    (issues) =>
      !issues.some(
        (inner) => inner.path.length === 0 && (inner.code === 'invalid_type' || inner.code === 'invalid_value'),
      ),
  )
  const best = meant.toSorted((a, b) => a.length - b.length)[0]
  return best ? relevantIssues(best).flatMap((inner) => toFindings(inner, path, context)) : otherwise()
}

function formsOf(errors: readonly (readonly Issue[])[]): string {
  const forms = new Set<string>()
  for (const [first] of errors) {
    if (first?.code === 'invalid_type') forms.add(expectedNames[first.expected] ?? first.expected)
    if (first?.code === 'invalid_value') forms.add(oneOf(first.values))
  }
  return forms.size > 0 ? `; it should be ${[...forms].join(' or ')}` : ''
}

const oneOf = (values: readonly unknown[]): string =>
  values
    .map(String)
    .join(', ')
    .replace(/, ([^,]*)$/, ' or $1')

function knownBelow(path: Path): readonly string[] {
  switch (path.findLast((part) => typeof part === 'string')) {
    case 'limits':
      return ['memory', 'cpu', 'output']
    case 'contains':
    case 'lacks':
      return ['file', 'pattern']
    case 'verify':
      return checkKinds
    case 'test':
      return ['run', 'scope', 'format', 'report']
    case 'dependency':
      return ['name', 'in']
    case 'size':
      return ['file', 'min', 'max']
    case 'count':
      return ['files', 'file', 'pattern', 'exactly', 'min', 'max']
    case 'criteria':
      return ['text', 'verify']
    case 'refactor':
      return ['pattern', 'rewrite', 'language', 'rule', 'codemod', 'over', 'expect']
    case 'edits':
      return ['file', ...Object.keys(textEditShape)]
    default:
      return []
  }
}

function adviceFor(path: Path): string | undefined {
  switch (path.findLast((part) => typeof part === 'string')) {
    case 'timeout':
    case 'cpu':
      return durationAdvice
    case 'memory':
    case 'output':
      return sizeAdvice
    case 'id':
    case 'plan':
    case 'needs':
      return idAdvice
    case 'retries':
      return 'write a whole number from 0 to 10'
    case 'steps':
      return 'a plan has a list of steps, such as `- run: npm test`'
    default:
      return undefined
  }
}

/** Name of the key at the end of a path, with the entry number if the path ends in a list. */
function nameOf(path: Path): string {
  const last = path.findLastIndex((part) => typeof part === 'string')
  if (last < 0) return 'the value'
  const entry = path[last + 1]
  return typeof entry === 'number' ? `entry ${entry + 1} of ${quoted(String(path[last]))}` : quoted(String(path[last]))
}

const quoted = (text: string): string => `\`${escapeForTerminal(text.length > 60 ? `${text.slice(0, 60)}…` : text)}\``

export function describeValue(value: unknown): string {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'object') return 'a map'
  if (typeof value === 'number') return `the number ${value}`
  return typeof value === 'boolean' ? String(value) : typeof value
}

function valueAt(value: unknown, path: Path): unknown {
  let current = value
  for (const part of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, part)) return undefined
    current = (current as Record<string | number, unknown>)[part]
  }
  return current
}
