// Where a character of a text stands in the YAML that it was written in: a block begins on the line after its sign,
// quotes and folds stand between.

import type { Place } from './yaml.ts'

interface WrittenText {
  readonly value: unknown
  readonly type?: string | undefined
  readonly range?: readonly [number, number, number] | null | undefined
}

/** The offset in `source`; that of the beginning of the text where it cannot be told. */
export function offsetWithin({ value, type, range }: WrittenText, source: string, { line, column }: Place): number {
  const [start, end] = range ?? [0, 0]
  if (typeof value !== 'string') return start
  const lines = value.split('\n')
  const raw = source.slice(start, end)
  return (
    start +
    (type === 'BLOCK_LITERAL' ? inLiteral(raw, lines, { line, column }) : inFolded(raw, value, lines, { line, column }))
  )
}

/** Every line of it is a line of the value behind the indentation. */
function inLiteral(raw: string, lines: readonly string[], { line, column }: Place): number {
  const written = raw.split('\n')
  const before = written.slice(0, line).reduce((length, each) => length + each.length + 1, 0)
  const indentation = (written[line]?.replace(/\r$/, '').length ?? 0) - (lines[line - 1]?.length ?? 0)
  return before + Math.max(indentation, 0) + column - 1
}

/** The word that begins there, found again as often as it stood in the value before. */
function inFolded(raw: string, value: string, lines: readonly string[], { line, column }: Place): number {
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
