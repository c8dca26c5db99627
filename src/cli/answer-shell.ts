// The hidden entry that the completion scripts ask: `git-plan --complete SHELL CURSOR -- WORD…`. One candidate a line, the value, a tab
// and its description; `:files` or `:directories` where the shell completes paths itself. Whatever goes wrong, the answer is empty:
// a message would land in the middle of the line that somebody is typing.

import { hasHidden, plainLine } from '../plan/display.ts'
import type { Environment } from '../process/environment.ts'
import { complete, type Candidate, type Completion } from './complete.ts'
import { repositoryFacts } from './completion-facts.ts'
import { unquoted } from './unquote.ts'

/** `asked` is what follows `--complete`. */
export async function answerShell(asked: readonly string[], world: { cwd: string; env: Environment }): Promise<string> {
  try {
    const [shell, cursor, , ...raw] = asked
    // The others say what the words stand for; bash says how they are written.
    const words = shell === 'bash' ? raw.map(unquoted) : raw
    const facts = repositoryFacts({ ...world, isDescribed: shell !== 'bash' })
    return written(await complete(words, Number(cursor), facts), { isFiltered: shell === 'bash' })
  } catch {
    return ''
  }
}

/** Bash takes what it is given; the others match themselves, in ways that the user has chosen. */
function written(completion: Completion, { isFiltered }: { isFiltered: boolean }): string {
  const { candidates, paths, typed } = completion
  const offered = candidates.filter(({ value }) => !hasHidden(value) && (!isFiltered || value.startsWith(typed)))
  return [...offered.map(lineOf), ...(paths === undefined ? [] : [`:${paths}`])].map((line) => `${line}\n`).join('')
}

const lineOf = ({ value, description }: Candidate): string => (description === undefined ? value : `${value}\t${plainLine(description)}`)
