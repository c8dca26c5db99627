// Judgement of a plan that parses: what is allowed and still unwise, or out of bounds.

import type { PlanConfig } from '../../plan/config/config.ts'
import type { Finding } from '../../plan/model/finding.ts'
import type { Plan } from '../../plan/model/plan.ts'
import type { FindPosition } from '../../plan/file/yaml.ts'
import type { Look } from './repository-facts.ts'
import { effects } from './rules/effects.ts'
import { graph } from './rules/graph.ts'
import { paths } from './rules/paths.ts'
import { required } from './rules/required.ts'

export interface PlanFacts {
  /** The plan's own file, such as `.plans/add-limits.md`. */
  readonly file: string
  /** `source.place` of the parser. */
  readonly place?: FindPosition
  /** The file as it is; without it nothing is said about its text. */
  readonly text?: string
  /** The repository; without it nothing is said about what steps would meet there. */
  readonly look?: Look
  /** Where it is known. */
  readonly config?: PlanConfig
  /** What the text says was judged before, by the same rules: only what looks at the repository is asked. */
  readonly isTextJudged?: boolean
  /** Steps that are as they are: what was asked of them was asked when they began. */
  readonly done?: ReadonlySet<string>
}

export type Rule = (plan: Plan, facts: PlanFacts) => Finding[]

const rules: readonly Rule[] = [paths, graph, effects, required]

/** As they stand in the file. */
export const inOrder = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))

/** The rules that need nothing but the plan; all of them: check-whole.ts. */
export const checkPlan = (plan: Plan, facts: PlanFacts): Finding[] =>
  inOrder(rules.flatMap((rule) => rule(plan, facts)))
