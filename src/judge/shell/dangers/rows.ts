// Rules that need only the arguments of a program, as rows of tables.

import { finding, readArguments, type Finding } from './call.ts'
import { excerpt, maxLine } from './marks.ts'
import type { DangerName } from './rules.ts'

/**
 * - `programs`: names separated by commas; `git push` means a subcommand.
 * - `when`: subcommands and options, of each of which one must be given; options with `!` must not be given. Or a
 *   pattern for the arguments, joined with one space, with `_` for a space inside an argument.
 * - `says`: what the program does.
 */
export type Row = readonly [programs: string, when: string | RegExp, says: string]
export type Rows = Readonly<Partial<Record<DangerName, readonly Row[]>>>

/** Options that take a value, for programs whose rows match operands and later options. */
const usages: Readonly<Record<string, string>> = {
  git: '-m= -F= -C= -c= --message= --author= --date= -b= -B= -e= --exclude= --onto= --expire= --sort= --format=',
  curl: '-o= -d= -H= -X= -A= -u= -e= -F= -T= -b= -c= -w= -m=',
  kubectl: '-n= --namespace= --context= -f=',
  systemctl: '-H= -t= -p=',
}

type Indexed = readonly { readonly rule: DangerName; readonly row: Row }[]

export function indexRows(tables: readonly Rows[]): ReadonlyMap<string, Indexed> {
  const index = new Map<string, Indexed>()
  for (const [rule, rows] of tables.flatMap((table) => Object.entries(table)))
    for (const row of rows)
      for (const program of row[0].split(', '))
        index.set(program, [...(index.get(program) ?? []), { rule: rule as DangerName, row }])
  return index
}

export function judgeRows(rows: Indexed, program: string, args: readonly string[]): Finding[] {
  const { operands, has } = readArguments(args, usages[program.split(' ', 1)[0] ?? ''])
  const line = args
    .map((arg) => arg.replace(/\s/g, '_'))
    .join(' ')
    .slice(0, maxLine)
  const applies = (when: string): boolean => {
    const words = when.split(' ').filter((word) => word !== '')
    const options = words.filter((word) => word.startsWith('-'))
    const subcommands = words.filter((word) => /^\w/.test(word))
    const isExcluded = has(...words.filter((word) => word.startsWith('!')).map((word) => word.slice(1)))
    const isSubcommand = subcommands.length === 0 || subcommands.includes(operands[0] ?? '')
    return !isExcluded && isSubcommand && (options.length === 0 || has(...options))
  }
  return rows
    .filter(({ row: [, when] }) => (typeof when === 'string' ? applies(when) : when.test(line)))
    .map(({ rule, row: [, when, says] }) => {
      const call = [program, ...(when === '' ? [] : args)].filter((word) => word !== '').join(' ')
      return finding(rule, `${excerpt(call)} ${says}`)
    })
}
