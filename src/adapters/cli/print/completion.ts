// Prints the script verbatim, or what was installed.

import type { CompletionData } from '../../../commands/utilities/completion.ts'
import type { CommandResult } from '../../../operation/context.ts'
import type { Style } from '../style.ts'
import { printOutcome } from './outcome.ts'

export const printCompletion = (result: CommandResult<CompletionData>, style: Style): string =>
  'script' in result.data ? result.data.script : printOutcome(result, style)
