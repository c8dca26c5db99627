import * as z from 'zod/mini'
import { flag, optional, repoPath, required } from '../model/schema-types.ts'
import type { SpecOf, Verb } from '../model/verb.ts'

const shape = {
  create: () => required(repoPath, 'The file to make; nothing may be there yet'),
  content: () => required(z.string(), 'What is in it'),
  executable: () => optional(flag, 'Whether it can be run'),
}
type Spec = SpecOf<typeof shape>

export const create: Verb<Spec> = {
  name: 'create',
  summary: 'Makes a new file.',
  shape,
  risk: 'LOW',
  derive: ({ create }) => ({ id: `create-${create}`, title: `Create ${create}` }),
  paths: ({ create }) => ({ reads: [], writes: [create], deletes: [] }),
  writesText: true,
  content: ({ content }) => content,
  async perform({ create, content, executable }, { tree }) {
    const kind = await tree.kind(create)
    if (kind !== 'absent')
      return {
        kind: 'failed',
        reason: 'verb',
        message: `cannot create ${create}: a ${kind === 'other' ? 'special file' : kind} is there already`,
      }
    await tree.write(create, new TextEncoder().encode(content), executable === undefined ? {} : { executable })
    return { kind: 'performed' }
  },
}
