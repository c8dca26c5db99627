// The events of a run as values: the terminal displays them, `--json` prints one per line.

import type { FailReason } from '../../plan/model/fail-reason.ts'
import type { Finding } from '../../plan/model/finding.ts'
import type { NewsKind } from '../../plan/config/notify.ts'
import type { WaitsFor } from '../../plan/model/waits-for.ts'
import type { PlanStatus, StepStatus } from '../../plan/model/plan.ts'

/** `plan`: its id. `worker`: the number of the work tree of the pool that the event comes from. */
export type RunEvent = { readonly plan?: string; readonly worker?: number } & RunEventFacts

type RunEventFacts =
  /** One command runs several plans. */
  | { readonly kind: 'plans-started'; readonly plans: readonly string[]; readonly jobs: number }
  | {
      readonly kind: 'run-started'
      readonly plan: string
      readonly run: string
      readonly title: string
      readonly where: string
      readonly done: number
      readonly total: number
      readonly steps: readonly { readonly id: string; readonly title: string; readonly status: StepStatus }[]
    }
  | { readonly kind: 'recovered'; readonly plan: string; readonly what: string }
  | { readonly kind: 'notice'; readonly message: string; readonly hint?: string }
  /** Warnings of `check` about the plan, before its first step. */
  | { readonly kind: 'warnings'; readonly plan: string; readonly findings: readonly Finding[] }
  | {
      readonly kind: 'phase'
      readonly name: 'setup' | 'preflight' | 'baseline' | 'verify' | 'undo' | 'probe'
      readonly command: string
      readonly step?: string
    }
  | {
      readonly kind: 'step-started'
      readonly step: string
      readonly title: string
      readonly verb: string
      readonly attempt: number
      readonly number: number
      readonly total: number
    }
  | { readonly kind: 'output'; readonly step: string; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  | {
      readonly kind: 'check'
      readonly step: string
      readonly name: string
      readonly ok: boolean
      readonly detail?: string
    }
  /** A step has run in the pool; its commit is made when the steps before it are done. */
  | {
      readonly kind: 'step-ran'
      readonly step: string
      readonly attempt: number
      readonly durationMs: number
      readonly replayed?: string
    }
  | {
      readonly kind: 'step-done'
      readonly step: string
      /** It ran in the pool. */
      readonly integrated?: true
      /** The commit whose changes were applied again, instead of running the step. */
      readonly replayed?: string
      readonly attempt: number
      readonly commit: string
      readonly durationMs: number
    }
  | {
      readonly kind: 'step-failed'
      readonly step: string
      readonly attempt: number
      readonly status: StepStatus
      readonly reason: FailReason
      readonly message: string
      readonly saved?: string
      /** Whether the attempt changed files. */
      readonly changed: boolean
      /** What to do about a timeout or a limit. */
      readonly advice?: string
      readonly retrying: boolean
      /** The plan continues: `allow_failure`. */
      readonly allowed: boolean
      readonly durationMs: number
    }
  | { readonly kind: 'step-skipped'; readonly step: string; readonly commit: string }
  | {
      readonly kind: 'step-waiting'
      readonly step: string
      readonly for: WaitsFor | 'pause'
      readonly message: string
    }
  | { readonly kind: 'step-unknown'; readonly step: string; readonly message: string }
  | { readonly kind: 'rolled-back'; readonly plan: string; readonly to: string }
  /** For the terminal: somebody may be looking elsewhere. */
  | {
      readonly kind: 'notification'
      readonly plan: string
      readonly event: NewsKind
      readonly text: string
      readonly bell: boolean
      readonly desktop: boolean
    }
  /** A campaign: where it is now. */
  | {
      readonly kind: 'fleet'
      readonly campaign: string
      readonly title: string
      /** The number of repositories by state. */
      readonly counts: Readonly<Record<string, number>>
      /** The number of those that nothing is to be done in, and of all. */
      readonly ended: number
      readonly total: number
      readonly elapsedMs: number
      readonly failures: readonly {
        readonly state: string
        readonly step: string | null
        readonly line: string | null
        readonly count: number
      }[]
    }
  /** A repository of a campaign has another state. */
  | {
      readonly kind: 'fleet-target'
      readonly campaign: string
      readonly address: string
      readonly state: string
      readonly step: string | null
      readonly line: string | null
      readonly ended: number
      readonly total: number
    }
  | {
      readonly kind: 'run-ended'
      readonly plan: string
      readonly status: PlanStatus
      readonly tip: string
      readonly done: number
      readonly total: number
      readonly next?: string
    }

export type Emit = (event: RunEvent) => void
