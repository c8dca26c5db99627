// Dangerous commands. Loaded only if a plan is judged: the parser and its tables are large.

import type { Finding } from '../../../plan/model/finding.ts'
import type { Plan } from '../../../plan/model/plan.ts'
import { dangersOf, type Danger } from '../../shell/dangers.ts'
import { dangerRules, type DangerName, type DangerRule } from '../../shell/dangers/rules.ts'
import type { PlanFacts } from '../check-plan.ts'
import { commandsOf, positionInCommand, type PlanCommand } from '../commands-of.ts'

/** Names that a step may `allow`. */
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
      return dangers.filter(({ rule }) => isReported(rule, each)).map((danger) => findingOf(danger, each, facts))
    })
  return withoutDuplicates(findings)
}

/** A step that declares an external effect may have one. */
const isReported = (rule: string, { step }: PlanCommand): boolean =>
  rule !== 'shell-external-effect' || step?.effect !== 'external'

function findingOf({ rule, message, line, column }: Danger, command: PlanCommand, facts: PlanFacts): Finding {
  const { step, key } = command
  const known: DangerRule = dangerRules[rule as DangerName]
  return {
    rule,
    severity: known.severity ?? 'error',
    message: `\`${key}\`: ${message}`,
    file: facts.file,
    ...(step === undefined ? {} : { step: step.id }),
    ...(facts.position === undefined ? {} : positionInCommand(command, facts.position, { line, column })),
    advice: adviceOf(rule, command),
  }
}

function adviceOf(rule: string, { step }: PlanCommand): string {
  const { instead, severity }: DangerRule = dangerRules[rule as DangerName]
  if (severity === 'warning') return instead
  if (step !== undefined) return `${instead}; to accept it, add \`allow: [${rule}]\` to the step`
  return rule === 'shell-external-effect' ? 'make it a step of its own with `effect: external`' : instead
}

function withoutDuplicates(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>()
  return findings.filter(({ rule, step, line, column, message }) => {
    const key = JSON.stringify(line === undefined ? [rule, step, message] : [rule, line, column])
    return !seen.has(key) && seen.add(key)
  })
}
