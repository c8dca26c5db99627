// What an agent is asked when it writes a plan, and the plan in its answer.

import type { Finding } from '../model/finding.ts'
import type { PlanConfig } from '../config/config.ts'
import { draftText } from '../sources/draft.ts'
import { encode, readFrontMatter, setTopKey } from '../sources/front-matter.ts'
import { locateFile, spliceLocated } from '../sources/located-text.ts'
import { stepShape } from '../model/schema-types.ts'
import { planShape } from '../file/schema.ts'
import { verbs } from '../verbs/index.ts'
import { agentPresets } from './presets.ts'

export interface PlanRequest {
  readonly request: string
  /** Tracked files, or directories with their number of files. */
  readonly outline: readonly string[]
  readonly config: Pick<PlanConfig, 'bases' | 'limits' | 'require'>
  /** The plan whose remaining steps are to be written anew. */
  readonly current?: { readonly text: string; readonly done: readonly string[]; readonly why: readonly string[] }
  /** The last answer, and what is wrong with it. */
  readonly refused?: { readonly answer: string; readonly findings: readonly Finding[] } | undefined
}

/** More backticks than a plan would contain. */
const fence = '````'
const mostAnswer = 60_000

export function planPrompt({ request, outline, config, current, refused }: PlanRequest): string {
  return `${[
    current === undefined
      ? '# Write a plan for a change in this repository'
      : '# Write the remaining steps of this plan anew',
    request.trim(),
    ...(current === undefined ? [] : currentPlan(current)),
    [
      '## How',
      '',
      '- Read the repository first. Change nothing: your answer is the plan, and nothing but the plan.',
      '- Small steps: each is one commit that builds, and has a check (`test`, `verify` or `criteria`).',
      '- Prefer `edit`, `create`, `refactor` and other file steps to commands; their result is known before they run.',
      `- A coding agent does a step that needs thought: \`agent\` (${Object.keys(agentPresets).join(', ')}), with \`prompt\`, \`files\` and \`test\`.`,
      '- Every step names its `files`. `needs: []` lets a step run beside others.',
      ...rulesOf(config),
      '- Below the front matter, explain in prose why the change is made this way, and what a reviewer should look at.',
      `- Answer with the whole plan file in a block that begins with ${fence}plan and ends with ${fence}.`,
    ].join('\n'),
    `## The format\n\n${block('', text(draftText('Title of the plan')))}`,
    `Keys of the plan: ${keys(planShape)}.\n\nKeys of every step: ${keys(stepShape)}.\n\n${verbKeys()}`,
    `## Files of the repository\n\n${outline.map((line) => `- ${line}`).join('\n')}`,
    ...(refused === undefined ? [] : mistakes(refused)),
  ].join('\n\n')}\n`
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const block = (name: string, body: string): string => `${fence}${name}\n${body.trimEnd()}\n${fence}`
const keys = (shape: object): string => Object.keys(shape).join(', ')

const verbKeys = (): string =>
  Object.values(verbs)
    .map(({ name, summary, shape }) => `- \`${name}\`: ${summary} Keys: ${keys(shape)}.`)
    .join('\n')

const currentPlan = ({ text: plan, done, why }: NonNullable<PlanRequest['current']>): string[] => [
  `## The plan as it is\n\n${block('', plan)}`,
  done.length === 0
    ? 'No step is done yet: all of it may change, but keep its `plan` and `base`.'
    : `These steps are done or skipped, and must stay as they are, to the letter: ${done.join(', ')}. Keep \`plan\` and \`base\` too.`,
  ...(why.length === 0 ? [] : [`## Why\n\n${why.join('\n\n')}`]),
]

function rulesOf({ bases, limits, require }: PlanRequest['config']): string[] {
  return [
    ...(limits.steps === undefined ? [] : [`- At most ${limits.steps} steps.`]),
    ...(bases.length === 0 ? [] : [`- \`base\` is one of: ${bases.join(', ')}.`]),
    ...(require.length === 0 ? [] : [`- Every step has: ${require.join(', ')}.`]),
  ]
}

const mistakes = ({ answer, findings }: NonNullable<PlanRequest['refused']>): string[] => [
  `## Your last answer was refused\n\n${block('', answer.slice(0, mostAnswer))}`,
  findings
    .slice(0, 50)
    .map(
      ({ severity, line, column, message, advice, rule }) =>
        `- ${line === undefined ? '' : `line ${line}, column ${column ?? 1}: `}${severity}: ${message} (${rule})${advice === undefined ? '' : `; ${advice}`}`,
    )
    .join('\n'),
  'Answer with the whole corrected plan.',
]

/** The last block that says it is a plan, or else the text from its front matter on; undefined: there is none. */
export function planInAnswer(answer: string): string | undefined {
  const lines = answer.replaceAll('\r\n', '\n').split('\n')
  const starts = lines.flatMap((line, at) => {
    const [, ticks] = /^(`{3,})[ \t]*(?:plan|markdown|md|yaml)[ \t]*$/.exec(line) ?? []
    return ticks === undefined || lines[at + 1]?.trim() !== '---' ? [] : [{ at, ticks }]
  })
  for (const { at, ticks } of starts.toReversed()) {
    const end = lines.findLastIndex((line, index) => index > at && line.trim() === ticks)
    if (end > at) return `${lines.slice(at + 1, end).join('\n')}\n`
  }
  const from = lines.indexOf('---')
  return from < 0 || lines.indexOf('---', from + 1) < 0 ? undefined : `${lines.slice(from).join('\n').trimEnd()}\n`
}

/** The text with the request that it was made from. */
export function withRequest(plan: string, request: string): Uint8Array {
  const bytes = encode(plan)
  const matter = readFrontMatter(bytes)
  if (matter === undefined) return bytes
  const source = locateFile(plan, 'plan.md')
  return encode(spliceLocated(source, [setTopKey(source, matter, 'request', request.trim())]).text)
}
