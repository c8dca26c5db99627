// The outcome of a verb that ran a command.

import type { Performed, ShellResult } from './verb.ts'

/** `who` is the subject of the message: "the command exited with 1". */
export function performedBy(result: ShellResult, who = 'the command'): Performed {
  if (result.kind === 'exited') {
    return result.code === 0
      ? { kind: 'performed' }
      : { kind: 'failed', reason: 'exit', message: `${who} exited with ${result.code}`, exit: result.code }
  }
  const ended = {
    timeout: 'exceeded its timeout',
    'output-limit': 'exceeded its output limit',
    interrupted: 'was interrupted',
    signal: 'was killed by a signal',
  }
  return {
    kind: 'failed',
    reason: result.reason,
    message: `${who} ${ended[result.reason]}${result.signal ? ` (${result.signal})` : ''}`,
  }
}
