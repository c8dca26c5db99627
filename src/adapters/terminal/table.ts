// Aligns text in columns. Widths are computed before colors are added.

import type { Style } from '../cli/style.ts'
import { clip, widthOf } from './width.ts'

export interface Cell {
  readonly text: string
  readonly paint?: (text: string) => string
}

/** On a narrow terminal the widest columns are shortened, but never the first, because people type its values. */
export function table(
  rows: readonly (readonly (Cell | string)[])[],
  style: Pick<Style, 'columns' | 'signs'>,
  indent = '',
): string {
  const widths: number[] = []
  // A list can have thousands of rows: allocate nothing per cell.
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, widthOf(textOf(cell)))))
  if (style.columns !== undefined) narrow(widths, style.columns - indent.length - 2 * (widths.length - 1))
  const lines = rows.map((row) => {
    const painted = row.map((cell, at) => {
      const text = style.columns === undefined ? textOf(cell) : clip(textOf(cell), widths[at], style.signs.more)
      const padding = at === row.length - 1 ? '' : ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(text)))
      return `${typeof cell === 'string' || cell.paint === undefined ? text : cell.paint(text)}${padding}`
    })
    return `${indent}${painted.join('  ')}`.trimEnd()
  })
  return lines.map((line) => `${line}\n`).join('')
}

const textOf = (cell: Cell | string): string => (typeof cell === 'string' ? cell : cell.text)

/** Minimum width of a column; if that is too wide, the terminal wraps. */
const least = 8

function narrow(widths: number[], room: number): void {
  for (;;) {
    const over = widths.reduce((sum, width) => sum + width, 0) - room
    const widest = widths.indexOf(Math.max(...widths.slice(1)), 1)
    const width = widths[widest] ?? 0
    if (over <= 0 || width <= least) return
    const second = Math.max(least, ...widths.filter((_, at) => at !== widest && at > 0))
    widths[widest] = Math.max(least, width - over, Math.min(width - 1, second))
  }
}
