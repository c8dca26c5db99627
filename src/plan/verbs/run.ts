import { plainLine } from '../display.ts'
import { isCommand } from '../plain.ts'
import type { Performed, ShellResult, SpecOf, Verb, Words } from '../verb.ts'

const shape = { run: ({ command }: Words) => command.describe('A shell command') }
type Spec = SpecOf<typeof shape>

export const run: Verb<Spec> = {
  name: 'run',
  summary: 'Runs a shell command at the top of the repository.',
  shape,
  accepts: ({ run }) => isCommand(run),
  risk: 'HIGH',
  derive: ({ run }) => ({ id: plainLine(run).split(' ').slice(0, 4).join('-'), title: `Run ${plainLine(run)}` }),
  paths: () => ({ reads: [], writes: [], deletes: [] }),
  perform: async ({ run }, context) => performedBy(await context.shell(run)),
}

function performedBy(result: ShellResult): Performed {
  if (result.kind === 'exited') {
    return result.code === 0 ? { kind: 'performed' } : { kind: 'failed', reason: 'exit', message: `the command exited with ${result.code}`, exit: result.code }
  }
  const ended = {
    timeout: 'the command ran out of time',
    'output-limit': 'the command wrote more than its limit',
    interrupted: 'the command was interrupted',
    signal: 'the command was ended by a signal',
  }
  return { kind: 'failed', reason: result.reason, message: `${ended[result.reason]}${result.signal ? ` (${result.signal})` : ''}` }
}
