// Every rule, by the program that it is about, and those about any program.

import type { Call, Check, Checks, Found } from '../call.ts'
import { checksOff, switchedOff } from './checks-off.ts'
import { deleting } from './delete.ts'
import { versionControl } from './git.ts'
import { machines } from './machine.ts'
import { network, runsFetched } from './network.ts'
import { publishing } from './publish.ts'
import { namesSecret, secrets } from './secrets.ts'
import { redirected, writing } from './write.ts'

const tables: readonly Checks[] = [deleting, writing, network, versionControl, secrets, machines, checksOff, publishing]
const anyProgram: readonly Check[] = [redirected, switchedOff, namesSecret, runsFetched]

const byProgram = new Map<string, Check[]>()
for (const table of tables)
  for (const [names, check] of Object.entries(table))
    for (const name of names.split(' ')) byProgram.set(name, [...(byProgram.get(name) ?? []), check])

/** All that there is to say about a call. */
export const checksOf = (call: Call): Found[] =>
  [...anyProgram, ...(byProgram.get(call.name) ?? [])].flatMap((check) => {
    const answer = check(call)
    return (Array.isArray(answer) ? (answer as readonly (Found | undefined)[]) : [answer as Found | undefined]).filter(
      (each) => each !== undefined,
    )
  })
