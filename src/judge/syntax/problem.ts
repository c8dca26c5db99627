// A syntax problem with its position. Lines and columns start at 1; columns are in UTF-16 code units.

export interface SyntaxProblem {
  readonly line: number
  readonly column: number
  readonly message: string
}

/** One mistake often looks like many, so more is not useful. */
export const maxProblems = 5

export function problemAt(text: string, offset: number, message: string): SyntaxProblem {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: offset - lineStart + 1, message }
}

/** The word or character at this offset, for a message: never a line break, and at most 40 characters. */
export function tokenAt(text: string, offset: number): string | undefined {
  return /^(?:[\p{L}\p{N}_$]+|[^\s\p{C}])/u.exec(text.slice(offset, offset + 40))?.[0]
}

export const unexpected = (text: string, offset: number): string => {
  if (text.slice(offset).trim() === '') return 'the text ends too early'
  const token = tokenAt(text, offset)
  return token === undefined ? 'this cannot be parsed' : `unexpected \`${token}\``
}
