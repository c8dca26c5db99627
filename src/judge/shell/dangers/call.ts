// A program call as the tables see it.

import { literalArgument } from '../argument.ts'
import { options, readOptions, withAnyFlag } from '../options.ts'
import type { DangerName } from './rules.ts'

/** Origin of a text. Text from the network, or decoded text, keeps its origin through a whole pipe. */
export type Source = 'nothing' | 'file' | 'command' | 'decoded' | 'network'

export interface Output {
  readonly source: Source
  /** The whole output, if it is known. */
  readonly text?: string
  /** Paths that the lines of the output name. */
  readonly paths?: readonly string[]
}

export const nothing: Output = { source: 'nothing' }

export interface Call {
  /** Name without the directory. */
  readonly name: string
  /** As written in the command. */
  readonly program: string
  readonly args: readonly string[]
  /** Relative to the top of the repository; empty for the top. */
  readonly cwd: string
  /** Variables set for this call. */
  readonly env: ReadonlyMap<string, string>
  readonly input: Output
  /** Files that an earlier part of the command fetched or decoded, by their base name. */
  readonly fetched: ReadonlyMap<string, Source>
}

export interface Finding {
  readonly rule: DangerName
  readonly message: string
}

export const finding = (rule: DangerName, message: string): Finding => ({ rule, message })

export interface Arguments {
  readonly operands: readonly string[]
  /** True if one of these options is given. */
  readonly has: (...names: readonly string[]) => boolean
  /** The values of these options. */
  readonly values: (...names: readonly string[]) => readonly string[]
}

/** `usage`: the options that take a value. All others are flags. */
export function readArguments(args: readonly string[], usage = '', until: 'end' | 'first' = 'end'): Arguments {
  const read = readOptions(withAnyFlag(options(usage)), args.map(literalArgument), until)
  return {
    operands: read.operands.map(({ text }) => text),
    has: (...names) => read.options.some(({ name }) => names.includes(name)),
    values: (...names) =>
      read.options.flatMap(({ name, value }) => (names.includes(name) ? (value?.literal ?? []) : [])),
  }
}

/** The last component of a path or URL. */
export const baseName = (path: string): string => /([^/?#]*)\/*(?:[?#].*)?$/s.exec(path)?.[1] ?? ''
