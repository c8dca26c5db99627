import * as z from 'zod/mini'
import { required } from '../model/schema-types.ts'
import { readText } from '../model/text-edit.ts'
import { applyHunks } from '../text/apply-diff.ts'
import { andMore, escapeForTerminal } from '../text/display.ts'
import { readPatch, type FilePatch } from '../text/read-patch.ts'
import { pathProblem } from '../text/repo-path.ts'
import type { Edited } from '../text/edit-text.ts'
import type { SpecOf, SpecProblem, Verb, VerbContext } from '../model/verb.ts'

const shape = {
  patch: () =>
    required(
      z.string().check(z.minLength(1)),
      'A unified diff of one or more text files; the numbers of lines in the headers of hunks may be wrong',
    ),
}
type Spec = SpecOf<typeof shape>

function filesIn({ patch }: Spec): readonly FilePatch[] {
  const read = readPatch(patch, { recount: true })
  return read.ok ? read.files : []
}

/** A file of the patch with its text after the patch; undefined if the text stays, or the file is deleted. */
interface Patched {
  readonly file: FilePatch
  readonly text: string | undefined
}

export const patch: Verb<Spec> = {
  name: 'patch',
  summary:
    'Applies a unified diff of several text files: changes, creates, deletes and renames; all of it, or nothing.',
  shape,
  risk: 'MEDIUM',
  raises: (spec) =>
    filesIn(spec).some(({ to }) => to === undefined) ? { risk: 'HIGH', reason: 'deletes files' } : undefined,
  refine,
  derive(spec) {
    const names = filesIn(spec).map(({ from, to }) => to ?? from ?? '')
    return { id: `patch-${names[0]}`, title: `Patch ${andMore(names)}` }
  },
  paths(spec) {
    const files = filesIn(spec)
    const names = (list: readonly (string | undefined)[]): string[] => list.filter((name) => name !== undefined)
    return {
      reads: names(files.map(({ from }) => from)),
      writes: names(files.map(({ to }) => to)),
      deletes: names(files.map(({ from, to }) => (from === to ? undefined : from))),
    }
  },
  writesText: true,
  async perform(spec, { tree }) {
    // Everything is computed before the first change.
    const patched: Patched[] = []
    for (const file of filesIn(spec)) {
      const result = await patchedText(file, tree)
      if (!result.ok)
        return {
          kind: 'failed',
          reason: 'verb',
          message: `cannot patch ${file.from ?? file.to}: ${result.message}`,
          place: { path: ['patch'], line: result.line ?? file.line },
        }
      patched.push({ file, text: result.text })
    }
    for (const { file } of patched) {
      if (file.from === undefined || file.from === file.to) continue
      if (file.to === undefined) await tree.remove(file.from)
      else await tree.rename(file.from, file.to)
    }
    for (const { file, text } of patched) {
      if (text === undefined || file.to === undefined) continue
      const { executable } = file
      await tree.write(file.to, new TextEncoder().encode(text), executable === undefined ? {} : { executable })
    }
    return { kind: 'performed' }
  },
}

type PatchedText = Exclude<Edited, { ok: true }> | { readonly ok: true; readonly text: string | undefined }

async function patchedText(file: FilePatch, tree: VerbContext['tree']): Promise<PatchedText> {
  const { from, to, hunks, executable } = file
  if (to !== undefined && to !== from && (await tree.kind(to)) !== 'absent')
    return { ok: false, message: `${to} already exists` }
  if (from === undefined) return applyHunks('', hunks)
  if ((await tree.tracked(from)).length === 0) return { ok: false, message: 'Git tracks no such file' }
  // A file that is only renamed may be binary.
  if (to !== undefined && hunks.length === 0 && executable === undefined && (await tree.kind(from)) === 'file')
    return { ok: true, text: undefined }
  const before = await readText(tree, from)
  const result = before.ok ? applyHunks(before.text, hunks) : before
  if (!result.ok || to !== undefined) return result
  return result.text === ''
    ? { ok: true, text: undefined }
    : { ok: false, message: 'the patch deletes it, but not all of its lines' }
}

function refine(spec: Spec): SpecProblem | undefined {
  const read = readPatch(spec.patch, { recount: true })
  if (!read.ok) return { key: 'patch', message: read.message, line: read.line }
  const seen = new Set<string>()
  for (const file of read.files) {
    const names = [...new Set([file.from, file.to])].filter((name) => name !== undefined)
    const refused = (message: string): SpecProblem => ({ key: 'patch', message, line: file.line })
    if (names.length === 0) return refused('the patch does not name the file: write `--- a/FILE` and `+++ b/FILE`')
    for (const name of names) {
      const problem = pathProblem(name) ?? (/^\.plans(\/|$)/i.test(name) ? 'it belongs to git plan' : undefined)
      if (problem !== undefined) return refused(`${escapeForTerminal(name)} is refused: ${problem}`)
      if (seen.has(name)) return refused(`the patch has ${name} twice; put its hunks together`)
      seen.add(name)
    }
  }
  return undefined
}
