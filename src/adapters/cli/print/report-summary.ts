// The sections of a report that say what matters: highlights, phases, preflight checks, and what comes next.

import type { ReportData } from '../../../view/report-data.ts'
import type { PreflightView } from '../../../view/report-summary.ts'
import { escapeText, row } from './report-text.ts'

export const highlightSection = ({ highlights }: ReportData): string[] =>
  highlights.length === 0 ? [] : ['', '## Highlights', '', ...highlights.map(({ text }) => `- ${escapeText(text)}`)]

/** In the order of their first steps. */
export function phaseSection({ plan }: ReportData): string[] {
  const phases = [...new Set(plan.steps.map(({ phase }) => phase))]
  if (phases.every((phase) => phase === null)) return []
  const rows = phases.map((phase) => {
    const own = plan.steps.filter((step) => step.phase === phase)
    const owners = [...new Set(own.flatMap(({ owner }) => owner ?? []))]
    const done = own.filter(({ status }) => status === 'done').length
    return row([
      phase ?? 'none',
      own.map(({ id }) => id).join(', '),
      `${done} of ${own.length}`,
      owners.map(escapeText).join(', '),
    ])
  })
  return ['', '## Phases', '', '| phase | steps | done | owners |', '| --- | --- | --- | --- |', ...rows]
}

export function preflightSection({ preflight }: ReportData): string[] {
  const builtIn = (result: PreflightView['result']): string[] => {
    const names = preflight
      .filter((each) => each.kind === 'built-in' && each.result === result)
      .map(({ check, detail }) => `${check}${detail === null ? '' : ` (${escapeText(detail)})`}`)
    return names.length === 0 ? [] : [`- ${result}: ${names.join(', ')}`]
  }
  const commands = preflight
    .filter(({ kind }) => kind === 'command')
    .map(({ check, result, detail }) => `- ${result}: ${escapeText(check)}${detail === null ? '' : ` (${detail})`}`)
  const lines = [...builtIn('passed'), ...builtIn('skipped'), ...builtIn('pending'), ...commands]
  return lines.length === 0 ? [] : ['', '## Before the first step', '', ...lines]
}

export function nextSection({ outlook, next }: ReportData): string[] {
  const { steps, judge, questions, notes } = outlook
  const [first, ...others] = steps
  const lines = [
    ...(first === undefined
      ? []
      : [
          `- next: \`${first.id}\`${first.owner === null ? '' : ` (${escapeText(first.owner)})`}: ${escapeText(first.title)}${first.why === null ? '' : `: ${escapeText(first.why)}`}`,
        ]),
    ...(others.length === 0 ? [] : [`- then: ${others.map(({ id }) => `\`${id}\``).join(', ')}`]),
    ...judge.map(({ step, criterion }) => `- to be judged: ${ofStep(step)}${escapeText(criterion)}`),
    ...questions.map(({ step, question }) => `- to be answered: ${ofStep(step)}${escapeText(question)}`),
    ...notes.map(({ step, note }) => `- to be known: ${ofStep(step)}${escapeText(note)}`),
    ...next.map((command) => `- to type: \`${command}\``),
  ]
  return lines.length === 0 ? [] : ['', '## Next', '', ...lines]
}

const ofStep = (step: string | null): string => (step === null ? '' : `\`${step}\` `)
