// The agents of a plan must be known and installed, and their roles defined, before the first step.

import { PlanError } from '../../errors.ts'
import { withPlanTools } from '../../plan/agents/allowed-tools.ts'
import { driverName } from '../../plan/agents/names.ts'
import { unenforcedKeys } from '../../plan/agents/unenforced.ts'
import { isSettled } from '../../plan/model/step-status.ts'
import type { Step } from '../../plan/model/plan.ts'
import type { AgentSpec } from '../../plan/verbs/agent.ts'
import { agentOf } from '../../plan/verbs/index.ts'
import { stepEnvironment } from '../../process/environment.ts'
import { isOnPath } from '../../process/on-path.ts'
import type { Run } from '../run/run.ts'
import { presetOf, roleOf, rolePaths } from '../agent/run-agent.ts'

export async function refuseMissingAgents(run: Run): Promise<void> {
  // A driver does the work of every agent.
  if (run.command === 'next') return
  const { plan } = run.at
  for (const step of plan.steps) {
    const spec = isSettled(plan, step.id) ? undefined : agentOf(step)
    if (spec !== undefined) await refuseMissing(run, step, withPlanTools(plan, spec))
  }
}

async function refuseMissing(run: Run, step: Step, spec: AgentSpec): Promise<void> {
  if (spec.agent === driverName) return
  const preset = presetOf(spec.agent, run.settings.agents)
  if (preset === undefined)
    throw new PlanError('preflight', `step ${step.id} wants the agent ${spec.agent}, which is not known here`, {
      hint: {
        'name its command': `git config plan.agent.${spec.agent}.run COMMAND`,
        'or do the step yourself': `git plan next ${run.id}`,
      },
    })
  const [unenforced] = unenforcedKeys(preset, spec)
  if (unenforced !== undefined)
    throw new PlanError(
      'preflight',
      `step ${step.id} limits ${spec.agent} with \`${unenforced}\`, which it has no option for`,
      { hint: `git plan edit ${run.id}` },
    )
  const [program = ''] = preset.argv
  if (!program.startsWith('/') && !(await isOnPath(program, stepEnvironment(run.world.env)['PATH'] ?? '')))
    throw new PlanError('preflight', `step ${step.id} wants the agent ${spec.agent}, but ${program} is not on PATH`, {
      hint: {
        [`once ${program} is installed`]: `git plan resume ${run.id}`,
        'or do the step yourself': `git plan next ${run.id}`,
      },
    })
  const role = await roleOf(run.checkedOut.tree.root, preset, step)
  if (role === undefined && spec.as !== undefined)
    throw new PlanError(
      'preflight',
      `step ${step.id} wants the role ${spec.as}, but there is none of ${rolePaths(preset, spec.as).join(', ')}`,
      { hint: `git plan edit ${run.id}` },
    )
}
