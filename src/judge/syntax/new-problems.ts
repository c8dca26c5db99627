// Syntax problems that a change introduces: if the file did not parse before, nothing is reported.

import { languageOf, syntaxProblems, type SyntaxProblem } from './syntax.ts'

export async function newProblems(
  path: string,
  before: Uint8Array | undefined,
  after: Uint8Array,
): Promise<readonly SyntaxProblem[]> {
  const text = textOf(after)
  if (text === undefined || languageOf(path, text) === undefined) return []
  const problems = await syntaxProblems(path, text)
  const old = problems.length === 0 || before === undefined ? undefined : textOf(before)
  return old !== undefined && (await syntaxProblems(path, old)).length > 0 ? [] : problems
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}
