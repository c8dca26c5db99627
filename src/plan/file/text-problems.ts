// Functions that return the problem with a piece of text, or undefined. Schemas use them; callers without a schema call
// them directly.

import { hasHidden } from '../text/display.ts'

export const idAdvice =
  'an id is 1 to 63 characters from a-z, 0-9 and `-`, not starting with `-` (names such as `con` are reserved)'
export const durationAdvice = 'write a duration such as 90s, 10m or 1h30m'
export const sizeAdvice = 'write a size such as 512kb, 10mb or 2gb'

export const titleProblem = (text: string): string | undefined => {
  if (text.trim() === '') return 'a title cannot be empty'
  if (text.length > 200) return 'a title has at most 200 characters'
  return hasHidden(text) ? 'a title is one line without control, bidirectional or zero-width characters' : undefined
}

export const wordsProblem = (text: string): string | undefined => (text.trim() === '' ? 'the text is empty' : undefined)
export const commandProblem = (text: string): string | undefined =>
  text.trim() === '' ? 'a command cannot be empty' : undefined
export const toolProblem = (text: string): string | undefined =>
  /^[A-Za-z0-9._+@][A-Za-z0-9._+@-]*$/.test(text) ? undefined : 'not the name of a tool on PATH'
export const subjectProblem = (text: string): string | undefined =>
  text.includes('{title}') && text.length <= 200 && !hasHidden(text)
    ? undefined
    : 'a subject is one line that contains {title}'

export function variableProblem(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return 'not a valid name of an environment variable'
  return /^(GIT_|PLAN_)/i.test(name)
    ? 'variables that begin with GIT_ or PLAN_ belong to git and to git plan'
    : undefined
}

export function regexProblem(text: string, flags: string): string | undefined {
  try {
    // oxlint-disable-next-line no-new -- compiling it is the question
    new RegExp(text, flags)
    return undefined
  } catch (error) {
    // The message is `Invalid regular expression: /…/mu: Unterminated group`. The text between the slashes is untrusted
    // and can be long.
    const message = error instanceof Error ? error.message : String(error)
    return `not a regular expression: ${message
      .slice(message.lastIndexOf(': ') + 1)
      .trim()
      .slice(0, 200)}`
  }
}

const sizeUnits = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 } as const

/** `512mb` → bytes; undefined for anything else, including 0. */
export function parseSize(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,9})(b|kb|mb|gb)$/.exec(text.toLowerCase()) ?? []
  const bytes = Number(amount) * sizeUnits[unit as keyof typeof sizeUnits]
  return bytes > 0 ? bytes : undefined
}
