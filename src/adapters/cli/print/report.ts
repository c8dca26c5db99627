// Prints a report as Markdown.

import type { CommandResult } from '../../../operation/context.ts'
import type { ReportAnswer } from '../../../commands/inspect/report.ts'
import type { ReportData } from '../../../view/report-data.ts'
import { sourceText } from '../../../view/source-text.ts'
import { metaText } from '../../../view/describe-plan.ts'
import { sourceEntryText } from '../../../plan/model/source-entry.ts'
import type { FileChange } from '../../../store/changes.ts'
import type { Claim } from '../../../plan/model/claim.ts'
import { changeText, countsText, someNames } from '../../../plan/model/test-counts.ts'
import { claimHead, usageText } from '../../../view/step-results.ts'
import { highlightSection, nextSection, phaseSection, preflightSection } from './report-summary.ts'
import { escapeText, row } from './report-text.ts'
import { singleLine } from '../../../plan/text/display.ts'
import { pluralize, duration, moment, short } from '../../../view/duration.ts'
import { displayStatusText } from '../../../view/display-status-text.ts'

export function printReport({ data }: CommandResult<ReportAnswer>): string {
  if (data.page !== undefined) return data.page
  if (data.file !== undefined) return `Wrote ${singleLine(data.file)}\n`
  const { plan, files, totals } = data
  const lines = [
    `# ${escapeText(plan.title)}`,
    '',
    `- plan: \`${plan.id}\`, ${displayStatusText(plan)}`,
    `- outcome: ${plan.outcome ?? 'open'}; ${plan.progress.done} of ${plan.progress.total} steps done${plan.next === null ? '' : `, next: ${plan.next}`}`,
    `- tip: \`${plan.tip}\`${plan.base === null ? '' : `, base: ${escapeText(plan.base)}`}`,
    `- digest: \`${plan.digest}\`${plan.revision === 0 ? '' : `, revision ${plan.revision}`}`,
    ...(plan.clonedFrom === null
      ? []
      : [`- copy of: \`${plan.clonedFrom.plan}\` at \`${short(plan.clonedFrom.tip)}\``]),
    ...(plan.archived === null ? [] : [`- archived: ${moment(plan.archived.at)} by ${escapeText(plan.archived.by)}`]),
    `- risk: ${plan.risk}; approval: ${plan.approval.state}${plan.approval.by === null ? '' : ` by ${escapeText(plan.approval.by)}${plan.approval.source === 'signature' ? `, ${sourceText(plan.approval.source)}` : ''}${plan.approval.at === null ? '' : `, ${moment(plan.approval.at)}`}`}`,
    ...(plan.reason === null ? [] : [`- reason: ${escapeText(plan.reason)}`]),
    ...(plan.goal === null ? [] : [`- goal: ${escapeText(plan.goal.trim())}`]),
    ...(plan.request === null ? [] : [`- request: ${escapeText(plan.request.trim())}`]),
    ...(plan.owner === null ? [] : [`- owner: ${escapeText(plan.owner)}`]),
    ...(plan.deliverables.length === 0 ? [] : [`- deliverables: ${plan.deliverables.map(escapeText).join(', ')}`]),
    ...(plan.notes === null ? [] : [`- notes: ${escapeText(plan.notes.trim())}`]),
    ...(plan.context.length === 0 ? [] : [`- context: ${plan.context.map(escapeText).join(', ')}`]),
    ...(metaText(plan.meta) === undefined ? [] : [`- meta: ${escapeText(metaText(plan.meta) ?? '')}`]),
    ...(metaText(plan.params) === undefined ? [] : [`- parameters: ${escapeText(metaText(plan.params) ?? '')}`]),
    ...plan.sources.map((source) => `- source: ${escapeText(sourceEntryText(source))}`),
    `- created ${moment(plan.createdAt)}${plan.startedAt === null ? '' : `, started ${moment(plan.startedAt)}`}${plan.endedAt === null ? '' : `, ended ${moment(plan.endedAt)}`}`,
    `- run time ${duration(data.workedMs)}${data.elapsedMs === null ? '' : `, elapsed ${duration(data.elapsedMs)}`}${data.savedMs === 0 ? '' : `, saved by parallel steps ${duration(data.savedMs)}`}`,
    ...(data.criticalPath.durationMs === null || data.criticalPath.steps.length < 2
      ? []
      : [`- critical path ${duration(data.criticalPath.durationMs)}: ${data.criticalPath.steps.join(' → ')}`]),
    ...highlightSection(data),
    ...phaseSection(data),
    '',
    '## Steps',
    '',
    row(stepColumns(plan).map(({ name }) => name)),
    row(stepColumns(plan).map(() => '---')),
    ...plan.steps.map((step) => row(stepColumns(plan).map(({ text }) => text(step, data)))),
    ...notesOnSteps(plan),
    ...testSection(plan),
    ...claimSection(plan),
    '',
    '## Files',
    '',
    `${totals.created} created, ${totals.modified} modified, ${totals.deleted} deleted; ${pluralize(totals.added, 'line')} added, ${totals.removed} removed`,
    ...(files.length === 0
      ? []
      : ['', '| file | change | added | removed |', '| --- | --- | --- | --- |', ...files.map(fileRow)]),
  ]
  lines.push(...preflightSection(data))
  if (data.checks.length > 0)
    lines.push(
      '',
      '## Checks',
      '',
      '| step | kind | check | result | evidence |',
      '| --- | --- | --- | --- | --- |',
      ...data.checks.map(checkRow),
    )
  if (data.byHand.length > 0) lines.push('', '## By hand', '', ...data.byHand.map(handLine))
  if (data.decisions.length > 0) lines.push('', '## Decisions', '', ...data.decisions.map(decisionLine))
  if (plan.attempts.length > 0)
    lines.push(
      '',
      '## Attempts',
      '',
      ...plan.attempts.map(
        (attempt) =>
          `- ${attempt.step}, attempt ${attempt.number}, ${moment(attempt.at)}: ${escapeText(attempt.reason ?? 'no reason recorded')}`,
      ),
    )
  if (plan.rollbacks.length > 0)
    lines.push(
      '',
      '## Rollbacks',
      '',
      ...plan.rollbacks.map(
        (each) =>
          `- ${each.event}, ${moment(each.at)}, by ${escapeText(each.by)}: from \`${short(each.from)}\` to \`${short(each.to)}\`${each.reason === null ? '' : `: ${escapeText(each.reason)}`}`,
      ),
    )
  if (plan.effects.length > 0)
    lines.push(
      '',
      '## External effects',
      '',
      ...plan.effects.map((effect) => `- ${effect.step}, ${effect.number}: ${effect.state} (${moment(effect.at)})`),
    )
  lines.push(...nextSection(data))
  return `${lines.join('\n')}\n`
}

