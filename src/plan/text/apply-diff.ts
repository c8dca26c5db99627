// Applies the hunks of a unified diff to one file without guessing: each hunk at its own position, or at the only other
// one where it fits.

import { withEndings } from './edit-text.ts'
import type { Edited } from './edit-text.ts'
import type { Hunk } from './read-hunk.ts'
import { readPatch, type PatchProblem } from './read-patch.ts'

export type ParsedDiff =
  | { readonly ok: true; readonly paths: readonly string[]; readonly hunks: readonly Hunk[] }
  | PatchProblem

/** A diff of one file, whose name it need not have. */
export function parseDiff(diff: string): ParsedDiff {
  const patch = readPatch(diff)
  if (!patch.ok) return patch
  const [file, second] = patch.files
  if (file === undefined) return { ok: false, message: 'the diff has no hunks', line: 1 }
  const refused = (message: string, line: number): ParsedDiff => ({ ok: false, message, line })
  if (second !== undefined) return refused('the diff is about several files; use `patch`', second.line)
  if (file.isRename || file.executable !== undefined)
    return refused('the diff changes the name or the mode of a file; use `patch`', file.line)
  return { ok: true, paths: [file.from, file.to].filter((path) => path !== undefined), hunks: file.hunks }
}

export function applyDiff(text: string, diff: string): Edited {
  const parsed = parseDiff(diff)
  return parsed.ok ? applyHunks(text, parsed.hunks) : parsed
}

export const applyHunks = (text: string, hunks: readonly Hunk[]): Edited =>
  withEndings(text, (body, adapt) => {
    const lines = body.match(/[^\n]*\n|[^\n]+$/g) ?? []
    const result: string[] = []
    let from = 0
    for (const [index, hunk] of hunks.entries()) {
      const before = hunk.before.map(adapt)
      const position = hunkPosition(lines, before, hunk.at, from)
      if (typeof position === 'string')
        return {
          ok: false,
          message: `hunk ${index + 1} of ${hunks.length} does not apply: ${position}`,
          line: hunk.line,
        }
      result.push(...lines.slice(from, position), ...hunk.after.map(adapt))
      from = position + before.length
    }
    const rest = lines.slice(from)
    // A line without a newline must be the last one.
    const open = result.findIndex((line) => !line.endsWith('\n'))
    if (open >= 0 && (open < result.length - 1 || rest.length > 0))
      return { ok: false, message: 'the diff leaves a line without an end in the middle of the file' }
    return { ok: true, text: [...result, ...rest].join('') }
  })

function hunkPosition(
  lines: readonly string[],
  before: readonly string[],
  wanted: number,
  from: number,
): number | string {
  const fits = (at: number): boolean =>
    at >= from && at + before.length <= lines.length && before.every((line, index) => lines[at + index] === line)
  if (fits(wanted)) return wanted
  if (before.length === 0) return `line ${wanted} is not in the file`
  const places: number[] = []
  for (let at = from; at + before.length <= lines.length; at++) if (fits(at)) places.push(at)
  return places.length === 1
    ? places[0]!
    : `not at line ${wanted + 1}, and its lines were found at ${places.length} other places`
}
