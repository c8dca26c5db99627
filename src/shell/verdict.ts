// What the parts of a judgement say to each other.

import type { Argument } from './argument.ts'

/** Why something may write, in one short line; undefined where it only reads. */
export type Problem = string | undefined

/** What a rule may ask about what the program that it judges would run in turn. */
export interface Judge {
  /** A simple command: the program and its arguments. */
  command(words: readonly Argument[]): Problem
  /** Source of a shell, as it follows `sh -c`. */
  script(text: string): Problem
}

/** One program: its arguments in, what speaks against them out. */
export type Rule = (args: readonly Argument[], judge: Judge) => Problem

/** The first problem there is. */
export function firstProblem<T>(items: readonly T[], judge: (item: T) => Problem): Problem {
  for (const item of items) {
    const problem = judge(item)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** In a reason: what was written, on one line, and not all of a long one. */
export function excerpt(text: string, length = 40): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > length ? `${line.slice(0, length)}…` : line
}
