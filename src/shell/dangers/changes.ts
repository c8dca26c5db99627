// What a command changes for those after it: where they run, and what they find in variables.

import { assignedBy } from './assigned.ts'
import type { Call } from './call.ts'
import { marks } from './marks.ts'
import { given } from './options.ts'
import { fromTop, nameOf } from './places.ts'
import type { State } from './state.ts'

type Change = (call: Call, state: State) => void

function go(state: State, to: string): void {
  const before = state.cwd
  state.cwd = /^[\u{E000}-\u{E003}\u{E008}]/u.test(to) ? to : fromTop(to, state.cwd)
  state.variables.set('OLDPWD', [nameOf(before)], !state.isUncertain)
  state.variables.set('PWD', [nameOf(state.cwd)], !state.isUncertain)
}

const changeDirectory: Change = ({ args }, state) => {
  const to = args.find((arg) => !arg.startsWith('-'))
  if (to === undefined && args.includes('-')) {
    const [before = ''] = state.variables.of('OLDPWD')
    go(state, state.variables.isSet('OLDPWD') ? before : marks.top)
  } else go(state, to ?? marks.home)
}

const table: Readonly<Record<string, Change>> = {
  cd: changeDirectory,
  chdir: changeDirectory,
  pushd: changeDirectory,
  popd: (_, state) => go(state, marks.top),
  set: ({ args }, { variables }) => {
    if (args.some((arg) => /^-[a-z]*u/.test(arg)) || args.includes('nounset')) variables.isStrict = true
    const dashes = args.findIndex((arg) => arg === '--' || arg === '-')
    const first =
      dashes >= 0
        ? dashes + 1
        : args.findIndex((arg, at) => !/^[-+]/.test(arg) && !/^[-+][a-zA-Z]*o$/.test(args[at - 1] ?? ''))
    if (dashes >= 0 || first >= 0) variables.positional = args.slice(first)
  },
  shift: ({ args }, { variables }) => {
    const count = Number(args[0] ?? 1)
    if (variables.positional !== undefined)
      variables.positional = variables.positional.slice(Number.isInteger(count) ? count : 1)
  },
  getopts: ({ args }, { variables, isUncertain }) => {
    variables.set('OPTARG', variables.positional ?? [marks.variable], !isUncertain)
    variables.set(given(args).operands[1] ?? '', [marks.some], !isUncertain)
  },
}

export function change(call: Call, state: State): void {
  if (Object.hasOwn(table, call.name)) table[call.name]?.(call, state)
  else for (const [variable, values] of assignedBy(call)) state.variables.set(variable, values, !state.isUncertain)
}
