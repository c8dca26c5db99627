// What a command finds when it runs: what those before it set, and what it stands in.

import type { Flow, Target } from './call.ts'
import { nothing } from './flow.ts'
import { Variables } from './variables.ts'

/** What changes from command to command. */
export interface State {
  readonly variables: Variables
  cwd: string
  /** It may not run at all: a branch, a loop, a function. */
  readonly isUncertain: boolean
}

export interface Around {
  readonly input: Flow
  readonly isBackground: boolean
  /** Of the compound command that it is part of. */
  readonly targets: readonly Target[]
}

export const alone: Around = { input: nothing, isBackground: false, targets: [] }

/** For a subshell, which changes nothing for others. */
export const copied = (state: State): State => ({
  variables: state.variables.copy(),
  cwd: state.cwd,
  isUncertain: state.isUncertain,
})

export const newState = (variables: Readonly<Record<string, string>>): State => ({
  variables: new Variables(Object.entries(variables).map(([name, value]) => [name, [value]])),
  cwd: '',
  isUncertain: false,
})
