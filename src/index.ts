// The public API of the package. Named exports only.

export { PlanError, exitCodes, type ErrorCode } from './errors.ts'
export { openPlans } from './adapters/library/open-plans.ts'
export type {
  Decision,
  DryRun,
  FinishRequest,
  Named,
  NamedOrSource,
  NotDry,
  NotSeveral,
  Plans,
  PlansOptions,
  PlansResult,
  PlanSource,
  PushFlags,
  Reasoned,
  ResumeRequest,
  RollbackRequest,
  RunFlags,
  Several,
  StartRequest,
} from './adapters/library/plans.ts'
export type { AttemptData, AttemptsData } from './commands/inspect/attempts.ts'
export type { AuditedData } from './commands/inspect/audit.ts'
export type { CheckData } from './commands/propose/check.ts'
export type { DiffData, SpecDiffData } from './commands/inspect/diff.ts'
export type { ListData } from './commands/inspect/list.ts'
export type { LogData, OutputData } from './commands/inspect/log.ts'
export type { ReportData } from './view/report-data.ts'
export type { FetchedData } from './commands/propose/fetch.ts'
export type { ComposedData } from './commands/propose/compose.ts'
export type { ImportedData } from './commands/propose/import.ts'
export type { InitData } from './commands/propose/init.ts'
export type { NewTemplateData, TemplateData, TemplatesData } from './commands/propose/template.ts'
export type { SubmittedData } from './commands/propose/submit.ts'
export type { AgentsData } from './commands/agents/agent-status.ts'
export type { ContextData } from './commands/agents/context.ts'
export type { GuardData } from './commands/agents/guard.ts'
export type { ModeData } from './commands/agents/mode.ts'
export type { SafetyData } from './commands/agents/safety.ts'
export type { FleetData } from './commands/fleet/fleet-data.ts'
export type { CacheData } from './commands/utilities/cache.ts'
export type { ConfigData } from './commands/utilities/config.ts'
export type { DoctorData } from './commands/utilities/doctor.ts'
export type { HooksData } from './commands/utilities/hooks.ts'
export type { Classification } from './judge/shell/classify.ts'
export type {
  ArchivedData,
  CancelledData,
  DecidedData,
  DeletedData,
  DryRunData,
  FinishedData,
  HandedStep,
  ManyRunsData,
  NextData,
  PeekedData,
  ProposedData,
  PrunedData,
  RebasedData,
  ReplannedData,
  RollbackPreview,
  RolledBackData,
  RunData,
} from './operation/results.ts'
export type { ShowData } from './commands/inspect/show.ts'
export type { StatusData } from './commands/inspect/status.ts'
export type { WaitData } from './commands/inspect/wait.ts'
export type { CheckView } from './view/checks.ts'
export type { PlanSummary } from './view/plan-view.ts'
export type { RunEvent } from './engine/run/events.ts'
export { readPlan as parsePlan, type PlanOrigin, type ReadPlan as ParseResult } from './plan/file/read-plan.ts'
export { planJsonSchema } from './plan/file/json-schema.ts'
export type { Plan, PlanState, PlanStatus, Step, StepStatus } from './plan/model/plan.ts'
export type { Finding } from './plan/model/finding.ts'
