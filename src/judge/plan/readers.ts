// Finds the commands of a plan that provably only read. The classifier is large, so it is loaded only if a command
// looks like a reader.

import type { SafetySetting } from '../../plan/config/config.ts'
import type { Plan, Step } from '../../plan/model/plan.ts'
import { testCommand } from '../../plan/model/test-command.ts'
import { commandsOfStep } from './commands-of.ts'

/** A command that only reads. */
export interface ReadingCommand {
  readonly why: string
  /** A part of it that may be outside the repository. */
  readonly outside: string | undefined
}

/** undefined: the command may write, or it was not classified. */
export type Reads = (command: string) => ReadingCommand | undefined

/** First words of nearly all commands that only read. Any other command is assumed to write. */
const readers = new Set(
  'ls cat grep egrep rg head tail wc find test [ [[ jq sort diff cmp stat du which type tree file sha256sum sha1sum md5sum awk cut uniq nl pwd'.split(
    ' ',
  ),
)
/**
 * Programs that only read in some forms. The word is looked up first: compiling this expression takes longer than
 * judging most plans.
 */
const isReadingForm = (command: string): boolean =>
  /^\s*(git\s+(--no-pager\s+)?(log|status|diff|show|ls-files|ls-tree|grep|blame|rev-parse|describe|branch|cat-file|for-each-ref|shortlog|merge-base|rev-list)|sed\s+-n|command\s+-v)(\s|$)/.test(
    command,
  )

/** An obvious redirection to a file. */
const writes = />\s*(?!&|\/dev\/null)\S/

export function mayRead(command: string, safety: readonly SafetySetting[]): boolean {
  if (writes.test(command)) return false
  const [word = ''] = command.trimStart().split(/\s/, 1)
  return (
    readers.has(word) ||
    (['git', 'sed', 'command'].includes(word) && isReadingForm(command)) ||
    safety.some(({ tool }) => command.trimStart().startsWith(tool.trim().split(/\s+/)[0] ?? tool))
  )
}

/** Variables of the step may change which program runs, and what it loads. */
const hasNoVariables = ({ env }: Step): boolean => Object.keys(env).length === 0

export async function readersOf(plan: Plan, safety: readonly SafetySetting[]): Promise<Reads> {
  const commands = plan.steps.flatMap((step, index) =>
    hasNoVariables(step) ? commandsOfStep(plan, step, index).map(({ command }) => command) : [],
  )
  const own = plan.verify.flatMap((check) => (check.kind === 'run' ? [check.command] : []))
  const test = plan.test === undefined ? undefined : testCommand(plan.test, plan.counted)
  const tests = [test, plan.setup, ...plan.preflight, ...own].flatMap((command) => command ?? [])
  const candidates = new Set([...commands, ...tests].filter((command) => mayRead(command, safety)))
  if (candidates.size === 0) return () => undefined
  const [{ classifyCommand, safetyProblems }, { readsOutside }] = await Promise.all([
    import('../shell/classify.ts'),
    import('../shell/outside.ts'),
  ])
  // If an example in `safety` is classified differently, none of the entries is trusted: it takes a person to tell
  // which one is wrong.
  const trusted = safety.length === 0 || safetyProblems(safety).length > 0 ? [] : safety
  const found = new Map<string, ReadingCommand | undefined>()
  return (command) => {
    if (!candidates.has(command)) return undefined
    if (!found.has(command)) {
      const { class: kind, reason } = classifyCommand(command, trusted)
      found.set(command, kind === 'READ' ? { why: reason, outside: readsOutside(command, trusted) } : undefined)
    }
    return found.get(command)
  }
}

/** The classification of a command of a step. */
export const readsIn = (step: Step, reads: Reads | undefined, command: string): ReadingCommand | undefined =>
  hasNoVariables(step) ? reads?.(command) : undefined
