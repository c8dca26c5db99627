// Marks in the text of a word for what only the shell that runs it will know. They are of a kind that no command may hold (parse.ts refuses private characters),
// so a mark is never part of what somebody wrote.

import { escapeGlob, globMatcher } from '../../plan/glob.ts'

export const marks = {
  /** The value of a variable; it may be empty. */
  variable: '\u{E000}',
  /** The output of a command; it may be empty. */
  output: '\u{E001}',
  /** The output of a command that reads from the network. */
  network: '\u{E002}',
  /** The output of a command that decodes. */
  decoded: '\u{E003}',
  /** Something that is not empty. */
  some: '\u{E004}',
  /** The home directory of somebody. */
  home: '\u{E005}',
  /** A pattern: `*`, `?`, `[…]`. */
  glob: '\u{E006}',
  /** Where one field ends and the next begins. */
  end: '\u{E007}',
  /** What a file holds, or the environment: not for the eyes of others. */
  file: '\u{E008}',
  /** The top of the repository, wherever the command runs. */
  top: '\u{E009}',
} as const

/** Matches the paths that a path with patterns in it can stand for. */
export const markedMatcher = (path: string): ((path: string) => boolean) =>
  globMatcher([escapeGlob(path).replace(/\u{E006}+/gu, '*')])

/** What may turn out to be nothing at all. */
export const mayBeEmpty = `${marks.variable}${marks.output}${marks.network}${marks.decoded}${marks.file}`

/** Nothing is known of it. */
export const isComputed = (text: string): boolean => /[\u{E000}-\u{E004}\u{E006}\u{E008}]/u.test(text)

/** Nothing at all of it is written there. */
export const isUnseen = (text: string): boolean => /^[\u{E000}-\u{E004}\u{E008}]*$/u.test(text)

const shownAs: Readonly<Record<string, string>> = {
  [marks.home]: '~',
  [marks.glob]: '*',
  [marks.end]: ' ',
  [marks.top]: '.',
}

/** For messages: on one line, and not all of a long one. */
export function shown(text: string): string {
  const line = text.replace(/[\u{E000}-\u{E009}]/gu, (mark) => shownAs[mark] ?? '…').replace(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 60)}…` : line
}

/** As variables of a script that is parsed in turn, and back. */
export const asVariables = (text: string): string =>
  text
    .replace(/[\u{E000}-\u{E006}\u{E008}\u{E009}]/gu, (mark) => `\${_u${mark.charCodeAt(0).toString(16)}}`)
    .replaceAll(marks.end, ' ')
export function markOfVariable(name: string): string | undefined {
  const code = /^_u(e00[0-689])$/.exec(name)?.[1]
  return code === undefined ? undefined : String.fromCharCode(Number.parseInt(code, 16))
}
