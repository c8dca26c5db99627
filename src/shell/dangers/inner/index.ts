// Commands and scripts that a call would run in turn.

import type { Call } from '../call.ts'
import { interpreted } from './code.ts'
import { dashed, versionControl } from './git.ts'
import type { Inner, Unwrap, Unwraps } from './inner.ts'
import { inOptions, inVariables } from './options.ts'
import { runners } from './runners.ts'
import { shellsAndBuiltins } from './shells.ts'

type Table = ReadonlyMap<string, readonly Unwrap[]>

function tableOf(...tables: readonly Unwraps[]): Table {
  const byProgram = new Map<string, Unwrap[]>()
  for (const table of tables)
    for (const [names, unwrap] of Object.entries(table))
      for (const name of names.split(' ')) byProgram.set(name, [...(byProgram.get(name) ?? []), unwrap])
  return byProgram
}

const instead = tableOf(shellsAndBuiltins, runners)
const beside = tableOf(inOptions, versionControl, interpreted)

const from = (table: Table, call: Call): Inner[] =>
  (table.get(call.name) ?? []).flatMap((unwrap) => unwrap(call.args, call))

/** `instead`: all that comes out of the call comes out of these. `beside`: it does something of its own as well. */
export const innerOf = (call: Call): { readonly instead: readonly Inner[]; readonly beside: readonly Inner[] } => ({
  instead: [...dashed(call.args, call), ...from(instead, call)],
  beside: [...inVariables(call), ...from(beside, call)],
})
