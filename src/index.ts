// The public API of the package. Named exports only.

export { PlanError, exitCodes, type ErrorCode } from './errors.ts'
export { openPlans } from './adapters/library/open-plans.ts'
export type {
  Decision,
  Named,
  Plans,
  PlansOptions,
  PlanSource,
  Reasoned,
  RunFlags,
  WaysOn,
} from './adapters/library/plans.ts'
export type { CommandResult } from './operation/context.ts'
export type { AttemptsData } from './commands/inspect/attempts.ts'
export type { CheckData } from './commands/propose/check.ts'
export type { DiffData } from './commands/inspect/diff.ts'
export type { ListData } from './commands/inspect/list.ts'
export type { LogData } from './commands/inspect/log.ts'
export type { ReportData } from './commands/inspect/report.ts'
export type {
  CancelledData,
  DecidedData,
  DeletedData,
  FinishedData,
  ProposedData,
  ReplannedData,
  RolledBackData,
  RunData,
} from './operation/results.ts'
export type { ShowData } from './commands/inspect/show.ts'
export type { StatusData } from './commands/inspect/status.ts'
export type { CheckView } from './view/checks.ts'
export type { PlanSummary } from './view/plan-view.ts'
export type { RunEvent } from './engine/run/events.ts'
export { readPlan as parsePlan, type PlanOrigin, type ReadPlan as ParseResult } from './plan/file/read-plan.ts'
export { planJsonSchema } from './plan/file/json-schema.ts'
export type { Plan, PlanState, PlanStatus, Step, StepStatus } from './plan/model/plan.ts'
export type { Finding } from './plan/model/finding.ts'
