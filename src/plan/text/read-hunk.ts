// Reads one hunk of a unified diff.

export interface Hunk {
  /** Index of the first line of the hunk. */
  readonly at: number
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** Line of the diff with the header. */
  readonly line: number
}

type ReadHunk =
  | { readonly ok: true; readonly hunk: Hunk; readonly end: number }
  | { readonly ok: false; readonly message: string; readonly line: number }

export const hunkHeader = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/

/** `start`: index of the header. `recount`: the numbers of lines in the header are not believed. */
export function readHunk(
  lines: readonly string[],
  start: number,
  { recount, name }: { readonly recount: boolean; readonly name: string },
): ReadHunk {
  const refused = (message: string, line = start + 1): ReadHunk => ({ ok: false, message, line })
  const [, position, old = '1', , fresh = '1'] = hunkHeader.exec(lines[start]!)!
  let end = start + 1
  while (end < lines.length && /^([ +\\-]|$)/.test(lines[end]!) && !isFileHeader(lines, end)) end++
  // Empty lines may follow a hunk; an empty line inside is a context line whose space an editor stripped.
  const body = lines.slice(start + 1, end)
  const count = (not: '+' | '-'): number => body.filter((line) => line[0] !== not && line[0] !== '\\').length
  const spare = Math.min(count('+') - Number(old), count('-') - Number(fresh))
  for (let dropped = 0; dropped < spare && end > start + 1 && lines[end - 1] === ''; dropped++) end--
  if (end === start + 1) return refused(`${name} has no lines`)
  const before: string[] = []
  const after: string[] = []
  for (let index = start + 1; index < end; index++) {
    const text = lines[index]!
    const mark = text[0] ?? ' '
    if (mark === '\\') {
      const last = lines[index - 1]?.[0]
      if (last !== '+') before.push((before.pop() ?? '').replace(/\n$/, ''))
      if (last !== '-') after.push((after.pop() ?? '').replace(/\n$/, ''))
      continue
    }
    if (mark !== '+') before.push(`${text.slice(1)}\n`)
    if (mark !== '-') after.push(`${text.slice(1)}\n`)
  }
  if (!recount && (before.length !== Number(old) || after.length !== Number(fresh)))
    return refused(
      `${name} has ${before.length} old and ${after.length} new lines, but its header says ${old} and ${fresh}`,
    )
  const at = Number(position) - (before.length === 0 ? 0 : 1)
  return at < 0
    ? refused(`${name} has no valid position`)
    : { ok: true, hunk: { at, before, after, line: start + 1 }, end }
}

/** Without a line `diff`, the next file begins with `---`, which could also be a removed line. */
const isFileHeader = (lines: readonly string[], index: number): boolean =>
  lines[index]!.startsWith('--- ') &&
  lines[index + 1]?.startsWith('+++ ') === true &&
  hunkHeader.test(lines[index + 2] ?? '')
