// The hidden command that completion scripts call: `git-plan --complete SHELL CURSOR -- WORD…`. Prints one candidate
// per line: the value, a tab and its description. `:files` or `:directories` asks the shell to complete paths itself.
// On any error it prints nothing: a message would appear in the middle of the line being typed.

import { hasHidden, singleLine } from '../../plan/text/display.ts'
import type { Environment } from '../../process/environment.ts'
import { complete, type Completion } from './complete.ts'
import { repositoryFacts, type Candidate } from '../../operation/completion-facts.ts'
import { unquote } from './unquote.ts'

/** `args` follow `--complete`. */
export async function answerShell(args: readonly string[], world: { cwd: string; env: Environment }): Promise<string> {
  try {
    const [shell, cursor, , ...raw] = args
    // Bash passes words as typed; zsh and fish remove the quotes.
    const words = shell === 'bash' ? raw.map(unquote) : raw
    const facts = repositoryFacts({ ...world, isDescribed: shell !== 'bash' })
    return formatCompletion(await complete(words, Number(cursor), facts), { isFiltered: shell === 'bash' })
  } catch {
    return ''
  }
}

/** Bash offers every candidate it gets; zsh and fish match them as the user has configured. */
function formatCompletion(completion: Completion, { isFiltered }: { isFiltered: boolean }): string {
  const { candidates, paths, typed } = completion
  const offered = candidates.filter(({ value }) => !hasHidden(value) && (!isFiltered || value.startsWith(typed)))
  return [...offered.map(lineOf), ...(paths === undefined ? [] : [`:${paths}`])].map((line) => `${line}\n`).join('')
}

const lineOf = ({ value, description }: Candidate): string =>
  description === undefined ? value : `${value}\t${singleLine(description)}`
