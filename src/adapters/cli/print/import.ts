// Prints an import: the text of the plan if it was asked for, else a summary with everything that was not carried over.

import type { ImportedData } from '../../../commands/propose/import.ts'
import type { CommandResult } from '../../../operation/context.ts'
import { escapeForTerminal } from '../../../plan/text/display.ts'
import type { Style } from '../style.ts'
import { findingLines } from './findings.ts'

export function printImport({ data }: CommandResult<ImportedData>, style: Style): string {
  const isPreview = data.text !== null && data.message.length === 1
  if (isPreview) return data.text
  const notes = data.notes.map(({ kind, message, line, file }) => {
    const position = [file ?? data.source, line].filter((part) => part !== undefined).join(':')
    const label = kind === 'lost' ? kind : style.yellow(kind)
    return `${style.bold(escapeForTerminal(position))}: ${label}: ${escapeForTerminal(message)}`
  })
  return [...findingLines(data.findings, style), ...notes, ...data.message.map((line) => escapeForTerminal(line))]
    .map((line) => `${line}\n`)
    .join('')
}
