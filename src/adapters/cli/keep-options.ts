// Hints repeat the options that were typed: otherwise following one hint after the other never gets there.

import { commandNamed } from '../../commands/table/index.ts'
import { PlanError } from '../../errors.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'

/** They say how to run a plan, and are independent of each other. */
const lasting = [
  'approve',
  'files',
  'autostash',
  'worktree',
  'keep-going',
  'keep-tree',
  'skip-check',
  'push',
  'delete-branch',
]
const running = /git plan (start|resume|rebase|finish)(?= (?!-h\b))[^\n;&,]*[^\n;&, ]/g

/** `argv`: the words after `git plan`. */
export function keepOptions(error: unknown, argv: readonly string[]): unknown {
  if (!(error instanceof PlanError) || error.hint === undefined) return error
  const { code, message, hint, cause, facts } = error
  const useful = argv.filter((word) => word !== `--${String(facts['uselessOption'])}`)
  const kept = facts['isUnnamed'] === true ? repeatAll(hint, argv) : addOptions(hint, useful)
  return kept === hint ? error : new PlanError(code, message, { hint: kept, cause, facts })
}

function addOptions(hint: string, argv: readonly string[]): string {
  const typed = argv.flatMap((word, at) => {
    const name = lasting.find((option) => word === `--${option}`)
    return name === undefined ? [] : [{ name, text: name === 'skip-check' ? `${word} ${argv[at + 1]}` : word }]
  })
  return hint.replace(running, (command, verb: string) => {
    // A rebase is suggested to those whose approval is not enough.
    const known = new Set(commandNamed(verb)?.options.map(({ name }) => name))
    if (verb === 'rebase') known.delete('approve')
    const missing = typed.filter(({ name, text }) => known.has(name) && !`${command} `.includes(` ${text} `))
    return [command, ...missing.map(({ text }) => text)].join(' ')
  })
}

/** The command as typed, with the plan that was left out. */
function repeatAll(hint: string, argv: readonly string[]): string {
  const at = argv.findIndex((word) => commandNamed(word) !== undefined)
  const rest = argv.slice(at + 1).map(quoteIfNeeded)
  return hint.replace(new RegExp(`^git plan ${argv[at]} \\S+$`, 'gm'), (command) => [command, ...rest].join(' '))
}
