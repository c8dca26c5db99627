// Diagnoses with their remedies.

import type { CommandResult } from '../../../operation/context.ts'
import type { DoctorData } from '../../../commands/utilities/doctor.ts'
import { escapeForTerminal } from '../../../plan/text/display.ts'
import type { Style } from '../style.ts'
import { paintStatus } from '../../terminal/paint.ts'

export function printDoctor({ data }: CommandResult<DoctorData>, style: Style): string {
  const lines = data.diagnoses.flatMap(({ name, state, message, remedy }) => [
    `${paintStatus(state, style)(state.padEnd(4))}  ${style.bold(name)}: ${escapeForTerminal(message)}`,
    ...(remedy === undefined
      ? []
      : [`      ${escapeForTerminal(remedy, { multiline: true }).replaceAll('\n', '\n      ')}`]),
  ])
  return `${lines.join('\n')}\n`
}
