// The findings of a check, the way compilers print theirs.

import type { CheckData } from '../../commands/check.ts'
import type { CommandResult } from '../../commands/context.ts'
import { escapeForTerminal } from '../../plan/display.ts'
import { jsonLine } from '../json.ts'
import type { Style } from '../style.ts'
import { findingLines } from './findings.ts'
import { paintStatus } from './paint.ts'
import { counted } from './duration.ts'

export function printCheck({ data }: CommandResult<CheckData>, style: Style): string {
  if (data.sarif !== undefined) return jsonLine(data.sarif)
  const lines = findingLines(data.findings, style)
  const count = (severity: string): number => data.findings.filter((finding) => finding.severity === severity).length
  const summary = `${counted(count('error'), 'error')}, ${counted(count('warning'), 'warning')}`
  if (!data.valid) lines.push(`${escapeForTerminal(data.file)}: ${style.red('not a valid plan')}, ${summary}`)
  else {
    lines.push(`${escapeForTerminal(data.file)}: a valid plan, ${summary}`, `risk ${paintStatus(data.risk ?? '', style)(data.risk ?? '')}`)
    lines.push(...data.reasons.map((reason) => `  ${escapeForTerminal(reason)}`), `digest ${data.digest}`)
  }
  return `${lines.join('\n')}\n`
}
