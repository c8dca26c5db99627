// A line that a step has printed.

import { escapeForTerminal } from '../../plan/text/display.ts'

/** After a carriage return only the last text is shown, as on a terminal. */
export function outputText(line: string): string {
  const shown = line.replace(/\r+$/, '').split('\r').at(-1) ?? ''
  return escapeForTerminal(stripColors(shown), { multiline: true })
}

// oxlint-disable-next-line no-control-regex -- colors begin with one
const stripColors = (text: string): string => text.replace(/\u001b\[[0-9;]*[mK]/g, '')
