import { required, words } from '../model/schema-types.ts'
import { singleLine } from '../text/display.ts'
import type { SpecOf, Verb } from '../model/verb.ts'

const shape = { gate: () => required(words, 'What a person decides') }
type Spec = SpecOf<typeof shape>

export const gate: Verb<Spec> = {
  name: 'gate',
  summary: 'Waits for a person to decide.',
  shape,
  risk: 'LOW',
  changes: 'none',
  asks: () => 'decision',
  derive: ({ gate }) => ({ id: `gate-${singleLine(gate).split(' ').slice(0, 5).join('-')}`, title: singleLine(gate) }),
  paths: () => ({ reads: [], writes: [], deletes: [] }),
  perform: async ({ gate }) => ({ kind: 'waiting', for: 'decision', message: gate }),
}
