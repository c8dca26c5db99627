// Maps a position within a text value to its offset in the YAML source. The two differ because block scalars start on
// the line after their indicator, and quotes and folding add characters.

import type { Position } from './yaml.ts'

interface WrittenText {
  readonly value: unknown
  readonly type?: string | undefined
  readonly range?: readonly [number, number, number] | null | undefined
}

/** Offset in `source`, or of the start of the scalar if it cannot be determined. */
export function offsetWithin({ value, type, range }: WrittenText, source: string, { line, column }: Position): number {
  const [start, end] = range ?? [0, 0]
  if (typeof value !== 'string') return start
  const lines = value.split('\n')
  const raw = source.slice(start, end)
  return (
    start +
    (type === 'BLOCK_LITERAL' ? inLiteral(raw, lines, { line, column }) : inFolded(raw, value, lines, { line, column }))
  )
}

/** Each line of a literal block is a line of the value after the indentation. */
function inLiteral(raw: string, lines: readonly string[], { line, column }: Position): number {
  const written = raw.split('\n')
  const before = written.slice(0, line).reduce((length, each) => length + each.length + 1, 0)
  const indentation = (written[line]?.replace(/\r$/, '').length ?? 0) - (lines[line - 1]?.length ?? 0)
  return before + Math.max(indentation, 0) + column - 1
}

/** Finds the word at that position in the source, by its number of occurrences before it in the value. */
function inFolded(raw: string, value: string, lines: readonly string[], { line, column }: Position): number {
  const offset = lines.slice(0, line - 1).reduce((length, each) => length + each.length + 1, 0) + column - 1
  const word = /^[^\s'"\\]+/.exec(value.slice(offset))?.[0]
  if (word === undefined) return 0
  let [at, seen] = [-1, value.indexOf(word)]
  for (; seen >= 0 && seen <= offset; seen = value.indexOf(word, seen + 1)) {
    const next = raw.indexOf(word, at + 1)
    if (next < 0) return 0
    at = next
  }
  return Math.max(at, 0)
}
