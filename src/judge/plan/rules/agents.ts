// Agent steps that nothing checks, and keys that their agent has no option for.

import { toolsBeyond, withPlanTools } from '../../../plan/agents/allowed-tools.ts'
import { isOfPlans } from '../../../plan/agents/configuration.ts'
import { driverName } from '../../../plan/agents/names.ts'
import { agentPresets } from '../../../plan/agents/presets.ts'
import { unenforcedKeys } from '../../../plan/agents/unenforced.ts'
import type { Finding } from '../../../plan/model/finding.ts'
import type { Plan, Step } from '../../../plan/model/plan.ts'
import type { AgentSpec } from '../../../plan/verbs/agent.ts'
import { agentOf } from '../../../plan/verbs/index.ts'
import type { PlanFacts } from '../check-plan.ts'
import { stepPosition } from '../source-position.ts'

export function agents(plan: Plan, facts: PlanFacts): Finding[] {
  const unknown = new Set<string>()
  return plan.steps.flatMap((step) => {
    const spec = agentOf(step)
    if (spec === undefined) return []
    // One command makes all its steps possible.
    return findingsOf(plan, facts, { step, spec }).filter(
      ({ rule }) => rule !== 'agent-unknown' || !(unknown.has(spec.agent) || unknown.add(spec.agent) === undefined),
    )
  })
}

function findingsOf(plan: Plan, facts: PlanFacts, { step, spec }: { step: Step; spec: AgentSpec }): Finding[] {
  const { agent } = spec
  const findings: Finding[] = []
  if (!isChecked(step))
    findings.push({
      rule: 'agent-unchecked',
      severity: 'warning',
      message: `nothing but the agent itself says that ${step.id} is done`,
      ...stepPosition(plan, facts, step, 'agent'),
      advice: 'add `test`, `verify`, `deliverables` or `criteria` with a `verify`',
    })
  for (const glob of step.files ?? [])
    if (isOfPlans(glob))
      findings.push({
        rule: 'agent-scope',
        severity: 'error',
        message: `${step.id} may not change ${glob}: an agent proposes plans, and changes none in its step`,
        ...stepPosition(plan, facts, step, 'files'),
        advice: 'remove it from `files`',
      })
  for (const tool of toolsBeyond(plan, spec))
    findings.push({
      rule: 'agent-tools',
      severity: 'error',
      message: `${step.id} names the tool ${tool}, which \`tools\` of the plan does not have`,
      ...stepPosition(plan, facts, step, 'tools'),
      advice: 'remove it, or add it to `tools` of the plan',
    })
  // A command of this name may also come from git config, which differs between machines.
  if (agent === driverName || Object.hasOwn(facts.config?.agents ?? {}, agent)) return findings
  const preset = Object.hasOwn(agentPresets, agent) ? agentPresets[agent] : undefined
  if (preset === undefined && facts.agents?.includes(agent) === true) return findings
  if (preset === undefined)
    return [
      ...findings,
      {
        rule: 'agent-unknown',
        severity: 'warning',
        message: `${agent} is not an agent that git plan knows`,
        ...stepPosition(plan, facts, step, 'agent'),
        advice: `where the plan runs, name its command: git config plan.agent.${agent}.run COMMAND; known: ${Object.keys(agentPresets).join(', ')}, ${driverName}`,
      },
    ]
  return [
    ...findings,
    ...unenforcedKeys(preset, withPlanTools(plan, spec)).map((key): Finding => ({
      rule: 'agent-option',
      severity: 'error',
      message: `${agent} has no option for \`${key}\`, so it would have no effect`,
      ...stepPosition(plan, facts, step, key),
      advice: 'remove it, or use another agent',
    })),
  ]
}

const isChecked = ({ test, verify, deliverables, criteria, changes }: Step): boolean =>
  test !== undefined ||
  verify.length + deliverables.length > 0 ||
  criteria.some((each) => each.verify.length > 0) ||
  changes === 'none'
