// What an agent or a driver is told about a step, as Markdown.

import { describeCheck } from '../model/describe-check.ts'
import { isGlob } from '../text/glob.ts'
import type { Claim } from '../model/claim.ts'
import type { Plan, Step } from '../model/plan.ts'
import type { AgentSpec } from '../verbs/agent.ts'

export interface Told {
  /** What the steps that it needs have reported. */
  readonly claims: readonly { readonly step: string; readonly claim: Claim }[]
  /** The attempt before this one. */
  readonly previous?: { readonly attempt: number; readonly message: string; readonly output: string } | undefined
  /** Remarks of reviewers. */
  readonly comments: readonly string[]
  /** The definition of its role, if it does not read it itself. */
  readonly role?: { readonly name: string; readonly text: string } | undefined
  /** A driver reports with a command, an agent in its last message. */
  readonly isDriver?: boolean
  /** The work tree, for a driver, who may be elsewhere. */
  readonly root?: string | undefined
  /** Its commands push what they commit. */
  readonly isPushed?: boolean
}

/** The name of the block in which an agent reports. */
export const reportFence = 'plan-report'

const mostProse = 8000
const mostOutput = 6000

export function promptFor(plan: Plan, step: Step, told: Told): string {
  const spec = step.spec as AgentSpec
  const parts: string[] = [
    `# Step ${step.id} of plan ${plan.id}: ${step.title}`,
    section(`Your role: ${told.role?.name}`, told.role?.text),
    spec.prompt.trim(),
    section('Goal', step.goal ?? plan.goal),
    section('Notes', [plan.notes, step.notes].filter((each) => each !== undefined).join('\n\n')),
    list('Read first', [...plan.context, ...step.context]),
    scopeOf(step),
    list('It is done when', criteriaOf(step)),
    ...told.claims.map(({ step: id, claim }) => section(`Reported by step ${id}`, claimText(claim))),
    previousText(told.previous),
    list('Remarks of reviewers', told.comments),
    plan.prose.trim() === '' ? '' : `## The plan\n\n${clip(plan.prose.trim(), mostProse)}`,
    list('Rules', rulesFor(plan, step, told)),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

const rulesFor = (plan: Plan, step: Step, { isDriver = false, root, isPushed = false }: Told): string[] => [
  `Work only in ${root ?? 'this directory'}. Do not commit, and do not change Git, the plan or the configuration of agents.`,
  'Do only this step. Your work is checked afterwards, and committed by git plan.',
  isDriver
    ? `When you have done it: \`git plan next ${plan.id} --done ${step.id} -m SUMMARY${isPushed ? ' --push' : ''}\`; if you cannot: \`git plan next ${plan.id} --failed ${step.id} -m WHY${isPushed ? ' --push' : ''}\`.`
    : `End your last message with a block that begins with \`\`\`${reportFence}, contains one JSON object with the keys "summary", "decisions", "questions" and "notes" (for the next steps), and ends with \`\`\`.`,
]

/** What the executor checks. */
export const criteriaOf = (step: Step): string[] => [
  ...[...new Set([...filesLeft(step), ...step.deliverables])].map((path) => `${path} exists and is not empty`),
  ...step.verify.map(describeCheck),
  ...step.criteria.map(({ text }) => text),
  ...(step.test === undefined ? [] : [`\`${step.test}\` passes`]),
]

/** As in engine/step/verify.ts. */
const filesLeft = ({ changes, phase, files = [] }: Step): readonly string[] =>
  changes === 'none' ? [] : phase === 'design' ? files : files.filter((file) => !isGlob(file))

const claimText = ({ summary, decisions, questions, notes }: Claim): string =>
  [
    summary,
    ...decisions.map((each) => `- decided: ${each}`),
    ...questions.map((each) => `- open question: ${each}`),
    ...(notes === '' ? [] : [`- note: ${notes}`]),
  ].join('\n')

function scopeOf(step: Step): string {
  if (step.changes === 'none') return '## Scope\n\nDo not change any file.'
  return list('Change only these files', step.files ?? [])
}

function previousText(previous: Told['previous']): string {
  if (previous === undefined) return ''
  const output = previous.output.trim() === '' ? '' : `\n\n${quote(previous.output.trim().slice(-mostOutput))}`
  return `## Attempt ${previous.attempt} failed\n\n${previous.message}${output}`
}

const quote = (text: string): string =>
  text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')

const section = (title: string, text: string | undefined): string =>
  text === undefined || text.trim() === '' ? '' : `## ${title}\n\n${text.trim()}`

const list = (title: string, items: readonly string[]): string =>
  items.length === 0 ? '' : `## ${title}\n\n${items.map((item) => `- ${item}`).join('\n')}`

const clip = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most)}\n…`)
