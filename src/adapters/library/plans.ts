// The surface of the library.

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
  /** Somewhere in the repository. Default: where the process is. */
  readonly directory?: string
  /** For git and for the steps. Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /**
   * What happens, as it happens: what `git plan start --json` prints a line each. Where it throws, the run is stopped
   * and the method rejects with that.
   */
  readonly onEvent?: (event: RunEvent) => void
  /**
   * Aborting it stops a run as Ctrl-C does: the step's processes are ended, what it left is saved, and `resume` goes on
   * from there.
   */
  readonly signal?: AbortSignal
  /**
   * The clock that ages are reckoned from and locks are dated with; commits have Git's time. Default: that of the
   * process.
   */
  readonly now?: () => Date
}

/** The text of a plan file, or where it lies, relative to `directory`. */
export type PlanSource =
  | { readonly text: string; readonly file?: never }
  | { readonly file: string; readonly text?: never }

export interface Named {
  /** The id of the plan. */
  readonly plan: string
}

export interface Reasoned {
  /** The reason, kept in the record. */
  readonly message?: string
}

export interface Decision extends Named, Reasoned {
  /** Refuse unless the plan has this digest: decide on what was read, not on what it became. */
  readonly digest?: string
}

export interface RunFlags {
  /** Approve the plan as it is, in the name that git is configured with. */
  readonly approve?: boolean
  /** Put the user's changes aside first; they come back when the plan is finished or cancelled. */
  readonly autostash?: boolean
  /** After a failure go on with the steps that do not need the failed one. */
  readonly keepGoing?: boolean
  /** Leave the tree of a failed step for inspection. */
  readonly keepTree?: boolean
  /** Names of preflight checks to leave out; recorded. */
  readonly skipCheck?: readonly string[]
}

/** At most one of retry, skip, done and fix; fix and retry go together. */
export interface WaysOn extends Reasoned {
  readonly retry?: string
  /** With retry: begin with what this attempt left. */
  readonly fromAttempt?: number
  readonly skip?: string
  readonly done?: string
  readonly fix?: boolean
}

/**
 * The plans of a repository. Each method is a command of `git plan`, with its result as a value: `data`, the exit code
 * that the command would have, and the commands that a person would type next. A run that fails is a result (`data.end`
 * is 'failed', exit code 1); what cannot be done at all is thrown as a PlanError.
 */
export interface Plans {
  /** Propose a plan on its branch, without touching the checkout. */
  create(request: PlanSource & { readonly id?: string }): Promise<CommandResult<ProposedData>>
  /** Validate a plan or a text and assess its risk. Runs nothing. */
  check(request: Named | PlanSource): Promise<CommandResult<CheckData>>
  approve(request: Decision): Promise<CommandResult<DecidedData>>
  reject(request: Decision): Promise<CommandResult<DecidedData>>
  /** Carry a plan out: its approval, its checks, its steps. */
  start(request: Named & RunFlags & { readonly worktree?: boolean }): Promise<CommandResult<RunData>>
  /** Go on from the last step that is done. */
  resume(request: Named & RunFlags & WaysOn): Promise<CommandResult<RunData>>
  /** Back to the commit of a step; without `to`, `all` or `undo` the last step goes. */
  rollback(
    request: Named &
      Reasoned & {
        readonly to?: string
        readonly all?: boolean
        readonly undo?: boolean
        readonly keepEffects?: boolean
      },
  ): Promise<CommandResult<RolledBackData>>
  /** A new text for what is not done yet; needs a new approval. */
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
  /** Where a plan stands. */
  status(request: Named): Promise<CommandResult<StatusData>>
  /** What a plan says. */
  show(request: Named): Promise<CommandResult<ShowData>>
  log(request: Named): Promise<CommandResult<LogData>>
  diff(request: Named & { readonly step?: string; readonly all?: boolean }): Promise<CommandResult<DiffData>>
  attempts(request: Named): Promise<CommandResult<AttemptsData>>
  /** The outcome: steps, files, checks, attempts. */
  report(request: Named): Promise<CommandResult<ReportData>>
}
