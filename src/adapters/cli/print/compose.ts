// The text of a composed plan, unless it was written to a file.

import type { CommandResult } from '../../../operation/context.ts'
import type { ComposedData } from '../../../commands/propose/compose.ts'

export const printCompose = ({ data: { file, text, steps } }: CommandResult<ComposedData>): string =>
  file === null ? text : `Wrote ${file}: ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}\n`
