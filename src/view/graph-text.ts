// Draws the dependency graph as text.

import type { CriticalPath } from './critical-path.ts'
import { waves } from '../plan/graph/graph.ts'
import { statusOf, type Plan, type StepStatus } from '../plan/model/plan.ts'

const marks: Readonly<Record<StepStatus, string>> = {
  pending: ' ',
  done: 'x',
  failed: '!',
  timeout: '!',
  conflict: '!',
  skipped: '-',
  waiting: '~',
}

/** Waves from top to bottom; steps of one wave do not need each other. A `*` marks the critical path. */
export function drawGraph(plan: Plan, critical: CriticalPath): string {
  const width = Math.max(...plan.steps.map((step) => step.id.length))
  const lines: string[] = []
  for (const [number, steps] of waves(plan).entries()) {
    if (number > 0) lines.push('   |', '   v')
    lines.push(`wave ${number}`)
    for (const step of steps) {
      const above = step.needs.length === 0 ? '' : `  <- ${step.needs.join(', ')}`
      const mark = critical.steps.includes(step.id) ? '*' : ' '
      lines.push(`${mark} [${marks[statusOf(plan, step.id)]}] ${step.id.padEnd(width)}  ${step.title}${above}`)
    }
  }
  return `${lines.join('\n')}\n`
}

/** Node names are generated, because an id such as `end` is a Mermaid keyword. */
export function drawMermaid(plan: Plan): string {
  const names = new Map(plan.steps.map((step, index) => [step.id, `s${index}`]))
  const nodes = plan.steps.map((step) => `  ${names.get(step.id)}["${escapeLabel(`${step.id}: ${step.title}`)}"]`)
  const edges = plan.steps.flatMap((step) => step.needs.map((need) => `  ${names.get(need)} --> ${names.get(step.id)}`))
  return `${['graph TD', ...nodes, ...edges].join('\n')}\n`
}

const escapeLabel = (text: string): string =>
  text.replace(/[#"<>&`\\[\]{}]/g, (character) => `#${character.charCodeAt(0)};`)
