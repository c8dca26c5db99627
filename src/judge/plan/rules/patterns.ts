// Commands that could do harm. Loaded when a plan is judged, and not by those who only read it: the parser and its
// tables are large.

import type { Finding } from '../../../plan/model/finding.ts'
import type { Plan } from '../../../plan/model/plan.ts'
import { dangersOf, type Danger } from '../../shell/dangers.ts'
import { dangerRules, type DangerName } from '../../shell/dangers/rules.ts'
import type { PlanFacts } from '../check-plan.ts'
import { commandsOf, placeInCommand, type PlanCommand } from '../commands-of.ts'

/** What a step may `allow`. */
export const patternNames: readonly string[] = Object.keys(dangerRules)

export function patterns(plan: Plan, facts: PlanFacts): Finding[] {
  if (facts.config?.validation.patterns === false) return []
  const judged = new Map<string, Danger[]>()
  const findings = commandsOf(plan)
    .filter(({ step }) => step === undefined || facts.done?.has(step.id) !== true)
    .flatMap((each) => {
      const key = JSON.stringify([each.command, each.step?.env])
      const dangers = judged.get(key) ?? dangersOf(each.command, each.step?.env)
      judged.set(key, dangers)
      return dangers.filter(({ rule }) => isMeant(rule, each)).map((danger) => findingOf(danger, each, facts))
    })
  return once(findings)
}

/** A step that says that it has an effect outside the repository may have it. */
const isMeant = (rule: string, { step }: PlanCommand): boolean =>
  rule !== 'shell-external-effect' || step?.effect !== 'external'

function findingOf({ rule, message, line, column }: Danger, command: PlanCommand, facts: PlanFacts): Finding {
  const { step, key } = command
  return {
    rule,
    severity: 'error',
    message: `\`${key}\`: ${message}`,
    file: facts.file,
    ...(step === undefined ? {} : { step: step.id }),
    ...(facts.place === undefined ? {} : placeInCommand(command, facts.place, { line, column })),
    advice: adviceOf(rule, command),
  }
}

function adviceOf(rule: string, { step }: PlanCommand): string {
  const { instead } = dangerRules[rule as DangerName]
  if (step !== undefined) return `${instead}; to accept it, add \`allow: [${rule}]\` to the step`
  return rule === 'shell-external-effect' ? 'make it a step of its own with `effect: external`' : instead
}

function once(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>()
  return findings.filter(({ rule, step, line, column, message }) => {
    const key = JSON.stringify(line === undefined ? [rule, step, message] : [rule, line, column])
    return !seen.has(key) && seen.add(key)
  })
}
