// One program that would run, as the tables see it.

import { literalArgument } from '../argument.ts'
import { options, readOptions, withAnyFlag } from '../options.ts'
import type { DangerName } from './rules.ts'

/** Where text comes from. What comes from the network or is decoded stays that through a whole pipe. */
export type Source = 'nothing' | 'file' | 'command' | 'decoded' | 'network'

export interface Output {
  readonly source: Source
  /** All of it, if it is known. */
  readonly text?: string
  /** Paths that its lines name. */
  readonly paths?: readonly string[]
}

export const nothing: Output = { source: 'nothing' }

export interface Call {
  /** Without its directory. */
  readonly name: string
  /** As it is called. */
  readonly program: string
  readonly args: readonly string[]
  /** From the top of the repository; empty for the top. */
  readonly cwd: string
  /** Variables that are set for it. */
  readonly env: ReadonlyMap<string, string>
  readonly input: Output
  /** Files that an earlier part of the command fetched or decoded, by their name without the directory. */
  readonly fetched: ReadonlyMap<string, Source>
}

export interface Finding {
  readonly rule: DangerName
  readonly message: string
}

export const finding = (rule: DangerName, message: string): Finding => ({ rule, message })

export interface Arguments {
  readonly operands: readonly string[]
  /** Whether one of these options is there. */
  readonly has: (...names: readonly string[]) => boolean
  /** All values of these options. */
  readonly values: (...names: readonly string[]) => readonly string[]
}

/** `usage`: the options that have a value. All others are flags. */
export function readArguments(args: readonly string[], usage = '', until: 'end' | 'first' = 'end'): Arguments {
  const read = readOptions(withAnyFlag(options(usage)), args.map(literalArgument), until)
  return {
    operands: read.operands.map(({ text }) => text),
    has: (...names) => read.options.some(({ name }) => names.includes(name)),
    values: (...names) =>
      read.options.flatMap(({ name, value }) => (names.includes(name) ? (value?.literal ?? []) : [])),
  }
}

/** The last part of a path, or of an address. */
export const baseName = (path: string): string => /([^/?#]*)\/*(?:[?#].*)?$/s.exec(path)?.[1] ?? ''
