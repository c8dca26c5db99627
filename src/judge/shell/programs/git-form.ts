// One form of a git subcommand: its options, and values that no option may have.

import type { Given } from '../options.ts'
import { excerpt, type Problem, type Rule } from '../verdict.ts'
import { withOptions } from './flagged.ts'

/** `%G…` and `%(signature…)` run gpg. */
const judgeFormat = ({ options }: Given): Problem => {
  const found = options.find(
    ({ name, value }) =>
      /^--(format|pretty)$/.test(name) &&
      /%[+\- ]?G|%\(\*?signature|%\(describe/i.test(value?.literal ?? (value === undefined ? '' : '%G')),
  )
  return found === undefined ? undefined : `${excerpt(found.value?.text ?? '')} may run gpg`
}

/** Words after `--` are paths. One that looks like an option is a mistake. */
const judgePaths = ({ operands, afterDashes }: Given): Problem => {
  const found = operands.slice(operands.length - afterDashes).find(({ literal }) => literal?.startsWith('-') === true)
  return found === undefined ? undefined : `${excerpt(found.text)} looks like an option`
}

export const has = ({ options }: Given, ...names: readonly string[]): boolean =>
  options.some(({ name }) => names.includes(name))

export const form = (usage: string, operands = Infinity, also?: (given: Given) => Problem): Rule =>
  withOptions(usage, {
    operands,
    isOrdered: operands < Infinity || also !== undefined,
    also: (given) => judgePaths(given) ?? judgeFormat(given) ?? also?.(given),
  })
