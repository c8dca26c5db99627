// The public interface of the library.

import type { AttemptsData } from '../../commands/inspect/attempts.ts'
import type { CheckData } from '../../commands/propose/check.ts'
import type { CommandResult } from '../../operation/context.ts'
import type { DiffData } from '../../commands/inspect/diff.ts'
import type { ListData } from '../../commands/inspect/list.ts'
import type { LogData } from '../../commands/inspect/log.ts'
import type { ReportData } from '../../commands/inspect/report.ts'
import type {
  CancelledData,
  DecidedData,
  DeletedData,
  FinishedData,
  ProposedData,
  ReplannedData,
  RolledBackData,
  RunData,
} from '../../operation/results.ts'
import type { ShowData } from '../../commands/inspect/show.ts'
import type { StatusData } from '../../commands/inspect/status.ts'
import type { RunEvent } from '../../engine/run/events.ts'

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

/** The text of a plan file, or its path relative to `directory`. */
export type PlanSource =
  | { readonly text: string; readonly file?: never }
  | { readonly file: string; readonly text?: never }

export interface Named {
  /** The id of the plan. */
  readonly plan: string
}

export interface Reasoned {
  /** The reason, which is recorded. */
  readonly message?: string
}

export interface Decision extends Named, Reasoned {
  /** Refuse unless the plan has this digest, so that the decision applies to the text that was read. */
  readonly digest?: string
}

export interface RunFlags {
  /** Approve the plan as it is, under the identity that Git is configured with. */
  readonly approve?: boolean
  /** Stash your changes first; they are restored when the plan is finished or cancelled. */
  readonly autostash?: boolean
  /** After a failure, continue with the steps that do not need the failed one. */
  readonly keepGoing?: boolean
  /** Keep the work tree of a failed step for inspection. */
  readonly keepTree?: boolean
  /** Names of preflight checks to skip; recorded. */
  readonly skipCheck?: readonly string[]
}

/** At most one of retry, skip, done and fix; only fix and retry can be combined. */
export interface WaysOn extends Reasoned {
  readonly retry?: string
  /** With retry: start from the changes of this attempt. */
  readonly fromAttempt?: number
  readonly skip?: string
  readonly done?: string
  readonly fix?: boolean
}

/**
 * The plans of a repository. Each method is a command of `git plan` that returns its result as a value: `data`, the
 * exit code of the command, and the commands that a person would type next. A run that fails is a result (`data.end` is
 * 'failed', exit code 1); a refusal is thrown as a PlanError.
 */
export interface Plans {
  /** Propose a plan on its branch, without touching the checkout. */
  create(request: PlanSource & { readonly id?: string }): Promise<CommandResult<ProposedData>>
  /** Validate a plan or a text and assess its risk. Runs nothing. */
  check(request: Named | PlanSource): Promise<CommandResult<CheckData>>
  approve(request: Decision): Promise<CommandResult<DecidedData>>
  reject(request: Decision): Promise<CommandResult<DecidedData>>
  /** Run a plan: get approval, run the checks, run the steps. */
  start(request: Named & RunFlags & { readonly worktree?: boolean }): Promise<CommandResult<RunData>>
  /** Continue after the last completed step. */
  resume(request: Named & RunFlags & WaysOn): Promise<CommandResult<RunData>>
  /** Roll back to the commit of a step; without `to`, `all` or `undo`, roll back the last step. */
  rollback(
    request: Named &
      Reasoned & {
        readonly to?: string
        readonly all?: boolean
        readonly undo?: boolean
        readonly keepEffects?: boolean
      },
  ): Promise<CommandResult<RolledBackData>>
  /** Replace the text of the steps that are not done; needs a new approval. */
  replan(request: Named & PlanSource & Reasoned): Promise<CommandResult<ReplannedData>>
  cancel(request: Named & Reasoned): Promise<CommandResult<CancelledData>>
  /** Propose a plan again under a new id. */
  clone(request: Named & { readonly newId?: string }): Promise<CommandResult<ProposedData>>
  /** Merge a completed plan into its base. */
  finish(
    request: Named & { readonly mode?: 'merge' | 'squash' | 'ff'; readonly keepBranch?: boolean },
  ): Promise<CommandResult<FinishedData>>
  delete(request: Named & { readonly force?: boolean }): Promise<CommandResult<DeletedData>>
  list(request?: { readonly status?: string; readonly resumable?: boolean }): Promise<CommandResult<ListData>>
  /** The state of a plan. */
  status(request: Named): Promise<CommandResult<StatusData>>
  /** The content of a plan. */
  show(request: Named): Promise<CommandResult<ShowData>>
  log(request: Named): Promise<CommandResult<LogData>>
  diff(request: Named & { readonly step?: string; readonly all?: boolean }): Promise<CommandResult<DiffData>>
  attempts(request: Named): Promise<CommandResult<AttemptsData>>
  /** The outcome: steps, files, checks, attempts. */
  report(request: Named): Promise<CommandResult<ReportData>>
}
