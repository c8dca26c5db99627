// A plan as the text of a pull request. Text of the plan is escaped: a title must not become a link, a mention or a heading.

import type { RiskAssessment } from '../check/risk.ts'
import { plainLine } from '../plan/display.ts'
import { statusOf, type Plan, type Step } from '../plan/plan.ts'
import { drawMermaid } from './graph-text.ts'

/** The first line of the text: by it the text is known to be ours. */
export const pullRequestMark = (id: string): string => `<!-- git-plan ${id} -->`

export interface PullRequestFacts {
  readonly tip: string
  readonly required: number
  readonly from: readonly string[]
  /** Takes secrets out of a text. */
  readonly mask: (text: string) => string
}

export function pullRequestBody(unmasked: Plan, risk: RiskAssessment, facts: PullRequestFacts): string {
  const { mask } = facts
  const plan = maskedPlan(unmasked, mask)
  return `${[
    pullRequestMark(plan.id),
    ...(plan.prose.trim() === '' ? [] : [mask(quotedProse(plan.prose)), '']),
    `**Risk ${risk.plan}**`,
    '',
    ...plan.steps.flatMap((step) => {
      const own = risk.steps.get(step.id)
      return own === undefined || own.reasons.length === 0
        ? []
        : [`- \`${step.id}\` ${own.risk}: ${own.reasons.map((reason) => inText(mask(reason))).join('; ')}`]
    }),
    '',
    '| # | step | what | needs | effect |',
    '| ---: | --- | --- | --- | --- |',
    ...plan.steps.map(row),
    '',
    '```mermaid',
    drawMermaid(plan).trimEnd(),
    '```',
    '',
    `Digest \`${plan.digest}\`, at \`${facts.tip}\`.`,
    facts.required === 0
      ? 'The policy lets it run without an approval.'
      : `A review that approves this commit approves the plan (${facts.required} needed, by ${facts.from.join(' or ')}); a change of the plan needs a new one. To run it: \`git plan start ${plan.id}\`.`,
  ].join('\n')}\n`
}

/** Before anything is escaped: a token with a backslash in it is none any more for who masks, and is one again for who reads. */
const maskedPlan = (plan: Plan, mask: (text: string) => string): Plan => ({
  ...plan,
  title: mask(plan.title),
  prose: mask(plan.prose),
  steps: plan.steps.map((step) => ({ ...step, title: mask(step.title) })),
})

const row = (step: Step, index: number): string =>
  `| ${index + 1} | \`${step.id}\` | ${inText(step.title)} | ${step.needs.map((id) => `\`${id}\``).join(', ')} | ${step.effect === 'external' ? 'external' : ''} |`

/** How far a run has come, for the one comment that is kept up to date. */
export function progressComment(unmasked: Plan, facts: { tip: string; seen: string; mask: (text: string) => string }): string {
  const plan = maskedPlan(unmasked, facts.mask)
  const marks: Readonly<Record<string, string>> = { done: 'x', skipped: '-' }
  const count = plan.steps.filter((step) => statusOf(plan, step.id) === 'done').length
  return [
    `**${inText(plan.title)}** is ${facts.seen}: ${count} of ${plan.steps.length} steps done, at \`${facts.tip.slice(0, 12)}\`.`,
    '',
    ...plan.steps.map((step) => {
      const status = statusOf(plan, step.id)
      return `- [${marks[status] ?? ' '}] \`${step.id}\` ${inText(step.title)}${['pending', 'done'].includes(status) ? '' : ` (${status})`}`
    }),
  ].join('\n')
}

/** No markup, no mention, no number of an issue, no table of its own. */
const inText = (text: string): string =>
  plainLine(text)
    .replace(/[\\`*_{}[\]()<>#+!|~$^&]/g, '\\$&')
    .replaceAll('@', '@\u2060')
    .slice(0, 500)

/** The author's own Markdown, without what would call people, load pictures or hide text. */
const quotedProse = (text: string): string =>
  text
    .trim()
    .replace(/<!--[\s\S]*?(-->|$)/g, '')
    .replace(/<(?=[a-z/!])/gi, '\\<')
    .replace(/!\[/g, '!\\[')
    .replace(/(^|\s)@(?=\w)/g, '$1@\u2060')
    .slice(0, 30_000)
