// Parses arguments into a command and its request. Pure; the table in commands/table defines commands and options.

import { parseArgs } from 'node:util'
import { PlanError } from '../../errors.ts'
import { listOf, suggestIfNear } from '../../plan/text/nearest.ts'
import { commandNamed, commands, type CommandSpec, type OptionSpec } from '../../commands/table/index.ts'
import { requestKey } from '../../commands/table/request.ts'
import { globalOptions } from './global-options.ts'

/** Positionals by name, options in camelCase; only those that were given. */
export type Request = Readonly<Record<string, string | boolean | readonly string[]>>

export interface Globals {
  readonly json: boolean
  readonly noInput: boolean
  readonly noColor: boolean
  readonly plain: boolean
  readonly debug: boolean
  readonly directory: string | undefined
}

export type Invocation =
  | { readonly kind: 'help'; readonly command: CommandSpec | undefined; readonly globals: Globals }
  | { readonly kind: 'version'; readonly globals: Globals }
  | { readonly kind: 'command'; readonly command: CommandSpec; readonly request: Request; readonly globals: Globals }

export function parseCommandLine(argv: readonly string[]): Invocation {
  const { before, name, after } = splitAtCommand(argv)
  if (name === undefined) {
    const { options } = readTokens(before, undefined)
    const globals = globalsOf(options)
    return options.has('version') ? { kind: 'version', globals } : { kind: 'help', command: undefined, globals }
  }
  const wanted = name === 'help' ? after.find((argument) => !argument.startsWith('-')) : name
  if (wanted === undefined) return { kind: 'help', command: undefined, globals: globalsOf(new Map()) }
  const command = commandNamed(wanted)
  if (command === undefined)
    throw new PlanError('usage', `unknown command ${JSON.stringify(wanted)}; ${suggestCommand(wanted)}`, {
      hint: 'git plan -h',
    })
  if (name === 'help') return { kind: 'help', command, globals: globalsOf(new Map()) }

  const { options, positionals } = readTokens([...before, ...after], command)
  const globals = globalsOf(options)
  if (options.has('help')) return { kind: 'help', command, globals }
  if (options.has('version')) return { kind: 'version', globals }
  return {
    kind: 'command',
    command,
    request: { ...namedPositionals(command, positionals), ...namedOptions(command, options) },
    globals,
  }
}

/**
 * A synonym or a prefix is a better guess than a similar spelling, which must never lead to a command that removes
 * something.
 */
