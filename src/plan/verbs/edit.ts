import { repoPath, required } from '../model/schema-types.ts'
import { applyTextEdit, readText, textEditProblem, textEditShape } from '../model/text-edit.ts'
import type { SpecOf, Verb } from '../model/verb.ts'

const shape = { edit: () => required(repoPath, 'The file to change'), ...textEditShape }
type Spec = SpecOf<typeof shape>

export const edit: Verb<Spec> = {
  name: 'edit',
  summary: 'Changes a text file: replaces text, an expression or lines, inserts, appends, or applies a diff.',
  shape,
  risk: 'MEDIUM',
  refine: (spec) => textEditProblem(spec, { key: 'edit', path: spec.edit }),
  derive: ({ edit }) => ({ id: `edit-${edit}`, title: `Edit ${edit}` }),
  paths: ({ edit }) => ({ reads: [edit], writes: [edit], deletes: [] }),
  writesText: true,
  async perform(spec, { tree }) {
    const before = await readText(tree, spec.edit)
    const result = before.ok ? applyTextEdit(before.text, spec) : before
    if (!result.ok)
      return {
        kind: 'failed',
        reason: 'verb',
        message: `cannot edit ${spec.edit}: ${result.message}`,
        ...(result.line === undefined ? {} : { place: { path: ['diff'], line: result.line } }),
      }
    await tree.write(spec.edit, new TextEncoder().encode(result.text))
    return { kind: 'performed' }
  },
}
