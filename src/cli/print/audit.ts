// What an audit has proven, plan by plan, or what does not hold, oldest commit first.

import type { AuditFinding, AuditReport } from '../../audit/report.ts'
import type { AuditedData } from '../../commands/audit.ts'
import type { CommandResult } from '../../commands/context.ts'
import { escapeForTerminal } from '../../plan/display.ts'
import type { Style } from '../style.ts'

export function printAudit({ data }: CommandResult<AuditedData>, style: Style): string {
  if (data.plans.length === 0) return 'No plan was taken over there.\n'
  return `${data.plans.map((report) => planText(report, style)).join('\n\n')}\n`
}

function planText(report: AuditReport, style: Style): string {
  const { id, tip, status, digest, findings } = report
  const head = `${style.bold(id)} (${status}, ${tip.slice(0, 10)}, digest ${digest.slice(0, 12)})`
  const lines = findings.length === 0 ? provenLines(report, style) : findings.flatMap((finding) => findingLines(finding, style))
  return [head, ...lines, ...report.notes.map((note) => `  ${style.dim('·')} ${escapeForTerminal(note)}`)].join('\n')
}

function provenLines({ commits, steps, approvals, signatures, effects, mergedAs }: AuditReport, style: Style): string[] {
  const given = approvals.map(({ by, from }) => `${escapeForTerminal(by)}${from === 'policy' ? '' : ` (${from})`}`).join(', ')
  const facts = [
    `${commits} commits, each as the executor would have made it`,
    ...(steps === 0 ? [] : [`${steps} ${steps === 1 ? 'step' : 'steps'}, in order and within bounds, approved by ${given}`]),
    ...(signatures.good + signatures.unknown === 0
      ? []
      : [`${signatures.good} good signatures${signatures.unknown === 0 ? '' : `, ${signatures.unknown} by keys that are not known here`}`]),
    ...(effects === 0 ? [] : [`${effects} external ${effects === 1 ? 'effect' : 'effects'}, accounted for`]),
    ...(mergedAs === null ? [] : [`merged as ${mergedAs.slice(0, 10)}: what the plan made, and nothing else`]),
  ]
  return facts.map((fact) => `  ${style.green('✓')} ${fact}`)
}

function findingLines({ rule, commit, subject, message }: AuditFinding, style: Style): string[] {
  const where = commit === null ? '' : `${commit.slice(0, 10)} ${escapeForTerminal(subject)}`.trim()
  const text = `${escapeForTerminal(message)} [${rule}]`
  return where === '' ? [`  ${style.red('✗')} ${text}`] : [`  ${style.red('✗')} ${where}`, `    ${text}`]
}