/** The tests of each step, compared with those before the plan. */
function testSection({ steps }: ReportData['plan']): string[] {
  const rows = steps.flatMap(({ id, tests }) => {
    if (tests === null) return []
    const { after, before, failing } = tests
    const text = (counts: typeof after): string => (counts === undefined ? 'not counted' : countsText(counts))
    return [row([id, text(before), text(after), changeText(tests), escapeText(someNames(failing, 20))])]
  })
  return rows.length === 0
    ? []
    : [
        '',
        '## Tests',
        '',
        '| step | before the plan | after the step | tests | failed before, and still do |',
        '| --- | --- | --- | --- | --- |',
        ...rows,
      ]
}

/** What agents and drivers say, next to what the executor found. */
function claimSection({ steps, attempts }: ReportData['plan']): string[] {
  const claims = steps.flatMap(({ id, seen, error, verified, claim }) =>
    claim === null
      ? []
      : [{ id, verdict: verified === null ? seen : `${seen}: ${verified}`, claim, isRefused: error !== null }],
  )
  const refused = attempts.flatMap(({ step, number, reason, claim }) =>
    claim === null
      ? []
      : [{ id: step, verdict: `attempt ${number} refused: ${reason ?? 'no reason recorded'}`, claim }],
  )
  if (claims.length + refused.length === 0) return []
  return [
    '',
    '## Claims',
    '',
    '| step | by | claim | verdict |',
    '| --- | --- | --- | --- |',
    // The claim of a failed step is that of its last attempt.
    ...[...refused, ...claims.filter(({ isRefused }) => !isRefused)].map(({ id, verdict, claim }) =>
      row([id, escapeText(claimHead(claim)), escapeText(claim.summary), escapeText(verdict)]),
    ),
    ...listOf('Decisions', claims, ({ decisions }) => decisions),
  ]
}

function listOf(
  title: string,
  claims: readonly { readonly id: string; readonly claim: Claim }[],
  entriesOf: (claim: Claim) => readonly string[],
): string[] {
  const lines = claims.flatMap(({ id, claim }) => entriesOf(claim).map((each) => `- \`${id}\` ${escapeText(each)}`))
  return lines.length === 0 ? [] : ['', `${title}:`, '', ...lines]
}

