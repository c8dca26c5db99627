// The outcome of a verb that ran a command.

import type { Performed, ShellResult } from './verb.ts'

/** `who`: the program, if it is not the command of the plan. */
export function performedBy(result: ShellResult, who?: string): Performed {
  if (result.kind === 'exited') {
    return result.code === 0
      ? { kind: 'performed' }
      : {
          kind: 'failed',
          reason: 'exit',
          message: who === undefined ? `exit code ${result.code}` : `${who} exited with ${result.code}`,
          exit: result.code,
        }
  }
  if (result.reason === 'timeout')
    return { kind: 'failed', reason: 'timeout', message: who === undefined ? 'timed out' : `${who} timed out` }
  const ended = {
    'plan-timeout': 'was ended: the plan exceeded its timeout',
    'cpu-limit': 'exceeded its limit of processor time',
    'memory-limit': 'exceeded its memory limit',
    'output-limit': 'exceeded its output limit',
    idle: 'printed nothing for too long',
    'agent-limit': 'was ended',
    interrupted: 'was interrupted',
    signal: 'was killed by a signal',
  }
  return {
    kind: 'failed',
    reason: result.reason,
    message: `${who ?? 'the command'} ${ended[result.reason]}${result.signal ? ` (${result.signal})` : ''}${result.detail === undefined ? '' : ` (${result.detail})`}`,
  }
}
