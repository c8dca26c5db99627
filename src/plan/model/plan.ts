// The plan as a value, after parsing, defaults and derivation. The rest of the program passes this value around.

import type { Duration, PlanId, RepoPath, StepId } from './ids.ts'
import type { TestFormat } from './test-counts.ts'
import type { Params } from './params.ts'
import type { SourceEntry } from './source-entry.ts'

export const planStatuses = [
  'proposed',
  'approved',
  'rejected',
  'active',
  'waiting',
  'failed',
  'completed',
  'cancelled',
] as const
export type PlanStatus = (typeof planStatuses)[number]

/** Statuses in the plan file. A step that is not listed is pending. */
export const stepStatuses = ['pending', 'done', 'failed', 'timeout', 'conflict', 'skipped', 'waiting'] as const
export type StepStatus = (typeof stepStatuses)[number]

/** Per plan. */
export const maxSteps = 1000

export const riskLevels = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const
export type Risk = (typeof riskLevels)[number]

/** A check that the executor performs after a step. */
export type Check =
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'exists'; readonly path: string }
  | { readonly kind: 'absent'; readonly path: string }
  /** `pattern` is a JavaScript regular expression, flags `mu`. */
  | { readonly kind: 'contains'; readonly file: string; readonly pattern: string }
  | { readonly kind: 'lacks'; readonly file: string; readonly pattern: string }
  | { readonly kind: 'not_empty'; readonly path: string }
  | { readonly kind: 'parses'; readonly path: string }
  /** `manifest` undefined: any at the top of the repository. */
  | { readonly kind: 'dependency'; readonly name: string; readonly manifest: string | undefined }
  /** Bytes. */
  | ({ readonly kind: 'size'; readonly file: string } & Bounds)
  /** Of files that match a glob, or of lines of a file that match a pattern. */
  | ({
      readonly kind: 'count'
      readonly files?: string | undefined
      readonly file?: string | undefined
      readonly pattern?: string | undefined
    } & Bounds)

interface Bounds {
  readonly min?: number | undefined
  readonly max?: number | undefined
}

/**
 * A criterion without checks is left to a person: it is shown and recorded as not verified, and never taken as proof.
 */
export interface Criterion {
  readonly text: string
  readonly verify: readonly Check[]
}

export interface Limits {
  /** Bytes. */
  readonly memory?: number
  /** Processor time. */
  readonly cpu?: Duration
  /** Bytes. */
  readonly output?: number
}

/** A test command whose tests are counted. */
export interface CountedTest {
  /** A pattern that chooses tests, for the command to use; empty: all tests. */
  readonly scope: string
  /** undefined: told by the output. */
  readonly format: TestFormat | undefined
  /** The file with the results; undefined: the output has them. */
  readonly report: string | undefined
}

export interface Step {
  readonly id: StepId
  readonly title: string
  /** The key that says what the step does; plan/verbs has its descriptor. */
  readonly verb: string
  /** The verb's own keys, including the verb itself, as its schema returns them. */
  readonly spec: unknown
  readonly needs: readonly StepId[]
  /** Length of the longest path above the step: 0 if it needs nothing. */
  readonly wave: number
  readonly files: readonly string[] | undefined
  readonly changes: 'any' | 'none' | 'some'
  readonly verify: readonly Check[]
  readonly criteria: readonly Criterion[]
  /** The command that `test` resolves to, as it is written: see `testCommand`. */
  readonly test: string | undefined
  /** undefined: only the exit code of `test` matters. */
  readonly counted: CountedTest | undefined
  readonly timeout: Duration | undefined
  readonly retries: number
  readonly limits: Limits
  readonly env: Readonly<Record<string, string>>
  /** Parameters of the plan that the step was included from; the parameters of the plan itself are not repeated. */
  readonly params: Params
  /** Names of environment variables whose values are masked everywhere. */
  readonly secrets: readonly string[]
  readonly effect: 'tree' | 'external'
  readonly idempotent: boolean
  readonly probe: string | undefined
  readonly undo: string | undefined
  readonly goal: string | undefined
  /** Files that the step has to leave, as globs. */
  readonly deliverables: readonly string[]
  /** Files to read before it. */
  readonly context: readonly string[]
  readonly notes: string | undefined
  readonly owner: string | undefined
  readonly phase: 'design' | 'implementation' | undefined
  readonly pause: boolean
  /** Names of things that only one step may use at a time. */
  readonly uses: readonly string[]
  /** Never run beside other steps. */
  readonly alone: boolean
  /** The result of an earlier success with the same inputs is used again; `inputs` undefined: all files. */
  readonly cache: { readonly inputs: readonly string[] | undefined; readonly versions: readonly string[] } | undefined
  readonly allowFailure: boolean
  /** Names of rules whose findings the reviewer is asked to accept. */
  readonly allow: readonly string[]
  readonly meta: Readonly<Record<string, unknown>>
  readonly risk: Risk | undefined
}

export type PlanState = ReadonlyMap<StepId, StepStatus>

export interface Plan {
  readonly id: PlanId
  readonly title: string
  /** Branch name; undefined until `new` or `start` writes it. */
  readonly base: string | undefined
  readonly request: string | undefined
  readonly goal: string | undefined
  readonly owner: string | undefined
  /** Files that the plan has to leave, as globs. */
  readonly deliverables: readonly string[]
  readonly notes: string | undefined
  readonly meta: Readonly<Record<string, unknown>>
  readonly context: readonly RepoPath[]
  readonly params: Params
  /** What the text was made from. */
  readonly sources: readonly SourceEntry[]
  readonly requires: readonly string[]
  /** The only tools that its agents may use; undefined: any. */
  readonly tools: readonly string[] | undefined
  readonly setup: string | undefined
  readonly setupInputs: readonly string[] | undefined
  readonly preflight: readonly string[]
  readonly test: string | undefined
  readonly counted: CountedTest | undefined
  readonly onFailure: 'stop' | 'rollback-all'
  readonly steps: readonly Step[]
  readonly verify: readonly Check[]
  readonly status: PlanStatus
  readonly state: PlanState
  /** The text after the closing fence. */
  readonly prose: string
  /** SHA-256 in hexadecimal of the file's bytes without the status block. */
  readonly digest: string
}

export const statusOf = (plan: Plan, step: StepId): StepStatus => plan.state.get(step) ?? 'pending'
