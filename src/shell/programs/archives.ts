// Archives: a list of what is in them, and nothing else.

import type { Argument } from '../argument.ts'
import { options, readOptions } from '../options.ts'
import { firstProblem, excerpt, type Problem, type Rule } from '../verdict.ts'
import { withOptions } from './flagged.ts'

const tarOptions = options(
  '-tvzjJa -f= --list --verbose --file= --gzip --bzip2 --xz --zstd --auto-compress --wildcards --strip-components= --full-time --numeric-owner',
)

const tar: Rule = (args) => {
  const [first, ...rest] = args
  // `tar tf x`: letters without a dash, in the first word only.
  const isOldStyle = /^[tvzjJ]*f?$/.test(first?.literal ?? '-') && first?.literal?.includes('t') === true
  const words: readonly Argument[] =
    isOldStyle && first !== undefined
      ? [{ ...first, literal: `-${first.literal}`, prefix: `-${first.literal}` }, ...rest]
      : args
  if (words[0]?.literal?.startsWith('-') !== true) return `${excerpt(first?.text ?? '')} is not known to only read`
  const { problem, options: given, operands } = readOptions(tarOptions, words)
  if (problem !== undefined) return problem
  if (
    !/^-(-list$|[a-zA-Z]*t)/.test(words[0]?.literal ?? '') ||
    !given.some(({ name }) => name === '-t' || name === '--list')
  )
    return 'only a list (-t) is known to only read'
  const files = given.filter(({ name }) => name === '-f' || name === '--file')
  return firstProblem(files, ({ value }) => remote(value)) ?? odd(operands)
}

/** `host:file` is fetched by a program. */
const remote = (file: Argument | undefined): Problem =>
  file === undefined || (file.literal !== undefined && !file.literal.includes(':'))
    ? undefined
    : `${excerpt(file.text)} may be on another machine`

const odd = (operands: readonly Argument[]): Problem => {
  const found = operands.find(({ literal }) => literal === undefined || literal.startsWith('-'))
  return found === undefined ? undefined : `${excerpt(found.text)} may become an option`
}

/** The first word says that nothing is written: one that stands behind a file is a file to some. */
const needs =
  (letters: string, rule: Rule): Rule =>
  (args, judge) =>
    new RegExp(`^-[a-zA-Z1]*[${letters}]`).test(args[0]?.literal ?? '')
      ? rule(args, judge)
      : `its first word must have one of ${letters} to be known to only read`

/** The last mode counts: -d after -t or -l puts a file in the place of the other one, unless all goes to the output. */
const packed = (usage: string): Rule =>
  withOptions(usage, {
    isOrdered: true,
    also: ({ options: given }) =>
      given.some(({ name }) => name === '-d') && !given.some(({ name }) => name === '-c')
        ? '-d without -c replaces the file'
        : undefined,
  })

export const archives: Readonly<Record<string, Rule>> = {
  tar,
  unzip: needs('lvptZ', withOptions('-lvptqZ1')),
  gzip: needs('ltc', packed('-ltdcvq')),
  gunzip: needs('clt', withOptions('-cltvq')),
  xz: needs('ltc', packed('-ltdcvq')),
  zstd: needs('ltc', packed('-ltdcvq')),
  bzip2: needs('tc', packed('-tdcvq')),
}
