// The public interface of the library.

import type { AttemptData, AttemptsData } from '../../commands/inspect/attempts.ts'
import type { AuditedData } from '../../commands/inspect/audit.ts'
import type { CheckData } from '../../commands/propose/check.ts'
import type { DiffData, SpecDiffData } from '../../commands/inspect/diff.ts'
import type { ListData } from '../../commands/inspect/list.ts'
import type { LogData, OutputData } from '../../commands/inspect/log.ts'
import type { MetricsData } from '../../commands/inspect/metrics.ts'
import type { StatsData } from '../../view/metrics/stats.ts'
import type { ReportAnswer } from '../../commands/inspect/report.ts'
import type { ShowData } from '../../commands/inspect/show.ts'
import type { StatusData } from '../../commands/inspect/status.ts'
import type { WaitData } from '../../commands/inspect/wait.ts'
import type { ComposedData } from '../../commands/propose/compose.ts'
import type { NewTemplateData, TemplateData, TemplatesData } from '../../commands/propose/template.ts'
import type { FetchedData } from '../../commands/propose/fetch.ts'
import type { ImportedData } from '../../commands/propose/import.ts'
import type { InitData } from '../../commands/propose/init.ts'
import type { SubmittedData } from '../../commands/propose/submit.ts'
import type { AgentsData } from '../../commands/agents/agent-status.ts'
import type { ContextData } from '../../commands/agents/context.ts'
import type { GuardData } from '../../commands/agents/guard.ts'
import type { ModeData } from '../../commands/agents/mode.ts'
import type { SafetyData } from '../../commands/agents/safety.ts'
import type { CacheData } from '../../commands/utilities/cache.ts'
import type { FleetAction } from '../../commands/fleet/fleet.ts'
import type { FleetData } from '../../commands/fleet/fleet-data.ts'
import type { FleetOptions } from './fleet-options.ts'
import type { ConfigData } from '../../commands/utilities/config.ts'
import type { DoctorData } from '../../commands/utilities/doctor.ts'
import type { HooksData } from '../../commands/utilities/hooks.ts'
import type { RunEvent } from '../../engine/run/events.ts'
import type { Classification } from '../../judge/shell/classify.ts'
import type {
  ArchivedData,
  CancelledData,
  DecidedData,
  DeletedData,
  DryRunData,
  FinishedData,
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
} from '../../operation/results.ts'

export interface PlansOptions {
  /** Any directory in the repository. Default: the working directory of the process. */
  readonly directory?: string
  /** Environment for Git and the steps. Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /**
   * Called for each event as it happens, with the objects that `git plan start --json` prints. If it throws, the run is
   * stopped and the method rejects with that error.
   */
  readonly onEvent?: (event: RunEvent) => void
  /**
   * Aborting it stops a run as Ctrl-C does: the processes of the step are killed, its changes are saved, and `resume`
   * continues from there.
   */
  readonly signal?: AbortSignal
  /** The clock for ages and lock timestamps; commits have Git's time. Default: the system clock. */
  readonly now?: () => Date
}

/** The result of a command: `kind`, the fields and `nextCommands` of `--json`, and the exit code. */
export interface PlansResult<Data extends object> {
  readonly kind: string
  readonly exitCode: number
  readonly data: Data
  /** The commands that a person would type next, most likely first. */
  readonly nextCommands: readonly string[]
}

type Answer<Data extends object> = Promise<PlansResult<Data>>

/** The text of a plan file, or its path relative to `directory`. */
export type PlanSource =
  | { readonly text: string; readonly file?: never }
  | { readonly file: string; readonly text?: never }

export interface Named {
  /** The id of the plan. */
  readonly plan: string
}

export type NamedOrSource =
  | (Named & { readonly text?: never; readonly file?: never })
  | (PlanSource & { readonly plan?: never })

export interface Valued {
  /** Values of parameters of a text, as `NAME=VALUE`. */
  readonly param?: readonly string[]
}

export interface Reasoned {
  /** The reason, which is recorded. */
  readonly message?: string
}

export interface Decision extends Named, Reasoned {
  /** Refuse unless the plan has this digest, so that the decision applies to the text that was read. */
  readonly digest?: string
}

