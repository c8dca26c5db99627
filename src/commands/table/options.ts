// Arguments and options that several commands share.

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

export const requiredPlan: PositionalSpec = {
  name: 'plan',
  label: 'PLAN',
  description: 'the id or branch of a plan',
  isRequired: true,
}
export const plan = {
  name: 'plan',
  label: 'PLAN',
  description: requiredPlan.description,
  defaultsTo: 'the checked-out plan, or else the only open one',
} satisfies PositionalSpec

export const why = text('message', 'WHY', 'the reason, for the record', 'm')
export const digest = text('digest', 'D', 'refuse unless the plan has this digest')
export const dryRun = flag('dry-run', 'show what would happen and change nothing')
/** For commands that run steps. */
export const push: OptionSpec = {
  ...flag('push', 'push each step, and each effect before it happens; =ends: push less often'),
  values: ['ends'],
}
export const takeOver = flag('take-over', 'with --push: take over a plan that another clone holds')
export const skipCheck: OptionSpec = {
  ...text('skip-check', 'NAME', 'skip a preflight check; repeatable, recorded in the commit'),
  multiple: true,
}
export const jobs = text('jobs', 'JOBS', 'run up to JOBS steps at the same time; 0: one per core (default: 1)', 'j')
export const failFast = flag('fail-fast', 'with -j: after a failure, end the steps that still run')
export const param: OptionSpec = {
  ...text('param', 'KEY=VALUE', 'the value of a parameter; repeatable', 'p'),
  multiple: true,
}
export const runOptions: readonly OptionSpec[] = [
  jobs,
  flag('approve', 'approve the plan in your name'),
  flag('wait', 'wait for the reviews that the policy requires'),
  flag('autostash', 'stash your changes first and restore them at the end'),
  flag('keep-going', 'after a failure, run the steps that do not need the failed one'),
  failFast,
  flag('no-cache', 'run every step, also if the result of an earlier run could be used'),
  flag('keep-tree', 'leave the changes of a failed step in the work tree'),
  push,
  takeOver,
  dryRun,
  skipCheck,
]
