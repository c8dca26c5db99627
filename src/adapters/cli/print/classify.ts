// One line per answer.

import type { ClassifyData } from '../../../commands/utilities/classify.ts'
import type { CommandResult } from '../../../operation/context.ts'
import { escapeForTerminal } from '../../../plan/text/display.ts'
import type { Classification } from '../../../judge/shell/classify.ts'
import type { Style } from '../style.ts'

export function printClassify({ data }: CommandResult<ClassifyData>, style: Style): string {
  const line = ({ class: found, reason }: Classification): string =>
    `${found === 'READ' ? style.green(found) : style.yellow(found)}: ${escapeForTerminal(reason)}\n`
  return ('answers' in data ? data.answers : [data]).map(line).join('')
}
