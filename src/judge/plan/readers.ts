// Which commands of a plan provably only read. The classifier is large, and readers of a plan are many: it is loaded
// where a command looks like one that reads.

import type { SafetySetting } from '../../plan/config/config.ts'
import type { Plan, Step } from '../../plan/model/plan.ts'
import { commandsOfStep } from './commands-of.ts'

/** A command that only reads. */
export interface Reading {
  readonly why: string
  /** What of it may be outside the repository. */
  readonly outside: string | undefined
}

/** undefined: it may write, or nobody asked. */
export type Reads = (command: string) => Reading | undefined

/**
 * How nearly every command that only reads begins. One that is not here is taken to write, as before there was a
 * classifier.
 */
const readers = new Set(
  'ls cat grep egrep rg head tail wc find test [ [[ jq sort diff cmp stat du which type tree file sha256sum sha1sum md5sum awk cut uniq nl pwd'.split(
    ' ',
  ),
)
/**
 * Those that read with some words after them. A word is looked up first: to make this expression takes longer than most
 * plans.
 */
const beginsSo = (command: string): boolean =>
  /^\s*(git\s+(--no-pager\s+)?(log|status|diff|show|ls-files|ls-tree|grep|blame|rev-parse|describe|branch|cat-file|for-each-ref|shortlog|merge-base|rev-list)|sed\s+-n|command\s+-v)(\s|$)/.test(
    command,
  )

/** Files that are written, as far as one sees it at once. */
const writes = />\s*(?!&|\/dev\/null)\S/

export function mayRead(command: string, safety: readonly SafetySetting[]): boolean {
  if (writes.test(command)) return false
  const [word = ''] = command.trimStart().split(/\s/, 1)
  return (
    readers.has(word) ||
    (['git', 'sed', 'command'].includes(word) && beginsSo(command)) ||
    safety.some(({ tool }) => command.trimStart().startsWith(tool.trim().split(/\s+/)[0] ?? tool))
  )
}

/** Variables of the step may say which program runs, and what it loads. */
const isPlain = ({ env }: Step): boolean => Object.keys(env).length === 0

export async function readersOf(plan: Plan, safety: readonly SafetySetting[]): Promise<Reads> {
  const commands = plan.steps.flatMap((step, index) =>
    isPlain(step) ? commandsOfStep(plan, step, index).map(({ command }) => command) : [],
  )
  const own = plan.verify.flatMap((check) => (check.kind === 'run' ? [check.command] : []))
  const tests = [plan.test, plan.setup, ...plan.preflight, ...own].flatMap((command) => command ?? [])
  const candidates = new Set([...commands, ...tests].filter((command) => mayRead(command, safety)))
  if (candidates.size === 0) return () => undefined
  const [{ classifyCommand, safetyProblems }, { readsOutside }] = await Promise.all([
    import('../shell/classify.ts'),
    import('../shell/outside.ts'),
  ])
  // An entry whose examples are not what they are said to be must not be used, and which one is wrong is for people to
  // say.
  const trusted = safety.length === 0 || safetyProblems(safety).length > 0 ? [] : safety
  const found = new Map<string, Reading | undefined>()
  return (command) => {
    if (!candidates.has(command)) return undefined
    if (!found.has(command)) {
      const { class: kind, reason } = classifyCommand(command, trusted)
      found.set(command, kind === 'READ' ? { why: reason, outside: readsOutside(command, trusted) } : undefined)
    }
    return found.get(command)
  }
}

/** What is known of a step's commands. */
export const readsIn = (step: Step, reads: Reads | undefined, command: string): Reading | undefined =>
  isPlain(step) ? reads?.(command) : undefined
