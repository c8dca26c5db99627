// Prints the findings of a check in the style of compilers.

import type { CheckData } from '../../../commands/propose/check.ts'
import type { CommandResult } from '../../../operation/context.ts'
import { escapeForTerminal } from '../../../plan/text/display.ts'
import type { Finding } from '../../../plan/model/finding.ts'
import { jsonLine } from '../json.ts'
import type { Style } from '../style.ts'
import { findingLines } from './findings.ts'
import { paintStatus } from '../../terminal/paint.ts'
import { pluralize } from '../../../view/duration.ts'

export function printCheck({ data }: CommandResult<CheckData>, style: Style): string {
  if (data.sarif !== undefined) return jsonLine(data.sarif)
  const lines = byStep(data.findings).flatMap(([step, findings]) => [
    ...(step === undefined ? [] : [style.bold(`step ${escapeForTerminal(step)}`)]),
    ...findingLines(findings, style),
  ])
  const count = (severity: string): number => data.findings.filter((finding) => finding.severity === severity).length
  const summary = `${pluralize(count('error'), 'error')}, ${pluralize(count('warning'), 'warning')}`
  const what = data.what ?? 'plan'
  const isRead = data.digest !== null || (what === 'configuration' && data.valid)
  if (!isRead) lines.push(`${escapeForTerminal(data.file)}: ${style.red(`invalid ${what}`)}, ${summary}`)
  else if (what === 'configuration') lines.push(`${escapeForTerminal(data.file)}: valid configuration, ${summary}`)
  else {
    const paint = (risk: string): string => paintStatus(risk, style)(risk)
    lines.push(
      `${escapeForTerminal(data.file)}: ${data.valid ? 'valid plan' : style.red('not a valid plan')}, ${summary}`,
      `risk ${paint(data.risk ?? '')}`,
    )
    for (const { id, risk, reasons } of data.steps)
      lines.push(
        `  ${escapeForTerminal(id)}: ${paint(risk)}${reasons.length === 0 ? '' : `, ${escapeForTerminal(reasons.join('; '))}`}`,
      )
    lines.push(`digest ${data.digest}`)
  }
  return `${lines.join('\n')}\n`
}

/** Findings about the whole plan first, then steps in the order of their first finding. */
function byStep(findings: readonly Finding[]): [string | undefined, Finding[]][] {
  const groups = new Map<string | undefined, Finding[]>()
  for (const finding of findings) groups.set(finding.step, [...(groups.get(finding.step) ?? []), finding])
  return [...groups].toSorted(([a], [b]) => Number(a !== undefined) - Number(b !== undefined))
}
