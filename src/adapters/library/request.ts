// Turns the request of a method into the request of its command. The row in commands/table says which keys there are, so
// that the library and the command line take the same options.

import { PlanError } from '../../errors.ts'
import type { CommandSpec } from '../../commands/table/index.ts'
import { requestKey } from '../../commands/table/request.ts'
import { isId, planBranch, planId } from '../../plan/model/ids.ts'
import { suggestIfNear } from '../../plan/text/nearest.ts'

type Values = Record<string, unknown>

interface Key {
  /** The key in the request of the command. */
  readonly key: string
  readonly type: 'flag' | 'text' | 'list' | 'plan' | 'input'
  /** What a flag may be besides true and false. */
  readonly values?: readonly string[]
}

/** A target such as `PLAN|FILE|-` has a key for each of its forms, of which one is given. */
const forms: Readonly<Record<string, readonly [name: string, type: Key['type']]>> = {
  PLAN: ['plan', 'plan'],
  FILE: ['file', 'text'],
  '-': ['text', 'input'],
  RANGE: ['range', 'text'],
}
const finishModes = ['merge', 'squash', 'ff']

/** The keys that the method takes. */
export function keysOf(command: CommandSpec): ReadonlyMap<string, Key> {
  const keys = new Map<string, Key>()
  const add = (key: string, label: string, type: Key['type'], values: readonly string[] = []): void => {
    const known = label.split('|').map((form) => forms[form])
    if (known.every((form) => form !== undefined)) for (const [name, of] of known) keys.set(name, { key, type: of })
    else keys.set(key, { key, type, values })
  }
  for (const { name, label, isRest } of command.positionals) add(name, label, isRest === true ? 'list' : 'text')
  for (const option of command.options) {
    const type = option.multiple ? 'list' : option.type === 'boolean' ? 'flag' : 'text'
    // An option with one form, such as `--unlock PLAN`, keeps its name.
    add(requestKey(option), option.value?.includes('|') === true ? option.value : '', type, option.values)
  }
  // The library has no standard input, and names the mode as the result does.
  if (command.name === 'classify') keys.delete('stdin')
  // A method returns once.
  for (const key of ['watch', 'follow']) keys.delete(key)
  if (command.name === 'finish') {
    for (const mode of finishModes) keys.delete(mode)
    keys.set('mode', { key: 'mode', type: 'text' })
  }
  return keys
}

export interface CommandRequest {
  readonly request: Values
  /** Takes the place of standard input. */
  readonly text: string | undefined
}

export function commandRequest(command: CommandSpec, given: object): CommandRequest {
  const keys = keysOf(command)
  const hint = `git plan ${command.name} -h`
  const refuse = (message: string): never => {
    throw new PlanError('usage', message, { hint })
  }
  if (typeof given !== 'object' || given === null) refuse(`${command.name} takes an object of options`)
  // What is undefined was not given.
  const values = Object.entries(given as Values).filter(([, value]) => value !== undefined)
  refuseUnknown(values, [...keys.keys()], `for ${command.name}`, hint)
  const request: Values = {}
  let text: string | undefined
  for (const [name, value] of values) {
    const { key, type, values: allowed = [] } = keys.get(name)!
    if (key in request) refuse(`${name} cannot be combined with another ${key}`)
    if (name === 'file' && value === '-') refuse('file must be a path; a text is given as `text`')
    if (type === 'input') text = textOf(name, value, refuse)
    const isNamed = typeof value === 'string' && allowed.includes(value)
    request[key] = isNamed ? value : type === 'input' ? '-' : converted(name, value, type, refuse)
    // A flag that is false was not given.
    if (request[key] === false) delete request[key]
  }
  if (command.name === 'finish') setMode(request, refuse)
  const plan = keys.get('plan')
  // On the command line the default is the plan that is checked out; a program has to name it.
  if (plan !== undefined && command.name !== 'prune' && command.name !== 'cache' && request[plan.key] === undefined)
    refuse(
      `${command.name} needs ${[...keys].flatMap(([name, { key }]) => (key === plan.key ? name : [])).join(' or ')}`,
    )
  return { request, text }
}

export function refuseUnknown(
  given: readonly (readonly [string, unknown])[],
  known: readonly string[],
  where: string,
  hint: string,
): void {
  const unknown = given.find(([name]) => !known.includes(name))?.[0]
  if (unknown === undefined) return
  const advice = suggestIfNear(unknown, known)
  const message = `unknown option ${JSON.stringify(unknown.slice(0, 80))} ${where}`
  throw new PlanError('usage', advice === undefined ? message : `${message}; ${advice}`, { hint })
}

type Refuse = (message: string) => never

function converted(name: string, value: unknown, type: Exclude<Key['type'], 'input'>, refuse: Refuse): unknown {
  if (type === 'flag') return typeof value === 'boolean' ? value : refuse(`${name} must be true or false`)
  if (type === 'plan') return branchOf(value)
  if (type === 'text') return textOf(name, value, refuse)
  if (typeof value === 'string') return [value]
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
    ? value
    : refuse(`${name} must be a list of texts`)
}

const textOf = (name: string, value: unknown, refuse: Refuse): string =>
  typeof value === 'string' ? value : Number.isInteger(value) ? String(value) : refuse(`${name} must be a text`)

/** The command line accepts a file or a step as a plan where that makes sense; a program must name the plan. */
function branchOf(plan: unknown): string {
  if (typeof plan !== 'string' || !isId(plan))
    throw new PlanError('usage', `${JSON.stringify(plan)} is not a valid plan id`, { hint: 'git plan list' })
  return planBranch(planId(plan))
}

function setMode(request: Values, refuse: Refuse): void {
  const { mode } = request
  delete request['mode']
  if (mode === undefined) return
  if (!finishModes.includes(mode as string))
    refuse(`invalid mode ${JSON.stringify(mode)}: it must be one of ${finishModes.join(', ')}`)
  request[mode as string] = true
}
