// Judges a plan that parses: problems that the schema allows, and paths that are out of bounds.

import type { PlanConfig } from '../../plan/config/config.ts'
import type { Finding } from '../../plan/model/finding.ts'
import type { Plan } from '../../plan/model/plan.ts'
import type { FindPosition } from '../../plan/file/yaml.ts'
import type { RepositoryFacts } from './repository-facts.ts'
import { agents } from './rules/agents.ts'
import { effects } from './rules/effects.ts'
import { graph } from './rules/graph.ts'
import { paths } from './rules/paths.ts'
import { phases } from './rules/phases.ts'
import { policy } from './rules/policy.ts'
import { required } from './rules/required.ts'
import { tests } from './rules/tests.ts'

export interface PlanFacts {
  /** The plan's own file, such as `.plans/add-limits.md`. */
  readonly file: string
  /** `source.place` of the parser. */
  readonly position?: FindPosition
  /** The text of the file; without it, rules about the text are skipped. */
  readonly text?: string
  /** The repository; without it, rules about the repository are skipped. */
  readonly repository?: RepositoryFacts
  /** The configuration, if it is known. */
  readonly config?: PlanConfig
  /** The names of agents whose command is known where the plan is checked. */
  readonly agents?: readonly string[]
  /** The same rules have judged the text before: only rules about the repository run. */
  readonly isTextJudged?: boolean
  /** Steps that are done, whose requirements were checked when they ran. */
  readonly done?: ReadonlySet<string>
}

export type Rule = (plan: Plan, facts: PlanFacts) => Finding[]

const rules: readonly Rule[] = [paths, graph, effects, required, tests, phases, agents, policy]

/** Findings in file order. */
export const inOrder = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))

/** Runs the rules that need only the plan. check-whole.ts runs all rules. */
export const checkPlan = (plan: Plan, facts: PlanFacts): Finding[] =>
  inOrder(rules.flatMap((rule) => rule(plan, facts)))
