// The step that a driver got: its task, and until when.

import type { CommandResult } from '../../../operation/context.ts'
import type { HandedStep } from '../../../operation/results.ts'
import { escapeForTerminal } from '../../../plan/text/display.ts'
import type { Style } from '../style.ts'
import { moment } from '../../../view/duration.ts'

export function printNext(
  {
    data,
    exitCode,
  }: CommandResult<{ readonly message?: string; readonly next?: string | null; readonly handed?: HandedStep | null }>,
  style: Style,
): string {
  const { message, handed, next } = data
  const lines = message === undefined ? [] : [escapeForTerminal(message)]
  if (handed === undefined || handed === null)
    return `${[...lines, ...(message === undefined ? [next === null ? 'no step is left' : `the next step, ${next}, is not for an agent`] : [])].join('\n')}\n`
  const { step, attempt, holder, until, prompt } = handed
  const who =
    holder === null || until === null
      ? 'nobody has it'
      : `${escapeForTerminal(holder)} has it until ${moment(until)}, attempt ${attempt}`
  // What is missing was said, and the task is known.
  if (exitCode !== 0) return `${lines.join('\n')}\n`
  return [...lines, style.dim(`${step}: ${who}`), '', escapeForTerminal(prompt, { multiline: true })].join('\n')
}
