// Archives: only listing their contents.

import type { Argument } from '../argument.ts'
import { options, readOptions } from '../options.ts'
import { firstProblem, excerpt, type Problem, type Rule } from '../verdict.ts'
import { withOptions } from './flagged.ts'

const tarOptions = options(
  `-tvzjJa -f= --list --verbose --file= --gzip --bzip2 --xz --zstd --auto-compress --wildcards --strip-components=
    --full-time --numeric-owner`,
)

const tar: Rule = (args) => {
  const [first, ...rest] = args
  // `tar tf x`: letters without a dash, in the first word only.
  const isOldStyle = /^[tvzjJ]*f?$/.test(first?.literal ?? '-') && first?.literal?.includes('t') === true
  const words: readonly Argument[] =
    isOldStyle && first !== undefined
      ? [{ ...first, literal: `-${first.literal}`, prefix: `-${first.literal}` }, ...rest]
      : args
  if (words[0]?.literal?.startsWith('-') !== true) return `${excerpt(first?.text ?? '')} may write`
  const { problem, options: given, operands } = readOptions(tarOptions, words)
  if (problem !== undefined) return problem
  if (
    !/^-(-list$|[a-zA-Z]*t)/.test(words[0]?.literal ?? '') ||
    !given.some(({ name }) => name === '-t' || name === '--list')
  )
    return 'only -t is known to only read'
  const files = given.filter(({ name }) => name === '-f' || name === '--file')
  return firstProblem(files, ({ value }) => judgeArchive(value)) ?? judgeMembers(operands)
}

/** `host:file` is fetched by another program. */
const judgeArchive = (file: Argument | undefined): Problem =>
  file === undefined || (file.literal !== undefined && !file.literal.includes(':'))
    ? undefined
    : `${excerpt(file.text)} may be on another machine`

const judgeMembers = (operands: readonly Argument[]): Problem => {
  const found = operands.find(({ literal }) => literal === undefined || literal.startsWith('-'))
  return found === undefined ? undefined : `${excerpt(found.text)} may become an option`
}

/** The first word must be the option for reading: some versions read an option after a file as another file. */
const withFirst =
  (letters: string, rule: Rule): Rule =>
  (args, judge) =>
    new RegExp(`^-[a-zA-Z1]*[${letters}]`).test(args[0]?.literal ?? '')
      ? rule(args, judge)
      : `only one of the letters ${letters} in the first word is known to only read`

/** The last mode wins: -d after -t or -l replaces the file, unless -c sends everything to stdout. */
const compressor = (usage: string): Rule =>
  withOptions(usage, {
    isOrdered: true,
    also: ({ options: given }) =>
      given.some(({ name }) => name === '-d') && !given.some(({ name }) => name === '-c')
        ? '-d without -c replaces the file'
        : undefined,
  })

export const archives: Readonly<Record<string, Rule>> = {
  tar,
  unzip: withFirst('lvptZ', withOptions('-lvptqZ1')),
  gzip: withFirst('ltc', compressor('-ltdcvq')),
  gunzip: withFirst('clt', withOptions('-cltvq')),
  xz: withFirst('ltc', compressor('-ltdcvq')),
  zstd: withFirst('ltc', compressor('-ltdcvq')),
  bzip2: withFirst('tc', compressor('-tdcvq')),
}
