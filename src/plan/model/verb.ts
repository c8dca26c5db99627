// The interface of a verb. A new verb is one file in plan/verbs and one line in plan/verbs/index.ts. Every effect goes
// through the context that the executor passes in, so plan/verbs stays pure.

import type * as z from 'zod/mini'
import type { SchemasOf, Shape } from './schema-types.ts'
import type { Claim } from './claim.ts'
import type { FailReason } from './fail-reason.ts'
import type { AgentSpec } from '../verbs/agent.ts'
import type { InstallSpec } from '../packages/package-managers.ts'
import type { RewriteRequest, Rewritten } from '../refactor/rewrite-rule.ts'
import type { Risk } from './plan.ts'
import type { WaitsFor } from './waits-for.ts'

/** The value that a schema of these keys returns. */
export type SpecOf<S extends Shape> = z.infer<z.ZodMiniObject<SchemasOf<S>>>

/** A problem with the keys of a verb that its schema cannot express. */
export interface SpecProblem {
  /** The key that it is about. */
  readonly key: string
  /** The path below that key. */
  readonly below?: readonly (string | number)[]
  /** Line of the text there. */
  readonly line?: number
  readonly message: string
}

/** A place in the keys of a step, and a line of the text there. */
export interface SpecPlace {
  readonly path: readonly (string | number)[]
  readonly line?: number
}

/** A shell command that a verb runs. */
export interface VerbCommand {
  readonly command: string
  /** Its path in the step. */
  readonly path: readonly string[]
  /** Names of files are added to it. */
  readonly takesFiles?: true
}

export interface Verb<Spec = unknown> {
  /** The key in the plan file, such as `run`. */
  readonly name: string
  /** One sentence for the documentation and the JSON Schema. */
  readonly summary: string
  /** The verb's own keys, including its name; joined with the common keys into one strict schema. */
  readonly shape: Shape
  /** A problem such as "exactly one of replace, match, lines". */
  refine?(spec: Spec): SpecProblem | undefined
  /** Derives the names that the file omits. The parser makes the id valid and unique. */
  derive(spec: Spec): { readonly id: string; readonly title: string }
  /** Paths that the step touches as far as the plan says, for checks before the run. Empty for commands. */
  paths(spec: Spec): {
    readonly reads: readonly string[]
    readonly writes: readonly string[]
    readonly deletes: readonly string[]
  }
  /** Globs of the files that it may change, if it finds the paths only when it runs. They become the step's `files`. */
  scope?(spec: Spec): readonly string[]
  /** `check` performs it on a simulated tree although `paths` names no file that it changes. */
  isRehearsed?(spec: Spec): boolean
  command?(spec: Spec): VerbCommand | undefined
  /** The verb writes text at `paths(spec).writes`, or where it says, which is validated before it is committed. */
  readonly writesText?: true
  /** The whole text that it writes, if the plan contains it. */
  content?(spec: Spec): string
  readonly risk: Risk
  /** A reason why this step is riskier than `risk`. */
  raises?(spec: Spec): { readonly risk: Risk; readonly reason: string } | undefined
  /** The verb starts a program by name, so variables of the step may decide which one and what it loads. */
  readonly startsProgram?: true
  /** The packages that it adds. */
  installs?(spec: Spec): InstallSpec
  /** Default of the common key `changes`. */
  readonly changes?: 'any' | 'none' | 'some'
  /** The agent that does the work. */
  agent?(spec: Spec): AgentSpec
  /** Whom the step waits for: a person who does something or decides, or a driver. */
  asks?(spec: Spec): WaitsFor | undefined
  /**
   * The reason why the step is done before the plan runs, if the plan says so. It is recorded as declared, with this
   * reason, once the plan is approved and its turn comes.
   */
  declaredDone?(spec: Spec): string | undefined
  perform(spec: Spec, context: VerbContext): Promise<Performed>
}

/**
 * The work tree and the shell as a verb sees them. The executor implements it: it follows no symlinks and refuses paths
 * outside the work tree.
 */
export interface VerbContext {
  /**
   * Runs a shell command with the step's process group, timeout, limits, environment and log. `words` are added to it;
   * the shell does not interpret them.
   */
  shell(command: string, words?: readonly string[]): Promise<ShellResult>
  /**
   * The same for a program and its arguments, which the shell never interprets. `directory` is relative to the top and
   * must not be a symlink.
   */
  program(words: readonly string[], options?: { readonly directory?: string | undefined }): Promise<ShellResult>
  /** Finds and rewrites a structure in a text. An empty text only tries the rule. */
  rewrite(text: string, request: RewriteRequest): Promise<Rewritten>
  /** Starts an agent, with everything that it needs to know about the step. */
  agent(spec: AgentSpec): Promise<Performed>
  readonly tree: {
    kind(path: string): Promise<'absent' | 'file' | 'directory' | 'symlink' | 'other'>
    read(path: string): Promise<Uint8Array>
    /** undefined if the file is larger. */
    readUpTo(path: string, bytes: number): Promise<Uint8Array | undefined>
    /** Creates parent directories, keeps the mode of an existing file unless `executable` is set, and is atomic. */
    write(path: string, bytes: Uint8Array, options?: { executable?: boolean }): Promise<void>
    /** The tracked files at or below a path. */
    tracked(path: string): Promise<readonly string[]>
    /** The tracked regular files that match one of the globs: no symlinks, no submodules. */
    matching(globs: readonly string[]): Promise<readonly string[]>
    /** Removes a tracked file, and the directories that become empty. */
    remove(path: string): Promise<void>
    rename(from: string, to: string): Promise<void>
  }
}

export type ShellResult =
  | { readonly kind: 'exited'; readonly code: number }
  | {
      readonly kind: 'killed'
      readonly reason:
        | 'timeout'
        | 'plan-timeout'
        | 'cpu-limit'
        | 'memory-limit'
        | 'output-limit'
        | 'idle'
        | 'agent-limit'
        | 'interrupted'
        | 'signal'
      /** How much it used of its limit. */
      readonly detail?: string
      readonly signal?: string
    }

/** The outcome of performing a verb, before the executor's own checks. */
export type Performed =
  | {
      readonly kind: 'performed'
      /** The files that it wrote, if `paths` does not name them. */
      readonly writes?: readonly string[]
      /** What it changed, such as "12 places in 5 files". */
      readonly summary?: string
      readonly warning?: string
      /** What an agent says about its work. */
      readonly claim?: Claim
    }
  | {
      readonly kind: 'failed'
      readonly reason: FailReason
      readonly message: string
      readonly exit?: number
      /** The part of the step that is wrong, for `check`. */
      readonly place?: SpecPlace
      readonly claim?: Claim
    }
  | { readonly kind: 'waiting'; readonly for: WaitsFor; readonly message: string }
