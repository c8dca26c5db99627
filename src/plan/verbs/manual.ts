import { optional, required, words } from '../model/schema-types.ts'
import { singleLine } from '../text/display.ts'
import type { SpecOf, Verb } from '../model/verb.ts'

const shape = {
  manual: () => required(words, 'What a person has to do'),
  done: () => optional(words, 'Why it is done already: nobody is asked, and the reason is recorded'),
}
type Spec = SpecOf<typeof shape>

export const manual: Verb<Spec> = {
  name: 'manual',
  summary: 'Waits for a person to do something.',
  shape,
  risk: 'LOW',
  asks: () => 'person',
  derive: ({ manual }) => ({ id: singleLine(manual).split(' ').slice(0, 5).join('-'), title: singleLine(manual) }),
  paths: () => ({ reads: [], writes: [], deletes: [] }),
  declaredDone: ({ done }) => done,
  perform: async ({ manual, done }) =>
    done === undefined ? { kind: 'waiting', for: 'person', message: manual } : { kind: 'performed' },
}
