// A plan for the person who is to approve it: everything that would run, in full.

import type { CommandResult } from '../../commands/context.ts'
import type { ShowData, ShownStep } from '../../commands/show.ts'
import { escapeForTerminal } from '../../plan/display.ts'
import type { Style } from '../style.ts'
import { paintStatus } from './paint.ts'

const safe = (text: string): string => escapeForTerminal(text)

export function printShow({ data: plan }: CommandResult<ShowData>, style: Style): string {
  if (plan.drawing !== undefined) return escapeForTerminal(plan.drawing, { multiline: true })
  const lines = [
    `${style.bold(safe(plan.title))} (${plan.id}, ${plan.status})`,
    `file    ${safe(plan.file)}`,
    `base    ${safe(plan.base ?? 'the branch that is checked out')}`,
    `digest  ${plan.digest}`,
    `risk    ${paintStatus(plan.risk, style)(plan.risk)}`,
    ...plan.reasons.map((reason) => `        ${safe(reason)}`),
  ]
  if (plan.request !== null) lines.push('', 'asked for:', ...indented(plan.request))
  if (plan.setup !== null) lines.push('', 'setup:', ...indented(plan.setup))
  if (plan.preflight.length > 0) lines.push('', 'before the first step:', ...plan.preflight.flatMap(indented))
  for (const [number, ids] of plan.waves.entries()) {
    lines.push('', style.dim(`wave ${number}`))
    for (const step of plan.steps.filter((each) => ids.includes(each.id))) lines.push(...stepLines(step, style))
  }
  if (plan.prose.trim() !== '') lines.push('', escapeForTerminal(plan.prose.trim(), { multiline: true }))
  return `${lines.join('\n')}\n`
}

function stepLines(step: ShownStep, style: Style): string[] {
  const needs = step.needs.length === 0 ? '' : style.dim(` needs ${step.needs.join(', ')}`)
  const risk = step.risk === 'LOW' ? '' : ` ${paintStatus(step.risk, style)(step.risk)}`
  return [`  ${style.bold(step.id)}: ${safe(step.title)}${risk}${step.effect === 'external' ? ` ${style.yellow('external effect')}` : ''}${needs}`, ...specLines(step.spec)]
}

function specLines(spec: unknown): string[] {
  if (typeof spec !== 'object' || spec === null) return []
  return Object.entries(spec).flatMap(([key, value]: [string, unknown]) => {
    if (value === undefined) return []
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return text.includes('\n') ? [`    ${safe(key)}:`, ...text.replace(/\n$/, '').split('\n').map((line) => `      ${safe(line)}`)] : [`    ${safe(key)}: ${safe(text)}`]
  })
}

const indented = (text: string): string[] => text.trimEnd().split('\n').map((line) => `  ${safe(line)}`)
