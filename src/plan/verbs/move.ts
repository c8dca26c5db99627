import { repoPath, required } from '../model/schema-types.ts'
import type { SpecOf, Verb } from '../model/verb.ts'

const shape = {
  move: () => required(repoPath, 'A tracked file or directory'),
  to: () => required(repoPath, 'The destination; it must not exist yet'),
}
type Spec = SpecOf<typeof shape>

export const move: Verb<Spec> = {
  name: 'move',
  summary: 'Moves a tracked file or directory.',
  shape,
  risk: 'MEDIUM',
  refine({ move, to }) {
    if (move === to) return { key: 'to', message: 'the destination must differ from the source' }
    return to.startsWith(`${move}/`) ? { key: 'to', message: 'a directory cannot be moved into itself' } : undefined
  },
  derive: ({ move, to }) => ({ id: `move-${move}`, title: `Move ${move} to ${to}` }),
  paths: ({ move, to }) => ({ reads: [move], writes: [to], deletes: [move] }),
  async perform({ move, to }, { tree }) {
    if ((await tree.tracked(move)).length === 0)
      return { kind: 'failed', reason: 'verb', message: `cannot move ${move}: Git tracks nothing there` }
    if ((await tree.kind(to)) !== 'absent')
      return { kind: 'failed', reason: 'verb', message: `cannot move ${move} to ${to}: the destination already exists` }
    await tree.rename(move, to)
    return { kind: 'performed' }
  },
}
