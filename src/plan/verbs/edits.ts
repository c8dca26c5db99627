import * as z from 'zod/mini'
import { listOf, makeSchemas, repoPath, required } from '../model/schema-types.ts'
import { applyTextEdit, readText, textEditProblem, textEditShape } from '../model/text-edit.ts'
import { andMore } from '../text/display.ts'
import type { SpecOf, Verb } from '../model/verb.ts'

const most = 500

const shape = {
  edits: () =>
    required(
      listOf(
        z.strictObject({
          ...makeSchemas({ file: () => required(repoPath, 'The file to change') }),
          ...makeSchemas(textEditShape),
        }),
        { least: 1, most },
      ),
      'Changes of text files, each with `file` and the keys of `edit`',
    ),
}
type Spec = SpecOf<typeof shape>

const filesOf = ({ edits }: Spec): string[] => [...new Set(edits.map(({ file }) => file))]

export const edits: Verb<Spec> = {
  name: 'edits',
  summary: 'Changes several text files at once, or one in several places: all of the edits, or none.',
  shape,
  risk: 'MEDIUM',
  refine({ edits }) {
    for (const [index, { file, ...edit }] of edits.entries()) {
      const problem = textEditProblem(edit, { key: 'file', path: file })
      if (problem !== undefined) return { ...problem, key: 'edits', below: [index, problem.key] }
    }
    return undefined
  },
  derive: (spec) => ({ id: `edit-${filesOf(spec)[0]}`, title: `Edit ${andMore(filesOf(spec))}` }),
  paths: (spec) => ({ reads: filesOf(spec), writes: filesOf(spec), deletes: [] }),
  writesText: true,
  async perform({ edits }, { tree }) {
    // Everything is computed before the first write.
    const texts = new Map<string, string>()
    for (const [index, { file, ...edit }] of edits.entries()) {
      const known = texts.get(file)
      const before = known === undefined ? await readText(tree, file) : { ok: true as const, text: known }
      const result = before.ok ? applyTextEdit(before.text, edit) : before
      if (!result.ok)
        return {
          kind: 'failed',
          reason: 'verb',
          message: `cannot edit ${file}: ${result.message} (edit ${index + 1} of ${edits.length})`,
          place:
            result.line === undefined
              ? { path: ['edits', index, 'file'] }
              : { path: ['edits', index, 'diff'], line: result.line },
        }
      texts.set(file, result.text)
    }
    for (const [file, text] of texts) await tree.write(file, new TextEncoder().encode(text))
    return { kind: 'performed' }
  },
}
