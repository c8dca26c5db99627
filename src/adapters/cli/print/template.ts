// Templates as a list, or one with its parameters and text.

import type { CommandResult } from '../../../operation/context.ts'
import type { NewTemplateData, TemplateData, TemplatesData } from '../../../commands/propose/template.ts'
import { escapeForTerminal } from '../../../plan/text/display.ts'
import { paramNote } from '../../../plan/sources/describe-template.ts'
import type { Style } from '../style.ts'
import { printOutcome } from './outcome.ts'
import { table } from '../../terminal/table.ts'

type Data = TemplatesData | TemplateData | NewTemplateData

export function printTemplate(result: CommandResult<Data>, style: Style): string {
  const { data } = result
  if ('templates' in data) return printList(data, style)
  return 'params' in data ? printOne(data, style) : printOutcome(result, style)
}

const safe = (text: string): string => escapeForTerminal(text)

const printList = ({ templates }: TemplatesData, style: Style): string =>
  table(
    templates.map(({ name, from, title, params, problem }) => [
      name,
      from,
      safe(problem === undefined ? params.map((param) => param.name).join(', ') : `not usable: ${problem}`),
      safe(title),
    ]),
    style,
  )

function printOne({ name, from, path, params, about, problem, text = '' }: TemplateData, style: Style): string {
  const rows = params.map((param) => [`-p ${param.name}=`, safe(paramNote(param)), safe(param.description ?? '')])
  return [
    `${style.bold(name)} (${from}): ${safe(path)}\n`,
    ...(problem === undefined ? [] : [`not usable: ${safe(problem)}\n`]),
    ...(about === '' ? [] : [`${safe(about)}\n`]),
    ...(rows.length === 0 ? [] : ['\n', table(rows, style, '  ')]),
    `\n${escapeForTerminal(text.trimEnd(), { multiline: true })}\n`,
  ].join('')
}
