// Variables that a builtin sets.

import type { Call } from './call.ts'
import { outputOf } from './flow.ts'
import { marks } from './marks.ts'
import { given } from './options.ts'

export function assignedBy(call: Call): [name: string, value: string][] {
  const { name, args, input } = call
  if (name === 'read' || name === 'mapfile' || name === 'readarray') {
    const names = given(args, '-d -n -N -p -t -u -a -i').operands.filter((arg) => /^\w+$/.test(arg))
    const line = input.text?.split('\n', 1)[0]
    return names.map((each) => [each, line ?? marks.variable])
  }
  if (name !== 'printf' || args[0] !== '-v') return []
  return [[args[1] ?? '', outputOf({ ...call, args: args.slice(2) }).text ?? marks.variable]]
}
