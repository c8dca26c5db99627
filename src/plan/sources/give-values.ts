// Gives each declared parameter its value: the one that was given, or else its default.

import type { Finding } from '../model/finding.ts'
import type { Params, ParamValue } from '../model/params.ts'
import { suggest } from '../text/nearest.ts'
import type { Declaration } from './declarations.ts'
import { readTyped, valueProblem } from './param-value.ts'

/** Texts were typed on a command line, and are read by the type of the parameter; a value comes from `with`. */
export type GivenValue = { readonly texts: readonly string[] } | { readonly value: unknown }
export type Given = ReadonlyMap<string, GivenValue>

export interface GivenParams {
  readonly values: Params
  readonly missing: readonly Declaration[]
  readonly problems: readonly ParamProblem[]
}

export interface ParamProblem extends Pick<Finding, 'rule' | 'message' | 'advice'> {
  readonly name: string
}

export function giveValues(declarations: readonly Declaration[], given: Given): GivenParams {
  const names = declarations.map(({ name }) => name)
  const problems: ParamProblem[] = [...given.keys()]
    .filter((name) => !names.includes(name))
    .map((name) => ({
      rule: 'unknown-parameter',
      name,
      message: `there is no parameter ${JSON.stringify(name.slice(0, 60))}`,
      advice: names.length === 0 ? 'the plan has no parameters' : suggest(name, names),
    }))
  const missing: Declaration[] = []
  const values: [string, ParamValue][] = []
  for (const declared of declarations) {
    const { name, fixed } = declared
    const gave = given.get(name)
    const value = gave === undefined ? (fixed ?? declared.default) : readGiven(declared, gave)
    if (value === undefined && gave === undefined) missing.push(declared)
    else if (gave !== undefined && fixed !== undefined)
      problems.push({
        rule: 'bad-parameter',
        name,
        message: `the parameter ${name} has a fixed value`,
        advice: 'change it in the file',
      })
    else {
      const problem = value === undefined ? 'was given more than once' : valueProblem(declared, value)
      if (problem !== undefined)
        problems.push({ rule: 'bad-parameter', name, message: `the parameter ${name} ${problem}` })
      else values.push([name, value as ParamValue])
    }
  }
  return { values: Object.fromEntries(values), missing, problems }
}

const readGiven = (declared: Declaration, given: GivenValue): unknown =>
  'texts' in given ? readTyped(declared, given.texts) : given.value

/** `package: the package to upgrade`. */
export const describeParam = ({ name, description }: Declaration): string =>
  description === undefined ? name : `${name}: ${description}`
