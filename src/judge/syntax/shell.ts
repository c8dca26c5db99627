// sh and bash scripts. The tree-sitter grammar refuses one script in twelve that bash accepts (`for i do`, extended
// globs, some here-documents); unbash, which also judges commands, refuses none.

import { parse } from 'unbash'
import { withinTime } from '../../plan/text/within-time.ts'
import { maxProblems, problemAt, type SyntaxProblem } from './problem.ts'

export function shellProblems(text: string, milliseconds: number): SyntaxProblem[] {
  // A zsh function, whatever its name.
  if (/^#(compdef|autoload)\b/.test(text)) return []
  const errors = withinTime(milliseconds, () => parse(text).errors ?? []) ?? []
  return errors
    .slice(0, maxProblems)
    .map(({ message, pos }) =>
      problemAt(text, Math.min(pos, text.trimEnd().length), message.replace(/'([^']+)'/g, '`$1`')),
    )
}
