// `params` of a source text: each entry declares a parameter, or already is its value.

import type { Finding } from '../model/finding.ts'
import { isParamValue, paramNameAdvice, paramNamePattern, type ParamValue } from '../model/params.ts'
import { describeValue } from '../file/issues.ts'
import { regexProblem } from '../file/text-problems.ts'
import type { Path, YamlValue } from '../file/yaml.ts'
import { suggest } from '../text/nearest.ts'
import { valueProblem } from './param-value.ts'

export const paramTypes = ['string', 'number', 'boolean', 'choice', 'path', 'list'] as const
export type ParamType = (typeof paramTypes)[number]

export interface Declaration {
  readonly name: string
  readonly type: ParamType
  readonly description?: string
  readonly default?: ParamValue
  /** A JavaScript regular expression, flag `u`, that the whole value matches; for a list, each entry. */
  readonly pattern?: string
  readonly choices?: readonly string[]
  /** The file has the value itself. */
  readonly fixed?: ParamValue
}

export interface Declared {
  readonly declarations: readonly Declaration[]
  readonly findings: readonly Finding[]
}

const keys = ['type', 'description', 'default', 'pattern', 'choices']
const maxParams = 50

export function readDeclarations({ value, position }: Pick<YamlValue, 'value' | 'position'>): Declared {
  const params = isRecord(value) ? value['params'] : undefined
  if (params === undefined) return { declarations: [], findings: [] }
  const declarations: Declaration[] = []
  const findings: Finding[] = []
  const report = (path: Path, message: string, advice?: string): void => {
    findings.push({
      rule: 'bad-parameter',
      severity: 'error',
      message,
      ...position(path),
      ...(advice === undefined ? {} : { advice }),
    })
  }
  if (!isRecord(params)) {
    report(['params'], `\`params\` should be a map, not ${describeValue(params)}`)
    return { declarations, findings }
  }
  const entries = Object.entries(params)
  if (entries.length > maxParams) report(['params'], `a plan has at most ${maxParams} parameters`)
  for (const [name, entry] of entries.slice(0, maxParams)) {
    const at = ['params', name]
    if (!paramNamePattern.test(name))
      report(at, `${describeValue(name)} is not the name of a parameter`, paramNameAdvice)
    else if (isParamValue(entry)) declarations.push({ name, type: typeOf(entry), fixed: entry })
    else if (isRecord(entry)) {
      const declared = readDeclaration(name, entry, (path, message, advice) =>
        report([...at, ...path], message, advice),
      )
      if (declared !== undefined) declarations.push(declared)
    } else
      report(
        at,
        `the parameter ${name} is ${describeValue(entry)}`,
        'write its value, or a map such as `{ type: string, description: … }`',
      )
  }
  return { declarations, findings }
}

type Report = (path: Path, message: string, advice?: string) => void

function readDeclaration(name: string, entry: Record<string, unknown>, report: Report): Declaration | undefined {
  let isValid = true
  const refuse: Report = (...words) => {
    isValid = false
    report(...words)
  }
  for (const key of Object.keys(entry))
    if (!keys.includes(key)) refuse([key], `unknown key ${describeValue(key)} of a parameter`, suggest(key, keys))
  const { description, pattern, choices } = entry
  const type = (entry['type'] ?? (choices === undefined ? 'string' : 'choice')) as ParamType
  if (!paramTypes.includes(type))
    refuse(['type'], `\`type\` must be one of ${paramTypes.join(', ')}, not ${describeValue(entry['type'])}`)
  if (description !== undefined && typeof description !== 'string')
    refuse(['description'], `\`description\` should be text, not ${describeValue(description)}`)
  if (choices !== undefined && !isChoices(choices)) refuse(['choices'], '`choices` should be a list of texts')
  if ((type === 'choice') !== (choices !== undefined))
    refuse(
      choices === undefined ? ['type'] : ['choices'],
      choices === undefined ? 'a choice needs `choices`' : '`choices` goes with `type: choice`',
    )
  if (pattern !== undefined) {
    const problem =
      typeof pattern !== 'string'
        ? `\`pattern\` should be text, not ${describeValue(pattern)}`
        : ['string', 'path', 'list'].includes(type)
          ? regexProblem(pattern, 'u')
          : `\`pattern\` does not go with \`type: ${type}\``
    if (problem !== undefined) refuse(['pattern'], problem)
  }
  if (!isValid) return undefined
  const declared = {
    name,
    type,
    ...(description === undefined ? {} : { description: description as string }),
    ...(pattern === undefined ? {} : { pattern: pattern as string }),
    ...(choices === undefined ? {} : { choices: choices as string[] }),
  }
  if (entry['default'] === undefined) return declared
  const problem = valueProblem(declared, entry['default'])
  if (problem !== undefined) refuse(['default'], `the default of ${name} ${problem}`)
  return problem === undefined ? { ...declared, default: entry['default'] as ParamValue } : undefined
}

const typeOf = (value: ParamValue): ParamType =>
  Array.isArray(value) ? 'list' : (typeof value as 'string' | 'number' | 'boolean')

const isChoices = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
