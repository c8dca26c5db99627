// A patch: verbatim to files and pipes, so that it applies; with colors and escaped on a terminal.

import type { CommandResult } from '../../../operation/context.ts'
import { escapeForTerminal } from '../../../plan/text/display.ts'
import type { Style } from '../style.ts'

export function printDiff({ data }: CommandResult<{ readonly diff: string }>, style: Style): string {
  return patchText(data.diff, style)
}

export function patchText(patch: string, style: Style): string {
  if (!style.isTerminal) return patch
  return patch
    .split('\n')
    .map((line) => {
      const safe = escapeForTerminal(line, { multiline: true })
      if (/^(diff |index |--- |\+\+\+ |new file|deleted file|similarity|rename )/.test(line)) return style.bold(safe)
      if (line.startsWith('@@')) return style.cyan(safe)
      return line.startsWith('+') ? style.green(safe) : line.startsWith('-') ? style.red(safe) : safe
    })
    .join('\n')
}
