// Variables that a command sets: by assignments, or because that is what it is for.

import type { Command } from '../parse.ts'
import type { Call } from './call.ts'
import { contentOf, linesOf, outputOf } from './flow.ts'
import { marks } from './marks.ts'
import { given } from './options.ts'
import type { State } from './state.ts'
import { fieldsOf, valuesOf, type Surroundings } from './values.ts'

/** Those in front of a program and behind `export`. What is not for one program alone is set from now on. */
export function assignmentsOf(
  { name, prefix, suffix }: Command,
  { variables, isUncertain }: State,
  around: Surroundings,
): Map<string, string> {
  const env = new Map<string, string>()
  for (const each of [...prefix, ...suffix]) {
    if (each.type !== 'Assignment') continue
    const values =
      each.value.type === 'ArrayValue'
        ? [each.value.elements.flatMap((word) => fieldsOf(word, around)).join(' ')]
        : valuesOf(each.value, around)
    env.set(each.name, values.at(-1) ?? '')
    const before = each.append === true && variables.isSet(each.name) ? variables.of(each.name) : ['']
    if (name === undefined || suffix.includes(each))
      variables.set(
        each.name,
        values.flatMap((value) => before.map((text) => text + value)),
        !isUncertain,
      )
  }
  return env
}

export function assignedBy(call: Call): [name: string, values: readonly string[]][] {
  const { name, args } = call
  if (name === 'read' || name === 'mapfile' || name === 'readarray') {
    const { operands, values } = given(args, name === 'read' ? '-d -n -N -p -t -u -a -i' : '-d -n -O -s -u -C -c')
    const [descriptor] = values('-u')
    const lines = linesOf(descriptor === undefined ? call.input : contentOf(`/dev/fd/${descriptor}`, call))
    const names = [...operands.filter((arg) => /^\w+$/.test(arg)), ...(name === 'read' ? values('-a') : [])]
    return (names.length > 0 ? names : [name === 'read' ? 'REPLY' : 'MAPFILE']).map((each) => [each, lines])
  }
  if (name !== 'printf' || args[0] !== '-v') return []
  return [[args[1] ?? '', [outputOf({ ...call, args: args.slice(2) }).text ?? marks.variable]]]
}
