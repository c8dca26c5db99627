// What several commands share.

import type { OptionSpec, PositionalSpec } from './spec.ts'

export const flag = (name: string, description: string, short?: string): OptionSpec => ({
  name,
  type: 'boolean',
  description,
  ...(short === undefined ? {} : { short }),
})
export const text = (name: string, value: string, description: string, short?: string): OptionSpec => ({
  name,
  type: 'string',
  value,
  description,
  ...(short === undefined ? {} : { short }),
})

export const requiredPlan: PositionalSpec = { name: 'plan', label: 'PLAN', description: 'the id of a plan, or its branch', isRequired: true }
export const plan = {
  name: 'plan',
  label: 'PLAN',
  description: requiredPlan.description,
  leftOut: 'the plan that is checked out, else the only open one',
} satisfies PositionalSpec

export const why = text('message', 'WHY', 'the reason, kept in the record', 'm')
export const digest = text('digest', 'D', 'refuse unless the plan has this digest, the one that was read')
export const dryRun = flag('dry-run', 'say what would happen, and do nothing')
export const takeOver = flag('take-over', 'with --push: take over from another clone that holds the plan')
export const runOptions: readonly OptionSpec[] = [
  flag('approve', 'approve the plan as it is, in your name'),
  flag('wait', 'wait for the reviews on the forge that the policy asks for'),
  flag('autostash', 'put your changes aside first; they come back at the end'),
  flag('keep-going', 'after a failure go on with the steps that do not need the failed one'),
  flag('keep-tree', 'leave the tree of a failed step for inspection'),
  flag('push', 'push each checkpoint before the next step, an effect before it happens'),
  takeOver,
  dryRun,
  { ...text('skip-check', 'NAME', 'leave out one check before the run; can be given again, is recorded'), multiple: true },
]
