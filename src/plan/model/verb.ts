// What a verb is. One more verb is one file in plan/verbs and one line in plan/verbs/index.ts. A verb describes and
// asks; every effect goes through the context that the executor hands in, so that this folder stays pure.

import type * as z from 'zod/mini'
import type { Made, Shape } from './schema-types.ts'
import type { FailReason } from './fail-reason.ts'
import type { InstallSpec } from '../packages/package-managers.ts'
import type { Risk } from './plan.ts'

/** The values that a schema of these keys gives. */
export type SpecOf<S extends Shape> = z.infer<z.ZodMiniObject<Made<S>>>

export interface Verb<Spec = unknown> {
  /** The key in the plan file, such as `run`. */
  readonly name: string
  /** One sentence for documentation and for the JSON Schema. */
  readonly summary: string
  /** The verb's own keys, its name among them; joined with the common keys into one strict schema. */
  readonly shape: Shape
  /** What the schema cannot say, such as "exactly one of replace, match, lines": a message, and the key it is about. */
  refine?(spec: Spec): { readonly key: string; readonly message: string } | undefined
  /** For the short form. The id is made unique and valid by the parser. */
  derive(spec: Spec): { readonly id: string; readonly title: string }
  /** What the step touches as far as the file says, for checks before the run. Empty for commands. */
  paths(spec: Spec): {
    readonly reads: readonly string[]
    readonly writes: readonly string[]
    readonly deletes: readonly string[]
  }
  /** Writes text at `paths(spec).writes`, which can be judged before it is committed. */
  readonly writesText?: true
  /** All of what it writes, where the file says it. */
  content?(spec: Spec): string
  readonly risk: Risk
  /** What makes this one riskier than that. */
  raises?(spec: Spec): { readonly risk: Risk; readonly reason: string } | undefined
  /** Starts a program by its name: variables of the step may say which one that is, and what it loads. */
  readonly startsProgram?: true
  /** The packages that it adds, and where. */
  installs?(spec: Spec): InstallSpec
  /** Default of the common key `changes`. */
  readonly changes?: 'any' | 'none' | 'some'
  /** What a person is asked for, where the step is theirs. */
  readonly asks?: 'person' | 'decision'
  perform(spec: Spec, context: VerbContext): Promise<Performed>
}

/**
 * The world as a verb sees it. The executor implements it: inside the work tree, no links followed, out-of-bounds paths
 * refused.
 */
export interface VerbContext {
  /** Runs a shell command as this step: its group, timeout, limits, environment, log. */
  shell(command: string): Promise<ShellResult>
  /**
   * The same for a program and its arguments: what they hold is never the shell's to read. `directory`: below the top,
   * and no link.
   */
  program(words: readonly string[], options?: { readonly directory?: string | undefined }): Promise<ShellResult>
  readonly tree: {
    kind(path: string): Promise<'absent' | 'file' | 'directory' | 'symlink' | 'other'>
    read(path: string): Promise<Uint8Array>
    /**
     * Makes the directories above it. Keeps the mode of a file that is there unless told. Lands whole or not at all.
     */
    write(path: string, bytes: Uint8Array, options?: { executable?: boolean }): Promise<void>
    /** The files that git tracks at or below a path. */
    tracked(path: string): Promise<readonly string[]>
    /** Removes a tracked file, and directories that this leaves empty. */
    remove(path: string): Promise<void>
    rename(from: string, to: string): Promise<void>
  }
}

export type ShellResult =
  | { readonly kind: 'exited'; readonly code: number }
  | {
      readonly kind: 'killed'
      readonly reason: 'timeout' | 'output-limit' | 'interrupted' | 'signal'
      readonly signal?: string
    }

/** What came of performing a verb, before the executor's own checks. */
export type Performed =
  | { readonly kind: 'performed' }
  | { readonly kind: 'failed'; readonly reason: FailReason; readonly message: string; readonly exit?: number }
  | { readonly kind: 'waiting'; readonly for: 'person' | 'decision'; readonly message: string }