/** Most steps have none of these, so they are not columns. */
function notesOnSteps({ steps }: ReportData['plan']): string[] {
  const lines = steps.flatMap(({ id, meta, goal, deliverables, context, notes }) => {
    const all = [
      ...(goal === null ? [] : [`goal ${goal.trim()}`]),
      ...(deliverables.length === 0 ? [] : [`deliverables ${deliverables.join(', ')}`]),
      ...(context.length === 0 ? [] : [`context ${context.join(', ')}`]),
      ...(notes === null ? [] : [`notes ${notes.trim()}`]),
      ...(metaText(meta) === undefined ? [] : [`meta ${metaText(meta)}`]),
    ]
    return all.length === 0 ? [] : [`- \`${id}\`: ${escapeText(all.join('; '))}`]
  })
  return lines.length === 0 ? [] : ['', ...lines]
}

type StepOf = ReportData['plan']['steps'][number]

interface StepColumn {
  readonly name: string
  readonly text: (step: StepOf, data: ReportData) => string
  /** A column that would be empty is left out. */
  readonly isShown?: (step: StepOf) => boolean
}

const allColumns: readonly StepColumn[] = [
  { name: 'step', text: ({ id }) => id },
  { name: 'status', text: ({ seen }) => seen },
  { name: 'owner', text: ({ owner }) => escapeText(owner ?? ''), isShown: ({ owner }) => owner !== null },
  { name: 'agent', text: ({ agent }) => escapeText(agent ?? ''), isShown: ({ agent }) => agent !== null },
  { name: 'took', text: ({ durationMs }) => (durationMs === null ? '' : duration(durationMs)) },
  { name: 'used', text: (step) => usageText(step) ?? '' },
  { name: 'failures', text: (step, data) => String(figuresOf(step, data)?.failures || '') },
  { name: 'files', text: (step, data) => filesText(figuresOf(step, data)?.totals) },
  { name: 'lines', text: (step, data) => linesText(figuresOf(step, data)?.totals) },
  { name: 'commit', text: ({ commit }) => short(commit) },
  {
    name: 'title',
    text: ({ title, error }) => `${escapeText(title)}${error === null ? '' : `: ${escapeText(error)}`}`,
  },
]

const stepColumns = ({ steps }: ReportData['plan']): StepColumn[] =>
  allColumns.filter(({ isShown }) => isShown === undefined || steps.some(isShown))

const figuresOf = (step: StepOf, { steps }: ReportData): ReportData['steps'][number] | undefined =>
  steps.find(({ id }) => id === step.id)

type StepTotals = ReportData['totals'] | undefined

const filesText = (totals: StepTotals): string =>
  (['created', 'modified', 'deleted'] as const)
    .filter((kind) => (totals?.[kind] ?? 0) > 0)
    .map((kind) => `${totals?.[kind]} ${kind}`)
    .join(', ')

const linesText = (totals: StepTotals): string =>
  totals === undefined || totals.created + totals.modified + totals.deleted === 0
    ? ''
    : `+${totals.added} -${totals.removed}`

/** A criterion that nothing checks is for a person to judge. */
const resultText = ({ kind, result }: ReportData['checks'][number]): string =>
  result === 'not-recorded'
    ? 'not recorded'
    : kind !== 'criteria'
      ? result
      : ({ held: 'verified', unproven: 'waits for a person' }[result as string] ?? result)

const checkRow = (check: ReportData['checks'][number]): string =>
  row([
    check.step ?? 'the plan',
    check.kind,
    escapeText(check.check),
    resultText(check),
    `${check.commit === null ? '' : `\`${short(check.commit)}\``}${check.detail === null ? '' : ` ${escapeText(check.detail)}`}`.trim(),
  ])

function handLine({ kind, step, commit, at, by, subject, reason, files }: ReportData['byHand'][number]): string {
  const of = step === null ? '' : `\`${step}\` `
  const what = {
    fix: 'fix',
    commit: 'commit',
    text: 'plan text',
    declared: `${of}declared done`,
    gate: `gate ${of}answered`,
    skipped: `${of}skipped`,
  }[kind]
  const why = ['declared', 'gate', 'skipped'].includes(kind) ? reason : subject
  const paths = files.map(({ path }) => escapeText(path)).join(', ')
  return `- ${what}, \`${short(commit)}\`, ${moment(at)}, by ${escapeText(by)}${why === null ? '' : `: ${escapeText(why)}`}${paths === '' ? '' : ` (${paths})`}`
}

const decisionLine = ({ decision, of, at, by, from, review, reason }: ReportData['decisions'][number]): string =>
  `- ${of} ${decision}, ${moment(at)}, by ${escapeText(by)}${from === null ? '' : ` (${escapeText(sourceText(from))}${review === null ? '' : ` ${escapeText(review)}`})`}${reason === null ? '' : `: ${escapeText(reason)}`}`

const fileRow = (file: FileChange): string =>
  `| ${escapeText(file.path)} | ${file.change} | ${file.added ?? 'binary'} | ${file.removed ?? 'binary'} |`
