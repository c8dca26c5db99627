import { required, words } from '../model/schema-types.ts'
import { singleLine } from '../text/display.ts'
import type { SpecOf, Verb } from '../model/verb.ts'

const shape = { manual: () => required(words, 'What a person has to do') }
type Spec = SpecOf<typeof shape>

export const manual: Verb<Spec> = {
  name: 'manual',
  summary: 'Waits for a person to do something.',
  shape,
  risk: 'LOW',
  asks: 'person',
  derive: ({ manual }) => ({ id: singleLine(manual).split(' ').slice(0, 5).join('-'), title: singleLine(manual) }),
  paths: () => ({ reads: [], writes: [], deletes: [] }),
  perform: async ({ manual }) => ({ kind: 'waiting', for: 'person', message: manual }),
}
