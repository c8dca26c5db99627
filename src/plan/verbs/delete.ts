import * as z from 'zod/mini'
import { listOf, repoPath, required } from '../model/schema-types.ts'
import type { SpecOf, Verb } from '../model/verb.ts'

const shape = {
  delete: () => required(z.union([repoPath, listOf(repoPath, { least: 1 })]), 'Tracked files or directories'),
}
type Spec = SpecOf<typeof shape>

const targets = (spec: Spec): readonly string[] => (Array.isArray(spec.delete) ? spec.delete : [spec.delete])

// Not `delete`, which is a reserved word.
export const deleteVerb: Verb<Spec> = {
  name: 'delete',
  summary: 'Deletes tracked files or directories.',
  shape,
  risk: 'HIGH',
  derive(spec) {
    const [first = '', ...more] = targets(spec)
    return { id: `delete-${first}`, title: `Delete ${first}${more.length > 0 ? ` and ${more.length} more` : ''}` }
  },
  paths: (spec) => ({ reads: [], writes: [], deletes: targets(spec) }),
  async perform(spec, { tree }) {
    // Looks up all of them before the first removal, so that a misspelt path removes nothing.
    const found = new Set<string>()
    for (const path of targets(spec)) {
      const tracked = await tree.tracked(path)
      if (tracked.length === 0)
        return { kind: 'failed', reason: 'verb', message: `cannot delete ${path}: Git tracks nothing there` }
      for (const file of tracked) found.add(file)
    }
    for (const file of found) await tree.remove(file)
    return { kind: 'performed' }
  },
}