export interface PushFlags {
  /** Push each step, and each external effect before it happens. */
  readonly push?: boolean
  /** With push: take over a plan that another clone holds. */
  readonly takeOver?: boolean
}

export interface RunFlags extends Omit<PushFlags, 'push'> {
  /** Push each step, and each external effect before it happens; `ends`: at most every 30 s. */
  readonly push?: boolean | 'ends'
  /** Approve the plan as it is, under the identity that Git is configured with. */
  readonly approve?: boolean
  /** Wait for the reviews that the policy requires. */
  readonly wait?: boolean
  /** Stash your changes first; they are restored when the plan is finished or cancelled. */
  readonly autostash?: boolean
  /** After a failure, continue with the steps that do not need the failed one. */
  readonly keepGoing?: boolean
  /** Run up to this many steps at the same time; 0: one per core. */
  readonly jobs?: number
  /** With jobs: after a failure, end the steps that still run. */
  readonly failFast?: boolean
  /** Run every step, also if the result of an earlier run could be used. */
  readonly noCache?: boolean
  /** Keep the work tree of a failed step for inspection. */
  readonly keepTree?: boolean
  /** Names of preflight checks to skip; recorded. */
  readonly skipCheck?: readonly string[]
}

export type StartRequest = NamedOrSource & RunFlags & Valued & { readonly worktree?: boolean }

/** More plans, to run at the same time, each in a work tree of its own. */
export interface Several {
  readonly more: readonly string[]
}
export interface NotSeveral {
  readonly more?: never
}

/** At most one of retry, skip, done and fix; only fix and retry can be combined. */
export interface ResumeRequest extends Named, RunFlags, Reasoned {
  readonly retry?: string
  /** With retry: start from the changes of this attempt. */
  readonly fromAttempt?: number
  /** With retry: continue the session of the agent that did the last attempt, with its files. */
  readonly continueSession?: boolean
  readonly skip?: string
  readonly done?: string
  readonly fix?: boolean
}

/** Without done, failed or release: run up to the next step of an agent, and hand it out. */
export interface NextRequest extends Named, PushFlags, Reasoned {
  readonly done?: string
  readonly failed?: string
  readonly release?: string
  readonly retry?: string
  readonly fromAttempt?: number
  /** The name of the driver. */
  readonly as?: string
  /** How long the step waits for the driver, such as `2h`. */
  readonly for?: string
  readonly wait?: boolean
  readonly autostash?: boolean
  readonly worktree?: boolean
  readonly skipCheck?: readonly string[]
}

/** Without `to`, `all` or `undo`: roll back the last step. */
export interface RollbackRequest extends Named, PushFlags, Reasoned {
  readonly to?: string
  readonly all?: boolean
  readonly undo?: boolean
  readonly keepEffects?: boolean
}

export interface FinishRequest extends Named {
  /** Default: `finish.mode` of the configuration. */
  readonly mode?: 'merge' | 'squash' | 'ff'
  readonly keepBranch?: boolean
  /** Push, and mark the pull request as ready; merge nothing. */
  readonly ready?: boolean
  /** Merge the pull request on the forge instead of here. */
  readonly remote?: boolean
  readonly push?: boolean
  readonly deleteBranch?: boolean
  /** The message of the merge or squash commit. */
  readonly message?: string
  readonly dryRun?: boolean
}

/** List what would happen, and change nothing. */
export interface DryRun {
  readonly dryRun: true
}
export interface NotDry {
  readonly dryRun?: false
}

/**
 * The plans of a repository. Each method is the command of `git plan` with its name, and takes its options in camelCase;
 * docs/commands.md describes them. The result is a value. A run that fails is a result (`data.end` is 'failed', exit
 * code 1); a refusal, and an option that the command does not have, is thrown as a PlanError. Nothing prompts. Only
 * `edit` and `completion`, which are for a person at a shell, `mcp` and `ui` are missing.
 */
