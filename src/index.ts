// The public API: named exports, nothing else.

export { PlanError, exitCodes, type ErrorCode } from './errors.ts'
export { openPlans } from './library/open-plans.ts'
export type { Decision, Named, Plans, PlansOptions, PlanSource, Reasoned, RunFlags, WaysOn } from './library/plans.ts'
export type { CommandResult } from './commands/context.ts'
export type { RunEvent } from './run/events.ts'
export { parsePlan, type ParseResult, type PlanOrigin } from './plan/parse.ts'
export { planJsonSchema } from './plan/json-schema.ts'
export type { Plan, PlanState, PlanStatus, Step, StepStatus } from './plan/plan.ts'
export type { Finding } from './plan/finding.ts'
