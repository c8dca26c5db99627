// Failed attempts and their changes.

import type { AttemptData, AttemptsData } from '../../../commands/inspect/attempts.ts'
import type { CommandResult } from '../../../operation/context.ts'
import { escapeForTerminal } from '../../../plan/text/display.ts'
import type { Style } from '../style.ts'
import { patchText } from './diff.ts'
import { moment, short } from '../../../view/duration.ts'
import { table } from '../../terminal/table.ts'

export function printAttempts(result: CommandResult<AttemptsData | AttemptData>, style: Style): string {
  if (result.kind === 'attempt') {
    const { diff } = result.data as AttemptData
    return diff === '' ? 'The attempt changed no files.\n' : patchText(diff, style)
  }
  const { attempts, id } = result.data as AttemptsData
  if (attempts.length === 0) return `${id} has no saved attempts.\n`
  return table(
    attempts.map((attempt) => [
      { text: attempt.step, paint: style.bold },
      String(attempt.number),
      moment(attempt.at),
      { text: short(attempt.commit), paint: style.dim },
      escapeForTerminal(attempt.reason ?? ''),
    ]),
    style,
  )
}
