// One program that would run, and what the rules say to each other about it.

import type { DangerName } from './rules.ts'

/** `file`: what a file of the repository holds. `secret`: one that nobody else should see. `nothing`: what the step itself is given. */
export type Source = 'network' | 'decoded' | 'secret' | 'command' | 'file' | 'nothing'

/** What comes out of a command, or goes into it. */
export interface Flow {
  readonly from: ReadonlySet<Source>
  /** All of it, where it is known. */
  readonly text?: string
  /** Paths that its lines name. */
  readonly paths?: readonly string[]
}

export interface Target {
  readonly path: string
  readonly operator: string
}

/** What is known of the files that a script makes (known.ts). */
export interface Files {
  holds(path: string, cwd: string): Flow | undefined
}

export interface Call {
  /** Without its directory. */
  readonly name: string
  /** As it is called, with marks. */
  readonly program: string
  readonly args: readonly string[]
  /** From the top of the repository; empty for the top. */
  readonly cwd: string
  /** Variables in front of it. */
  readonly env: ReadonlyMap<string, string>
  readonly input: Flow
  /** Files that redirections open. */
  readonly targets: readonly Target[]
  readonly isBackground: boolean
  readonly files: Files
}

export interface Found {
  readonly rule: DangerName
  readonly message: string
}

/** What a rule has to say about a call, if anything. */
export type Check = (call: Call) => readonly (Found | undefined)[] | Found | undefined

/** By the names of programs, several of them in one key. */
export type Checks = Readonly<Record<string, Check>>

export const found = (rule: DangerName, message: string): Found => ({ rule, message })
