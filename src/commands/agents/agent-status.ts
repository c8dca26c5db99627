// What is installed for an agent, as the library returns it: without the types of the parser that finds it.

import type { Heartbeat } from '../../store/guard-records.ts'

/** Those that `git plan agents` sets up. */
export const installable = ['claude', 'codex', 'gemini', 'opencode', 'copilot', 'cursor', 'goose', 'pi'] as const
export type Installable = (typeof installable)[number]

/** `guard`: what calls `git plan guard`. `wall`: what holds even if that fails, for who starts the agent with it. */
export type Role = 'guard' | 'context' | 'mcp' | 'command' | 'skill' | 'wall'

/**
 * `yours`: there, but not written by git plan. `foreign`: our name stands for another program. `broken`: in a file that
 * the agent cannot read.
 */
export type PieceState = 'installed' | 'missing' | 'outdated' | 'changed' | 'yours' | 'foreign' | 'broken'

export interface AgentStatus {
  readonly agent: Installable
  /** `partial`: something is missing, outdated, edited or in a file that the agent cannot read. */
  readonly state: 'installed' | 'partial' | 'absent'
  readonly files: readonly {
    readonly file: string
    readonly role: Role
    readonly state: PieceState
    readonly problem: string | null
  }[]
  /** The last call of the guard by this agent in this repository; null: never. */
  readonly fired: Heartbeat | null
  /** For people. */
  readonly lines: readonly string[]
}

export interface AgentsData {
  readonly agents: readonly AgentStatus[]
  /** The files that were written or removed, or would be. */
  readonly changes?: readonly { readonly file: string; readonly change: 'written' | 'removed' }[]
  readonly message: readonly string[]
}
