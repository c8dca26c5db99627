// The tools of the plan and of a step: the plan names the most that its agents may use, a step may name fewer.

import type { Plan } from '../model/plan.ts'
import type { AgentSpec } from '../verbs/agent.ts'

/** The step with the tools of the plan, if it names none. */
export const withPlanTools = ({ tools }: Pick<Plan, 'tools'>, spec: AgentSpec): AgentSpec =>
  tools === undefined || spec.tools !== undefined ? spec : { ...spec, tools: [...tools] }

/** The tools of the step that the plan does not have. `Bash` has `Bash(npm test)` too. */
export const toolsBeyond = ({ tools }: Pick<Plan, 'tools'>, spec: AgentSpec): string[] =>
  tools === undefined
    ? []
    : (spec.tools ?? []).filter((tool) => !tools.includes(tool) && !tools.includes(tool.replace(/\(.*/s, '')))
