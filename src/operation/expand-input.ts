// Expands the text that a command was given: asks for missing values on a terminal, reads what it includes.

import { relative } from 'node:path'
import { PlanError } from '../errors.ts'
import { readPlan } from '../plan/file/read-plan.ts'
import type { Finding } from '../plan/model/finding.ts'
import { slug } from '../plan/model/names.ts'
import type { SourceEntry } from '../plan/model/source-entry.ts'
import type { Declaration } from '../plan/sources/declarations.ts'
import { expandSource, readGiven } from '../plan/sources/expand.ts'
import { describeParam, giveValues, type Given, type ParamProblem } from '../plan/sources/give-values.ts'
import { relocateIn } from '../plan/sources/located-text.ts'
import { quoteIfNeeded } from '../process/shell-words.ts'
import type { CommandContext } from './context.ts'
import { invalidPlan } from './invalid-plan.ts'
import { fileKey, sourceLoader, type SourcePlaces } from './load-source.ts'
import type { PlanInput } from './read-plan-input.ts'

export interface ExpandRequest extends Pick<SourcePlaces, 'repo' | 'dir'> {
  readonly context: CommandContext
  /** `NAME=VALUE`, from the command line. */
  readonly param?: readonly string[] | undefined
  readonly title?: string | undefined
  readonly entry?: SourceEntry
  /** The command that gets more values. */
  readonly command: string
  /** The command that describes the parameters, if the text has no file of its own. */
  readonly describe?: string
}

/** `-p NAME=VALUE`, as it is typed. */
export const paramOption = (value: string): string =>
  `-p ${/^[\w.@/:=+-]+$/.test(value) ? value : quoteIfNeeded(value)}`

export type ExpandedInput =
  | { readonly ok: true; readonly input: PlanInput }
  | {
      readonly ok: false
      readonly findings: readonly Finding[]
      readonly missing: readonly Declaration[]
      readonly wrong: readonly ParamProblem[]
    }

/** Refuses a text that cannot be expanded. */
export async function expandInput(input: PlanInput, request: ExpandRequest): Promise<PlanInput> {
  const expanded = await tryExpandInput(input, request)
  if (expanded.ok) return expanded.input
  const { findings, missing, wrong } = expanded
  if (wrong.length > 0) {
    const lines = wrong.flatMap(({ message, advice }) => [message, ...(advice === undefined ? [] : [`  ${advice}`])])
    throw new PlanError(
      'usage',
      lines.length === 1 ? `-p: ${lines[0]}` : ['wrong values of -p:', ...lines].join('\n  '),
      {
        hint: request.describe ?? `git plan check ${quoteIfNeeded(input.file)}`,
        facts: { wrong: wrong.map(({ name }) => name) },
      },
    )
  }
  if (missing.length === 0 || findings.length > missing.length) throw invalidPlan(input.file, findings)
  const values = [...(request.param ?? []), ...missing.map(({ name }) => `${name}=VALUE`)]
  throw new PlanError('usage', [`${input.file} needs values:`, ...missing.map(describeParam)].join('\n  '), {
    hint: [request.command, ...values.map(paramOption)].join(' '),
    facts: { missing: missing.map(({ name }) => name) },
  })
}

export async function tryExpandInput(input: PlanInput, request: ExpandRequest): Promise<ExpandedInput> {
  const { context, repo } = request
  let given = givenValues(request.param ?? [])
  const path = input.path === undefined || repo === undefined ? undefined : relative(repo.root, input.path)
  for (;;) {
    const expanded = await expandSource(input, {
      load: sourceLoader({ repo, dir: request.dir, env: context.env }),
      given,
      title: request.title,
      self: path === undefined ? undefined : fileKey(path),
      ...(request.entry === undefined ? {} : { entry: request.entry }),
    })
    if (expanded.ok) {
      const { bytes, located } = expanded
      const relocate = located === undefined ? {} : { relocate: relocateIn(located) }
      return { ok: true, input: { ...input, bytes, ...relocate, ...idOf(input, bytes) } }
    }
    const { findings, missing, wrong } = expanded
    const isOnlyMissing = missing.length > 0 && findings.length === missing.length
    const answers = isOnlyMissing && context.isInteractive ? await askValues(missing, context) : undefined
    if (answers === undefined) return { ok: false, findings, missing, wrong }
    given = new Map([...given, ...answers])
  }
}

function givenValues(words: readonly string[]): Given {
  const read = readGiven(words)
  if (read.ok) return read.given
  throw new PlanError('usage', `-p takes NAME=VALUE, not ${JSON.stringify(read.word.slice(0, 80))}`, {
    hint: 'git plan new -h',
  })
}

/** Undefined if a question was dismissed. */
async function askValues(missing: readonly Declaration[], context: CommandContext): Promise<Given | undefined> {
  const answers = new Map<string, { texts: string[] }>()
  for (const declared of missing) {
    const choices = declared.choices ?? (declared.type === 'boolean' ? ['true', 'false'] : undefined)
    for (let problem = ''; ;) {
      const question = `${problem}${describeParam(declared)}${declared.type === 'list' ? ' (separated by spaces)' : ''}?`
      const answer =
        choices === undefined
          ? await context.ask(question)
          : await context.choose(
              question,
              choices.map((value) => ({ value, label: value })),
            )
      if (answer === undefined) return undefined
      const texts = declared.type === 'list' ? answer.split(' ').filter((each) => each !== '') : [answer]
      const wrong = giveValues([declared], new Map([[declared.name, { texts }]])).problems[0]?.message
      if (wrong === undefined) {
        answers.set(declared.name, { texts })
        break
      }
      problem = `${wrong}. `
    }
  }
  return answers
}

/** Text from standard input or a template has no file name: its title names the plan, or else its first step. */
function idOf(input: PlanInput, bytes: Uint8Array): { readonly id?: string } {
  if (input.id !== undefined || input.path !== undefined) return {}
  const parsed = readPlan(bytes, input)
  if (!parsed.ok || !parsed.source.derived.plan) return {}
  const { id, title, steps } = parsed.plan
  return { id: slug(title === id ? (steps[0]?.title ?? '') : title, 'plan') }
}
