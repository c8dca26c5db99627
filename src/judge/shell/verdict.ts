// The types that the parts of the classifier share.

import type { Argument } from './argument.ts'

/** Why something may write, in one short line; undefined if it only reads. */
export type Problem = string | undefined

/** Judges a command or script that a program runs in turn. */
export interface Judge {
  /** A simple command: the program and its arguments. */
  command(words: readonly Argument[]): Problem
  /** The text of a script, as after `sh -c`. */
  script(text: string): Problem
}

/** The rule for one program: its arguments → why it may write. */
export type Rule = (args: readonly Argument[], judge: Judge) => Problem

export function firstProblem<T>(items: readonly T[], judge: (item: T) => Problem): Problem {
  for (const item of items) {
    const problem = judge(item)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** For messages: a text on one line, shortened. */
export function excerpt(text: string, length = 40): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > length ? `${line.slice(0, length)}…` : line
}
