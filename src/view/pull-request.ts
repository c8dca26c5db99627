// The text of a pull request for a plan: everything that a reviewer needs. Text of the plan is escaped, fenced or
// quoted.

import { isPending } from '../plan/model/step-status.ts'
import type { RiskAssessment } from '../judge/plan/risk.ts'
import type { Finding } from '../plan/model/finding.ts'
import type { Requirement } from '../plan/config/approval-policy.ts'
import { statusOf, type Plan, type Step } from '../plan/model/plan.ts'
import { planAfterwards, planBackground, planBefore, stepDetails } from './describe-plan.ts'
import { drawMermaid } from './graph-text.ts'
import { fenced, fitLines, collapsible, escapeMarkdown, quoteMarkdown, sizeOf } from './markdown.ts'
import { planChanges } from './plan-changes.ts'
import { describeRequirement } from './who-counts.ts'

/** First line of the text, which identifies it as ours. */
export const pullRequestMark = (id: string): string => `<!-- git-plan ${id} -->`

export interface BodyFacts {
  readonly tip: string
  readonly requirement: Requirement
  /** The policy requires an approval of the result too. */
  readonly isResultAsked: boolean
  /** The previous text, if any, and the reasons for the change. */
  readonly before?:
    | { readonly plan: Plan; readonly wasApproved: boolean; readonly reasons: readonly string[] }
    | undefined
  /** The findings of `git plan check`, while the plan awaits a decision. */
  readonly findings?: readonly Finding[]
  /** Recorded results of steps. */
  readonly results?: readonly { readonly step: string; readonly lines: readonly string[] }[]
}

/** Forges accept 65,536 characters; masking may lengthen some lines. */
const most = { all: 60_000, prose: 8000, reasons: 4000, table: 10_000, changes: 10_000, results: 6000, graph: 4000 }

export function pullRequestBody(plan: Plan, risk: RiskAssessment, facts: BodyFacts): string {
  const head = [
    pullRequestMark(plan.id),
    ...(plan.prose.trim() === '' ? [] : [...quoteMarkdown(plan.prose, most.prose), '']),
    `**Risk ${risk.plan}**, digest \`${plan.digest}\`, at \`${facts.tip}\`.`,
    '',
    reviewAdvice(plan, facts),
    '',
    ...changesOf(plan, facts.before),
    ...cut(findingLines(facts.findings ?? []), most.reasons, (left) => `- … and ${left} more findings`),
    ...cut(reasonsOf(plan, risk), most.reasons, (left) => `- … and ${left} more steps`),
    '',
    '| # | step | what | needs | effect | state |',
    '| ---: | --- | --- | --- | --- | --- |',
    ...cut(
      plan.steps.map((step, index) => row(plan, step, index)),
      most.table,
      (left) => `| … | | ${left} more | | | |`,
    ),
    '',
    ...resultsOf(facts.results ?? []),
  ]
  const graph = ['```mermaid', drawMermaid(plan).trimEnd(), '```']
  const tail = sizeOf(graph) > most.graph ? [] : graph
  return `${[...head, ...detailsOf(plan, risk, most.all - sizeOf(head) - sizeOf(tail)), ...tail].join('\n')}\n`
}

function reviewAdvice(plan: Plan, { requirement, isResultAsked }: BodyFacts): string {
  const go = `\`git plan ${plan.state.size === 0 ? 'start' : 'resume'} ${plan.id}\``
  const asked =
    requirement.count === 0
      ? 'The policy lets it run without an approval'
      : `${describeRequirement(requirement)}. A changed plan needs a new approval`
  switch (plan.status) {
    case 'completed':
      return `**The plan has run; this is its result.** ${isResultAsked ? `The result needs its own review: ${describeRequirement(requirement)}. ` : ''}To merge it: \`git plan finish ${plan.id}\`.`
    case 'cancelled':
      return '**The plan is cancelled.**'
    case 'approved':
    case 'active':
    case 'waiting':
    case 'failed':
      return `**The plan is ${plan.status}.** To continue: ${go}.`
    case 'proposed':
    case 'rejected':
      return `**To approve it, approve this commit.** ${asked}. Then: ${go}.`
  }
}

const findingLines = (findings: readonly Finding[]): string[] =>
  findings.map(
    ({ severity, step, message, rule }) =>
      `- **${severity}**${step === undefined ? '' : ` \`${step}\``}: ${escapeMarkdown(message)} (\`${rule}\`)`,
  )