export interface Plans {
  init(request?: { readonly hooks?: boolean }): Answer<InitData>
  /** Propose a plan on its branch, without touching the checkout. */
  readonly new: (
    request: (
      | (PlanSource & Valued & { readonly title?: string; readonly template?: never })
      | (Valued & { readonly template: string; readonly title?: string })
      | { readonly title: string; readonly template?: never; readonly agent?: never }
      /** The title is the request that the agent gets. */
      | { readonly title: string; readonly agent: string; readonly model?: string }
    ) & { readonly id?: string },
  ) => Answer<ProposedData>
  /** Propose a plan from the plan or checkpoint of another tool. With `output` or `dryRun` nothing is proposed. */
  readonly import: (request: {
    readonly source: string
    readonly as?: string
    readonly id?: string
    readonly output?: string
    readonly dryRun?: boolean
  }) => Answer<ImportedData>
  /** Validate a plan or a text and assess its risk. Runs nothing. */
  check(request: NamedOrSource & Valued & { readonly sarif?: boolean; readonly against?: string }): Answer<CheckData>
  /** Without `action`: list the templates. */
  template(request?: { readonly action?: 'list' }): Answer<TemplatesData>
  template(request: { readonly action: 'show'; readonly name: string }): Answer<TemplateData>
  template(request: { readonly action: 'new'; readonly name: string; readonly user?: boolean }): Answer<NewTemplateData>
  /** Combine plans and plan files into one text. */
  compose(request: {
    readonly plans: readonly string[]
    readonly output?: string
    readonly parallel?: boolean
    readonly title?: string
  }): Answer<ComposedData>
  submit(request: Named & { readonly ready?: boolean }): Answer<SubmittedData>
  readonly fetch: (request: Named & { readonly take?: 'theirs' | 'ours' }) => Answer<FetchedData>
  /** `campaign`: a file with the proof that a campaign approved the plan. */
  approve(
    request: Decision & { readonly sign?: boolean; readonly files?: boolean; readonly campaign?: string },
  ): Answer<DecidedData>
  reject(request: Decision): Answer<DecidedData>

  /** Run a plan: get approval, run the checks, run the steps. */
  start(request: StartRequest & NotDry & NotSeveral): Answer<RunData>
  start(request: StartRequest & DryRun & NotSeveral): Answer<DryRunData>
  start(request: StartRequest & Several & { readonly dryRun?: boolean }): Answer<ManyRunsData>
  /** Continue after the last completed step. */
  resume(request: ResumeRequest & NotDry & NotSeveral): Answer<RunData>
  resume(request: ResumeRequest & DryRun & NotSeveral): Answer<DryRunData>
  resume(request: ResumeRequest & Several & { readonly dryRun?: boolean }): Answer<ManyRunsData>
  /** Do the work of agent steps: `data.handed` is the step to do. */
  next(request: NextRequest & { readonly peek?: false }): Answer<NextData>
  next(request: Named & { readonly peek: true }): Answer<PeekedData>
  rollback(request: RollbackRequest & NotDry): Answer<RolledBackData>
  rollback(request: RollbackRequest & DryRun): Answer<RollbackPreview>
  /** Replace the text of the steps that are not done; needs a new approval. */
  replan(
    request: Named & Reasoned & ((PlanSource & Valued) | { readonly agent: string; readonly model?: string }),
  ): Answer<ReplannedData>
  /** Run all steps again on the tip of the base. `changed` tells whether the plan moved, if nothing ran. */
  rebase(
    request: Named & PushFlags & Pick<RunFlags, 'approve' | 'wait' | 'skipCheck' | 'jobs' | 'failFast'>,
  ): Answer<RunData | RebasedData>

  cancel(request: Named & Reasoned & { readonly push?: boolean }): Answer<CancelledData>
  /** Propose a plan again under a new id. */
  clone(request: Named & { readonly newId?: string }): Answer<ProposedData>
  /** Merge a completed plan into its base. */
  finish(request: FinishRequest): Answer<FinishedData>
  delete(request: Named & { readonly force?: boolean }): Answer<DeletedData>
  /** Without `plan`: all plans. */
  prune(request?: {
    readonly plan?: string
    readonly now?: boolean
    readonly worktrees?: boolean
    readonly dryRun?: boolean
  }): Answer<PrunedData>

  /** Takes a plan that has ended out of the list; with `undo` back. */
  archive(request: Named & Reasoned & { readonly undo?: boolean; readonly push?: boolean }): Answer<ArchivedData>

