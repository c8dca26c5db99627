// A plan in full, for the person who approves it.

import type { CommandResult } from '../../../operation/context.ts'
import { planAfterwards, planBackground, planBefore, stepDetails } from '../../../view/describe-plan.ts'
import { resultLines } from '../../../view/step-results.ts'
import type { ShowData, ShownStep } from '../../../commands/inspect/show.ts'
import { escapeForTerminal } from '../../../plan/text/display.ts'
import type { Style } from '../style.ts'
import { approvalText } from './approval.ts'
import { duration, short } from '../../../view/duration.ts'
import { findingLines } from './findings.ts'
import { paintStatus } from '../../terminal/paint.ts'

const safe = (text: string): string => escapeForTerminal(text)

export function printShow({ data: plan }: CommandResult<ShowData>, style: Style): string {
  if (plan.drawing !== undefined) return `${escapeForTerminal(plan.drawing, { multiline: true })}${pathLine(plan)}`
  const lines = [
    `${style.bold(safe(plan.title))} (${plan.id}, ${plan.seen})`,
    `file      ${safe(plan.file)}`,
    `base      ${safe(plan.base ?? 'the current branch')}`,
    `digest    ${plan.digest}${plan.revision === 0 ? '' : `, revision ${plan.revision}`}`,
    ...(plan.clonedFrom === null ? [] : [`copy of   ${plan.clonedFrom.plan} at ${short(plan.clonedFrom.tip)}`]),
    `risk      ${paintStatus(plan.risk, style)(plan.risk)}`,
    ...plan.reasons.map((reason) => `          ${safe(reason)}`),
    ...(plan.approval.state === 'none' ? [] : [`approval  ${approvalText(plan)}`]),
  ]
  const background = planBackground({
    ...plan,
    request: plan.request ?? undefined,
    goal: plan.goal ?? undefined,
    owner: plan.owner ?? undefined,
    notes: plan.notes ?? undefined,
  })
  if (background.length > 0) lines.push('', ...background)
  const described = {
    ...plan,
    tools: plan.tools ?? undefined,
    setup: plan.setup ?? undefined,
    setupInputs: plan.setupInputs ?? undefined,
    test: plan.test ?? undefined,
    counted: plan.counted ?? undefined,
  }
  const [before, after] = [planBefore(described), planAfterwards(described)]
  if (before.length > 0) lines.push('', 'before the first step:', ...before.map((line) => `  ${line}`))
  const isLinear = plan.waves.every(({ length }) => length === 1)
  for (const [number, ids] of plan.waves.entries()) {
    if (isLinear) lines.push(...(number === 0 ? [''] : []))
    else lines.push('', style.dim(`wave ${number}`))
    for (const step of plan.steps.filter((each) => ids.includes(each.id))) lines.push(...stepLines(step, style))
  }
  if (after.length > 0) lines.push('', 'for the whole plan:', ...after.map((line) => `  ${line}`))
  if (plan.findings.length > 0) lines.push('', ...findingLines(plan.findings, style))
  if (plan.prose.trim() !== '') lines.push('', escapeForTerminal(plan.prose.trim(), { multiline: true }))
  return `${lines.join('\n')}\n`
}

/** Not below the text for Mermaid. */
function pathLine({ drawing, criticalPath: { steps, durationMs }, savedMs }: ShowData): string {
  if (steps.length < 2 || drawing?.startsWith('wave') !== true) return ''
  const time = durationMs === null ? '' : ` (${duration(durationMs)})`
  const saved = savedMs === 0 ? '' : `\nsaved by parallel steps: ${duration(savedMs)}`
  return `\n* critical path${time}: ${steps.join(' -> ')}${saved}\n`
}

function stepLines(step: ShownStep, style: Style): string[] {
  const needs = step.needs.length === 0 ? '' : style.dim(` needs ${step.needs.join(', ')}`)
  const risk = step.risk === 'LOW' ? '' : ` ${paintStatus(step.risk, style)(step.risk)}`
  return [
    `  ${style.bold(step.id)}: ${safe(step.title)}${risk}${step.effect === 'external' ? ` ${style.yellow('external effect')}` : ''}${needs}`,
    ...[...stepDetails(step), ...resultLines(step).map(safe)].map((line) => `    ${line}`),
  ]
}