/** Reasons other than the verb's own risk, which is shown with each step. */
const reasonsOf = (plan: Plan, risk: RiskAssessment): string[] =>
  plan.steps.flatMap((step) => {
    const own = risk.steps.get(step.id)
    const reasons = (own?.reasons ?? []).filter((reason) => reason !== `${step.verb} is ${own?.risk}`)
    return reasons.length === 0 ? [] : [`- \`${step.id}\` ${own?.risk}: ${reasons.map(escapeMarkdown).join('; ')}`]
  })

const row = (plan: Plan, step: Step, index: number): string =>
  `| ${index + 1} | \`${step.id}\` | ${escapeMarkdown(step.title)} | ${names(step.needs)} | ${step.effect === 'external' ? 'external' : ''} | ${plan.state.get(step.id) ?? ''} |`

function resultsOf(results: NonNullable<BodyFacts['results']>): string[] {
  const lines = results.map(({ step, lines: all }) => `- \`${step}\` ${all.map(escapeMarkdown).join('; ')}`)
  return lines.length === 0 ? [] : [...cut(lines, most.results, (left) => `- … and ${left} more steps`), '']
}

function changesOf(plan: Plan, before: BodyFacts['before']): string[] {
  if (before === undefined) return []
  const { added, changed, removed, done, isPlanChanged, isProseChanged, lines } = planChanges(before.plan, plan)
  const summary = [
    ...before.reasons.map((reason) => `- why: ${escapeMarkdown(reason)}`),
    ...(isPlanChanged ? ['- changed: keys of the whole plan'] : []),
    ...[
      ['new', added] as const,
      ['changed', changed] as const,
      ['removed', removed] as const,
      ['already done, unchanged', done] as const,
    ].flatMap(([what, ids]) => (ids.length === 0 ? [] : [`- ${what}: ${names(ids)}`])),
    ...(isProseChanged ? ['- changed: the prose'] : []),
  ]
  const { shown, left } = fitLines(lines, most.changes)
  return [
    `### Changed since ${before.wasApproved ? 'the last approval' : 'the previous text'}`,
    '',
    ...cut(summary, most.changes, (more) => `- … and ${more} more`),
    '',
    ...(lines.length === 0
      ? []
      : collapsible('line by line', fenced([...shown, ...(left === 0 ? [] : [`  … ${left} more lines`])], 'diff'))),
    '',
  ]
}

/**
 * Every line that runs or is written, as far as it fits. Omitted parts are named, so that nobody approves them unseen.
 */
function detailsOf(plan: Plan, risk: RiskAssessment, room: number): string[] {
  const notes = 2000
  const parts = [
    { name: 'its background', summary: 'Goal, request, context and notes', linesOf: () => planBackground(plan) },
    { name: 'before the first step', summary: 'Before the first step', linesOf: () => planBefore(plan) },
    ...plan.steps.map((step, index) => ({
      name: `\`${step.id}\``,
      summary: `${index + 1}. <code>${step.id}</code> (${step.verb}, risk ${risk.steps.get(step.id)?.risk ?? 'LOW'}${isPending(plan, step.id) ? '' : `, ${statusOf(plan, step.id)}`})`,
      linesOf: (lines?: number) => stepDetails(step, lines === undefined ? {} : { most: lines }),
    })),
    { name: 'for the whole plan', summary: 'For the whole plan, after its steps', linesOf: () => planAfterwards(plan) },
  ]
  const shown: string[] = []
  const partly: string[] = []
  let left = room - notes
  for (const { name, summary, linesOf } of parts) {
    const whole = linesOf()
    if (whole.length === 0) continue
    const texts = [undefined, 20].map((lines) =>
      collapsible(summary, fenced(linesOf(lines), 'text'), { isOpen: whole.length <= 12 }),
    )
    const at = texts.findIndex((text) => sizeOf(text) + 1 <= left)
    if (at !== 0) partly.push(name)
    if (at < 0) continue
    shown.push(...texts[at]!, '')
    left -= sizeOf(texts[at]!) + 1
  }
  if (partly.length === 0) return shown
  const named = cut(partly, notes - 500, (more) => `and ${more} more`).join(', ')
  return [...shown, `**Shortened or omitted here: ${named}.** In full: \`git plan show ${plan.id}\`.`, '']
}

const names = (ids: readonly string[]): string => ids.map((id) => `\`${id}\``).join(', ')

function cut(lines: readonly string[], room: number, rest: (left: number) => string): readonly string[] {
  const { shown, left } = fitLines(lines, room)
  return left === 0 ? shown : [...shown, rest(left)]
}
