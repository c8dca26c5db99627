import { command, required } from '../model/schema-types.ts'
import { singleLine } from '../text/display.ts'
import { performedBy } from '../model/performed-by.ts'
import type { SpecOf, Verb } from '../model/verb.ts'

const shape = { run: () => required(command, 'A shell command') }
type Spec = SpecOf<typeof shape>

export const run: Verb<Spec> = {
  name: 'run',
  summary: 'Runs a shell command at the top of the repository.',
  shape,
  risk: 'HIGH',
  derive: ({ run }) => ({ id: singleLine(run).split(' ').slice(0, 4).join('-'), title: `Run ${singleLine(run)}` }),
  paths: () => ({ reads: [], writes: [], deletes: [] }),
  command: ({ run }) => ({ command: run, path: ['run'] }),
  perform: async ({ run }, context) => performedBy(await context.shell(run)),
}
