// Prints an audit, plan by plan, with the oldest commit first.

import { identityFrom } from '../../../approval/rules/identity.ts'
import type { AuditFinding, AuditReport } from '../../../audit/report.ts'
import type { AuditedData } from '../../../commands/inspect/audit.ts'
import type { CommandResult } from '../../../operation/context.ts'
import { sourceText } from '../../../view/source-text.ts'
import { escapeForTerminal } from '../../../plan/text/display.ts'
import type { HandWork } from '../../../store/by-hand.ts'
import { outputText } from '../../terminal/output-text.ts'
import type { Style } from '../style.ts'
import { short } from '../../../view/duration.ts'

export function printAudit({ data }: CommandResult<AuditedData>, style: Style): string {
  if (data.plans.length === 0) return 'No plan was merged in this range.\n'
  return `${data.plans.map((report) => planText(report, style)).join('\n\n')}\n`
}

function planText(report: AuditReport, style: Style): string {
  const { id, tip, status, digest, findings } = report
  const head = `${style.bold(id)} (${status}, ${tip.slice(0, 10)}, digest ${digest.slice(0, 12)})`
  const lines =
    findings.length === 0 ? verifiedLines(report, style) : findings.flatMap((finding) => findingLines(finding, style))
  return [
    head,
    ...lines,
    ...handLines(report.byHand, style),
    ...report.notes.map((note) => `  ${style.dim('·')} ${escapeForTerminal(note)}`),
  ].join('\n')
}

function verifiedLines(
  { commits, byHand, steps, approvals, signatures, effects, mergedAs }: AuditReport,
  style: Style,
): string[] {
  const given = approvals
    .map(({ by, from }) => `${escapeForTerminal(by)}${from === 'policy' ? '' : ` (${sourceText(from)})`}`)
    .join(', ')
  const own = commits - byHand.filter(({ kind }) => kind !== 'skipped' && kind !== 'gate').length
  const facts = [
    own === commits
      ? `${commits === 1 ? '1 commit,' : `${commits} commits, all`} made by git plan`
      : `${commits} commits: ${own} made by git plan, ${commits - own} with work by hand`,
    ...(steps === 0
      ? []
      : [
          `${steps} ${steps === 1 ? 'step' : 'steps'}, in order and within ${steps === 1 ? 'its' : 'their'} declared files, approved by ${given}`,
        ]),
    ...(signatures.good + signatures.unknown === 0
      ? []
      : [
          `${signatures.good} good signatures${signatures.unknown === 0 ? '' : `, ${signatures.unknown} by unknown keys`}`,
        ]),
    ...(effects === 0 ? [] : [`${effects} external ${effects === 1 ? 'effect' : 'effects'}, with recorded outcome`]),
    ...(mergedAs === null ? [] : [`merged as ${mergedAs.slice(0, 10)}: the changes of the plan and nothing else`]),
  ]
  return facts.map((fact) => `  ${style.green('✓')} ${fact}`)
}

function findingLines({ rule, commit, subject, message, output }: AuditFinding, style: Style): string[] {
  const where = commit === null ? '' : `${commit.slice(0, 10)} ${escapeForTerminal(subject)}`.trim()
  const text = `${escapeForTerminal(message)} [${rule}]`
  const printed =
    output === undefined || output === '' ? [] : output.split('\n').map((line) => `    | ${outputText(line)}`)
  return [
    ...(where === '' ? [`  ${style.red('✗')} ${text}`] : [`  ${style.red('✗')} ${where}`, `    ${text}`]),
    ...printed,
  ]
}

const kinds: Readonly<Record<HandWork['kind'], readonly [one: string, more: string]>> = {
  fix: ['fix by hand', 'fixes by hand'],
  commit: ['commit by hand, adopted', 'commits by hand, adopted'],
  text: ['plan text edited by hand and proposed again', 'plan texts edited by hand and proposed again'],
  declared: ['step declared done by hand', 'steps declared done by hand'],
  gate: ['gate answered', 'gates answered'],
  skipped: ['step skipped by hand', 'steps skipped by hand'],
}

/** Not a finding, but work that the executor cannot vouch for. */
function handLines(byHand: readonly HandWork[], style: Style): string[] {
  return (Object.keys(kinds) as HandWork['kind'][]).flatMap((kind) => {
    const all = byHand.filter((each) => each.kind === kind)
    const shown = all
      .slice(0, 10)
      .map((each) => `${short(each.commit)} by ${nameIn(each.by)}, ${JSON.stringify(wordsOf(each))}`)
    const more = all.length > shown.length ? [`and ${all.length - shown.length} more`] : []
    return all.length === 0
      ? []
      : [
          `  ${kind === 'gate' ? style.dim('·') : style.yellow('!')} ${all.length} ${kinds[kind][all.length === 1 ? 0 : 1]}: ${escapeForTerminal([...shown, ...more].join('; '))}`,
        ]
  })
}

const nameIn = (by: string): string => identityFrom(by).name ?? by

const wordsOf = ({ kind, step, subject, reason }: HandWork): string =>
  ['declared', 'gate', 'skipped'].includes(kind) ? `${step ?? ''}${reason === null ? '' : `: ${reason}`}` : subject
