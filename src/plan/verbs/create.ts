import * as z from 'zod/mini'
import { flag, optional, repoPath, required } from '../model/schema-types.ts'
import type { SpecOf, Verb } from '../model/verb.ts'

const shape = {
  create: () => required(repoPath, 'The file to create; it must not exist yet'),
  content: () => required(z.string(), 'Its content'),
  executable: () => optional(flag, 'Whether it is executable'),
}
type Spec = SpecOf<typeof shape>

export const create: Verb<Spec> = {
  name: 'create',
  summary: 'Creates a file.',
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
        message: `cannot create ${create}: a ${kind === 'other' ? 'special file' : kind} already exists there`,
      }
    await tree.write(create, new TextEncoder().encode(content), executable === undefined ? {} : { executable })
    return { kind: 'performed' }
  },
}