function suggestCommand(name: string): string {
  const word = name.toLowerCase()
  const names = commands.map((each) => each.name)
  const meant = commands.filter(({ synonyms }) => synonyms?.includes(word)).map((each) => each.name)
  const completed = meant.length > 0 || name === '' ? meant : names.filter((each) => each.startsWith(word))
  if (completed.length > 0 && completed.length <= 4)
    return `did you mean ${completed.map((each) => `\`${each}\``).join(' or ')}?`
  const harmless = commands.flatMap((each) => (each.removes === true ? [] : [each.name]))
  return suggestIfNear(name, harmless) ?? listOf(names)
}

/** The global options of an invalid command line: they decide how its error is printed. */
export const globalsOfInvalid = (argv: readonly string[]): Globals => {
  const end = argv.indexOf('--')
  const given = new Set(end < 0 ? argv : argv.slice(0, end))
  return {
    json: given.has('--json'),
    noInput: given.has('--no-input'),
    noColor: given.has('--no-color'),
    plain: given.has('--plain'),
    debug: given.has('--debug'),
    directory: undefined,
  }
}

/** Global options may come before the command, as with git itself. */
function splitAtCommand(argv: readonly string[]): { before: string[]; name: string | undefined; after: string[] } {
  for (let at = 0; at < argv.length; at += 1) {
    const argument = argv[at] ?? ''
    if (argument === '-C' || argument === '--directory') at += 1
    else if (!argument.startsWith('-')) return { before: argv.slice(0, at), name: argument, after: argv.slice(at + 1) }
    else if (argument === '--') break
  }
  return { before: [...argv], name: undefined, after: [] }
}

type Given = Map<string, string | true | string[]>

function readTokens(
  args: readonly string[],
  command: CommandSpec | undefined,
): { options: Given; positionals: string[] } {
  // Most command lines have no options; parseArgs would take a millisecond.
  if (!args.some((argument) => argument.startsWith('-'))) return { options: new Map(), positionals: [...args] }
  const known = [...(command?.options ?? []), ...globalOptions]
  const byName = new Map(known.map((option) => [option.name, option]))
  const hint = `git plan ${command === undefined ? '' : `${command.name} `}-h`
  // Not strict: the messages of parseArgs do not suggest the nearest option, and change with the Node version.
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(known.map((option) => [option.name, parseArgsOption(option)])),
  })
  const options: Given = new Map()
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const option = byName.get(token.name)
    if (option === undefined) {
      const names = known.map((each) => `--${each.name}`)
      const advice = token.rawName.startsWith('--') ? suggestIfNear(token.rawName, names) : undefined
      throw new PlanError(
        'usage',
        `unknown option ${JSON.stringify(token.rawName)}${command === undefined ? '' : ` for ${command.name}`}${advice === undefined ? '' : `; ${advice}`}`,
        { hint },
      )
    }
    if (option.type === 'boolean') {
      const { values = [] } = option
      if (token.value !== undefined && !values.includes(token.value))
        throw new PlanError(
          'usage',
          values.length === 0
            ? `${token.rawName} takes no value`
            : `${token.rawName} takes no value but ${listOf(values)}`,
          { hint },
        )
      options.set(option.name, token.value ?? true)
      continue
    }
    if (token.value === undefined)
      throw new PlanError('usage', `${token.rawName} needs a value: ${token.rawName} ${option.value ?? 'VALUE'}`, {
        hint,
      })
    if (!token.inlineValue && token.value.startsWith('-') && token.value.length > 1) {
      throw new PlanError(
        'usage',
        `${token.rawName} needs a value; ${JSON.stringify(token.value)} looks like an option`,
        {
          hint: `--${option.name}=${token.value}`,
        },
      )
    }
    if (option.multiple)
      options.set(option.name, [...((options.get(option.name) as string[] | undefined) ?? []), token.value])
    else options.set(option.name, token.value)
  }
  return { options, positionals }
}

const parseArgsOption = (option: OptionSpec): { type: 'string' | 'boolean'; short?: string; multiple: boolean } => ({
  type: option.type,
  multiple: option.multiple ?? false,
  ...(option.short === undefined ? {} : { short: option.short }),
})

function namedPositionals(command: CommandSpec, given: readonly string[]): Record<string, string | readonly string[]> {
  const hint = `git plan ${command.name} -h`
  const rest = command.positionals.findIndex(({ isRest }) => isRest === true)
  const extra = rest < 0 ? given[command.positionals.length] : undefined
  if (extra !== undefined) {
    const isTitle = command.positionals[0]?.name === 'title'
    throw new PlanError(
      'usage',
      `unexpected argument ${JSON.stringify(extra)}${isTitle ? '; put the title in quotes' : ''}`,
      { hint },
    )
  }
  const named: Record<string, string | readonly string[]> = {}
  for (const [index, positional] of command.positionals.entries()) {
    const value = given[index]
    if (value !== undefined) named[positional.name] = index === rest ? given.slice(index) : value
    else if (positional.isRequired)
      throw new PlanError('usage', `${command.name} needs ${positional.label}`, {
        // The plan of an example does not exist here.
        hint: positional.name === 'plan' ? hint : (command.examples[0] ?? hint),
      })
  }
  return named
}

function namedOptions(command: CommandSpec, given: Given): Record<string, string | boolean | readonly string[]> {
  const named: Record<string, string | boolean | readonly string[]> = {}
  for (const option of command.options) {
    const value = given.get(option.name)
    if (value !== undefined) named[requestKey(option)] = value
  }
  return named
}

function globalsOf(given: Given): Globals {
  const directory = given.get('directory')
  return {
    json: given.has('json'),
    noInput: given.has('no-input'),
    noColor: given.has('no-color'),
    plain: given.has('plain'),
    debug: given.has('debug'),
    directory: typeof directory === 'string' ? directory : undefined,
  }
}
