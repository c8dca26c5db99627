// The public API: named exports, nothing else.

export { PlanError, exitCodes, type ErrorCode } from './errors.ts'
export { parsePlan, type ParseResult, type PlanOrigin } from './plan/parse.ts'
export { planJsonSchema } from './plan/json-schema.ts'
export { withState } from './plan/write.ts'
export type { Plan, PlanState, PlanStatus, Step, StepStatus } from './plan/plan.ts'
export type { Finding } from './plan/finding.ts'
