// Applies a unified diff to one file without guessing: each hunk at its own position, or at the only other one where it
// fits.

import { withEndings } from './edit-text.ts'
import type { Edited } from './edit-text.ts'

interface Hunk {
  /** Index of the first line of the hunk. */
  readonly at: number
  readonly before: readonly string[]
  readonly after: readonly string[]
}

export type ParsedDiff =
  | { readonly ok: true; readonly paths: readonly string[]; readonly hunks: readonly Hunk[] }
  | { readonly ok: false; readonly message: string }

const hunkHeader = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/

export function parseDiff(diff: string): ParsedDiff {
  const lines = diff.replace(/\r\n/g, '\n').replace(/\n$/, '').split('\n')
  const refused = (message: string): ParsedDiff => ({ ok: false, message })
  const paths: string[] = []
  const hunks: Hunk[] = []
  let index = 0
  while (index < lines.length) {
    const line = lines[index]!
    const header = hunkHeader.exec(line)
    if (!header) {
      const path = /^(?:---|\+\+\+) (?:[ab]\/)?([^\t]+)/.exec(line)?.[1]
      if (hunks.length > 0 && line !== '')
        return refused(`line ${index + 1} of the diff belongs to no hunk; a diff here is about one file`)
      if (path !== undefined) paths.push(path)
      else if (line !== '' && !/^(diff |index )/.test(line))
        return refused(`line ${index + 1} of the diff is not understood`)
      index++
      continue
    }
    index++
    const name = `hunk ${hunks.length + 1}`
    let old = Number(header[2] ?? 1)
    let fresh = Number(header[4] ?? 1)
    const before: string[] = []
    const after: string[] = []
    const at = Number(header[1]) - (old === 0 ? 0 : 1)
    while (old > 0 || fresh > 0 || lines[index]?.startsWith('\\')) {
      const text = lines[index++]
      if (text === undefined) return refused(`${name} ends before the number of lines in its header`)
      // Editors strip the space of an empty context line.
      const mark = text === '' ? ' ' : text[0]
      const content = `${text.slice(1)}\n`
      if (mark === '\\') {
        const last = lines[index - 2]?.[0]
        if (last !== '+') before.push((before.pop() ?? '').replace(/\n$/, ''))
        if (last !== '-') after.push((after.pop() ?? '').replace(/\n$/, ''))
        continue
      }
      if (mark !== ' ' && mark !== '-' && mark !== '+')
        return refused(`line ${index} of the diff is not part of ${name}; its header promises more lines`)
      if (mark !== '+') {
        before.push(content)
        old--
      }
      if (mark !== '-') {
        after.push(content)
        fresh--
      }
      if (old < 0 || fresh < 0) return refused(`${name} has more lines than its header says`)
    }
    if (at < 0) return refused(`${name} has no valid position`)
    hunks.push({ at, before, after })
  }
  return hunks.length === 0
    ? refused('the diff has no hunks')
    : { ok: true, paths: paths.filter((path) => path !== '/dev/null'), hunks }
}

export const applyDiff = (text: string, diff: string): Edited =>
  withEndings(text, (body, adapt) => {
    const parsed = parseDiff(diff)
    if (!parsed.ok) return parsed
    const lines = body.match(/[^\n]*\n|[^\n]+$/g) ?? []
    const result: string[] = []
    let from = 0
    for (const [index, hunk] of parsed.hunks.entries()) {
      const before = hunk.before.map(adapt)
      const position = hunkPosition(lines, before, hunk.at, from)
      if (typeof position === 'string')
        return { ok: false, message: `hunk ${index + 1} of ${parsed.hunks.length} does not apply: ${position}` }
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
