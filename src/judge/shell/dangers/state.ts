// State that a command changes for later commands: variables and the working directory.

import type { Command } from '../parse.ts'
import type { Call } from './call.ts'
import { fieldsOf, maxTexts, valuesOf, type State } from './fields.ts'
import { fromTop } from './location.ts'

/** For a subshell, which does not change its parent. */
export const copyState = (state: State): State => ({ ...state, variables: new Map(state.variables) })

/** The variables before a program and after `export`. Without a program they stay set. */
export function assign({ name, prefix, suffix }: Command, state: State): Map<string, string> {
  const env = new Map<string, string>()
  for (const each of [...prefix, ...suffix]) {
    if (each.type !== 'Assignment') continue
    const words = each.value.type === 'ArrayValue' ? each.value.elements : [each.value]
    const isArray = each.value.type === 'ArrayValue'
    const values = words.flatMap((word) => (isArray ? fieldsOf(word, state) : valuesOf(word, state)))
    env.set(each.name, values.at(-1) ?? '')
    if (name !== undefined && !suffix.includes(each)) continue
    const before = each.append === true ? (state.variables.get(each.name) ?? ['']) : ['']
    state.variables.set(each.name, before.flatMap((text) => values.map((value) => text + value)).slice(0, maxTexts))
  }
  return env
}

export function applyChange({ name, args, input }: Call, state: State): void {
  if (/^(cd|chdir|pushd)$/.test(name)) {
    const to = args.find((arg) => !arg.startsWith('-'))
    state.cwd = to === undefined ? (args.includes('-') ? '' : '~') : fromTop(to, state.cwd)
  }
  if (name === 'popd') state.cwd = ''
  if (name === 'set' && args.some((arg) => /^-[a-z]*u|^nounset$/.test(arg))) state.isStrict = true
  const values = input.paths?.map((path) => path.replaceAll('*', 'name')) ?? input.text?.split('\n', 1)
  if (/^(read|mapfile|readarray)$/.test(name) && values !== undefined)
    for (const variable of args.filter((arg) => /^[A-Za-z_]\w*$/.test(arg))) state.variables.set(variable, values)
}