  list(request?: {
    readonly status?: string
    readonly resumable?: boolean
    readonly all?: boolean
    readonly archived?: boolean
  }): Answer<ListData>
  /** The state of a plan. */
  status(request: Named): Answer<StatusData>
  /** The content of a plan. */
  show(request: Named & { readonly graph?: boolean; readonly mermaid?: boolean }): Answer<ShowData>
  log(request: Named & { readonly output?: never }): Answer<LogData>
  /** The output of a step. */
  log(request: Named & { readonly output: string }): Answer<OutputData>
  /** Resolves when the plan has the status `for`, by default `completed`, or has stopped before. */
  wait(request: Named & { readonly for?: string; readonly timeout?: string }): Answer<WaitData>
  diff(request: Named & { readonly step?: string; readonly all?: boolean; readonly spec?: false }): Answer<DiffData>
  diff(request: Named & { readonly spec: true; readonly since?: string }): Answer<SpecDiffData>
  attempts(request: Named & { readonly show?: never; readonly number?: never }): Answer<AttemptsData>
  /** The changes of the last attempt of a step, or of number N; or from there to the attempt `against`. */
  attempts(
    request: Named & { readonly show: string; readonly number?: number; readonly against?: number },
  ): Answer<AttemptData>
  /** The outcome: steps, files, checks, attempts. */
  report(request: Named & { readonly html?: boolean; readonly output?: string }): Answer<ReportAnswer>
  /** `range`: such as `main~20..main`, for every plan whose file it adds. */
  audit(
    request: ((Named & { readonly range?: never }) | { readonly range: string; readonly plan?: never }) & {
      readonly rerun?: boolean
    },
  ): Answer<AuditedData>

  /** The metrics of all plans as text for Prometheus; `textfile`: written there. */
  metrics(request?: { readonly textfile?: string }): Answer<MetricsData>
  /** Rates and averages by month, template and agent. */
  stats(request?: { readonly since?: string; readonly svg?: boolean }): Answer<StatsData & { readonly svg?: string }>

  /** Plan mode of the work tree. */
  mode(request?: { readonly action?: 'on' | 'off' | 'status' }): Answer<ModeData>
  /** `text`: the payload of the hook of an agent. Exit code 2: denied. */
  guard(request: { readonly agent: string; readonly text: string }): Answer<GuardData>
  /** Set up coding agents. */
  agents(request: {
    readonly action: 'install' | 'status' | 'uninstall'
    readonly names?: readonly string[]
    readonly user?: boolean
    readonly dryRun?: boolean
  }): Answer<AgentsData>
  /** What an agent needs to continue, in at most `budget` tokens. */
  context(request?: { readonly budget?: number; readonly hook?: string }): Answer<ContextData>
  /** The commands that count as reading; `words`: the tool to add, or an id. */
  safety(request: {
    readonly action: 'list' | 'add' | 'remove' | 'allow'
    readonly words?: readonly string[]
    readonly read?: readonly string[]
    readonly session?: string
    readonly message?: string
  }): Answer<SafetyData>

  /** One plan in many repositories. `words`: what follows the action on the command line. */
  fleet(request: FleetOptions & { readonly action: 'run' | 'resume' | 'status' | 'report' }): Answer<FleetData>
  fleet(
    request?: FleetOptions & {
      readonly action?: Exclude<FleetAction, 'run' | 'resume' | 'status' | 'report' | 'look'>
    },
  ): Answer<{ readonly message: string | readonly string[] }>

  /** `command`: a command line, or a program and its arguments. */
  classify(request: { readonly command: string | readonly string[] }): Answer<Classification>
  schema(): Answer<{ readonly schema: Record<string, unknown> }>
  config(): Answer<ConfigData>
  /** Without `plan`: of all plans. */
  cache(request: { readonly action: 'list' | 'clear'; readonly plan?: string }): Answer<CacheData>
  hooks(request: {
    readonly action: 'install' | 'status' | 'uninstall'
    readonly names?: readonly string[]
    readonly shared?: boolean
  }): Answer<HooksData>
  doctor(request?: { readonly unlock?: string; readonly restore?: string }): Answer<DoctorData>
}
