// One line per answer.

import type { ClassifyData, Classified } from '../../../commands/utilities/classify.ts'
import type { CommandResult } from '../../../operation/context.ts'
import { escapeForTerminal } from '../../../plan/text/display.ts'
import type { Style } from '../style.ts'

export function printClassify({ data }: CommandResult<ClassifyData>, style: Style): string {
  const line = ({ class: found, reason, risk, riskReason }: Classified): string =>
    `${found === 'READ' ? style.green(found) : style.yellow(found)}: ${escapeForTerminal(reason)}${
      riskReason === undefined ? '' : `; as a step its risk is ${risk}: ${escapeForTerminal(riskReason)}`
    }\n`
  return ('answers' in data ? data.answers : [data]).map(line).join('')
}
