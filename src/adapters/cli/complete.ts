// Completes the word under the cursor. Pure: commands come from commands/table, plans and steps from `facts`.

import type { Candidate, Facts } from '../../operation/completion-facts.ts'
import { commands, type CommandSpec, type OptionSpec } from '../../commands/table/index.ts'
import { globalOptions } from './global-options.ts'
import { readPartialCommandLine, type PartialCommandLine } from './partial-command-line.ts'

export interface Completion {
  readonly candidates: readonly Candidate[]
  /** The shell adds these paths to the candidates itself. */
  readonly paths?: 'files' | 'directories'
  /** The part of the word that a candidate replaces: after `--status=`, the text that follows it. */
  readonly typed: string
}

/** `words` begin with the program, `git` or `git-plan`; `cursor` is the index of the word to complete. */
export async function complete(words: readonly string[], cursor: number, facts: Facts): Promise<Completion> {
  const typed = readPartialCommandLine(words, cursor)
  const { command, slot } = typed
  const of = (candidates: readonly Candidate[]): Completion => ({ candidates, typed: slot.typed })
  if (slot.kind === 'nothing') return of([])
  if (slot.kind === 'command') return of([...commandNames(), { value: 'help', description: 'help on a command' }])
  if (slot.kind === 'option') return of(optionNames([...(command?.options ?? []), ...globalOptions], typed))
  if (slot.kind === 'value') return candidatesFor(slot.option.value ?? '', typed, facts)
  if (typed.name === 'help') return of(slot.index === 0 ? commandNames() : [])
  if (command === undefined) return of([])
  const positional = command.positionals[slot.index] ?? command.positionals.findLast(({ isRest }) => isRest === true)
  // Only options can follow.
  if (positional === undefined) return of(slot.typed === '' ? optionNames(command.options, typed) : [])
  if (positional.words !== undefined) return of(positional.words.map((value) => ({ value })))
  // PLAN may be omitted, so the next argument may come in its place.
  const next =
    positional.label === 'PLAN' && positional.isRequired !== true ? command.positionals[slot.index + 1] : undefined
  return candidatesFor(
    next === undefined || next.label === 'PLAN…' ? positional.label : `${positional.label}|${next.label}`,
    typed,
    facts,
  )
}

const commandNames = (): Candidate[] => commands.map(({ name, summary }) => ({ value: name, description: summary }))

const optionNames = (options: readonly OptionSpec[], { given }: PartialCommandLine): Candidate[] =>
  options
    .filter(({ name, multiple }) => multiple === true || !given.has(name))
    .map(({ name, description }) => ({ value: `--${name}`, description }))

/** Candidates for a placeholder such as `PLAN|FILE`. Lowercase words are literal; free text has no candidates. */
async function candidatesFor(label: string, typed: PartialCommandLine, facts: Facts): Promise<Completion> {
  const at = typed.directories
  const candidates: Candidate[] = []
  let paths: Completion['paths']
  for (const part of label.replace(/…$/, '').split('|')) {
    if (part === 'FILE') paths = 'files'
    else if (part === 'DIR') paths = 'directories'
    else if (part === 'PLAN')
      candidates.push(...(await facts.plans(at, { isFinishedToo: takesFinished(typed.command) })))
    else if (part === 'STEP') candidates.push(...(await facts.steps(at, planOf(typed), { isOpen: declares(typed) })))
    else if (part === 'N') candidates.push(...(await attemptsOf(typed, facts)))
    else if (part === 'S') candidates.push(...(await facts.statuses()).map((value) => ({ value })))
    else if (part === 'TEMPLATE') candidates.push(...(await facts.templates(at)))
    else if (part === 'NAME')
      candidates.push(...unused(await facts.preflightChecks(), typed).map((value) => ({ value })))
    else if (/^[a-z][a-z-]+$/.test(part)) candidates.push({ value: part })
  }
  return { candidates, ...(paths === undefined ? {} : { paths }), typed: typed.slot.typed }
}

/** `--done` and `--skip` are for steps that nothing stands before. */
const declares = ({ slot }: PartialCommandLine): boolean =>
  slot.kind === 'value' && ['done', 'skip'].includes(slot.option.name)

/** A finished plan can be inspected, cloned, archived and deleted. */
const takesFinished = (command: CommandSpec | undefined): boolean =>
  command?.writes === false || ['clone', 'delete', 'prune', 'archive'].includes(command?.name ?? '')

const unused = (values: readonly string[], { given }: PartialCommandLine): string[] =>
  values.filter((value) => given.get('skip-check')?.includes(value) !== true)

function planOf({ command, positionals, given, slot }: PartialCommandLine): string | undefined {
  const index = command?.positionals.findIndex(({ label }) => label.startsWith('PLAN')) ?? -1
  const named = positionals[index]
  // `attempts --show wire 2`: the number is in the position of the plan.
  const isShown = given.has('show') || (slot.kind === 'value' && slot.option.name === 'show')
  return named !== undefined && isShown && /^\d+$/.test(named) ? undefined : named
}

async function attemptsOf(typed: PartialCommandLine, facts: Facts): Promise<readonly Candidate[]> {
  const step = (typed.given.get('show') ?? typed.given.get('retry'))?.at(-1)
  return step === undefined ? [] : facts.attempts(typed.directories, planOf(typed), step)
}
