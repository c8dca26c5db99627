// Columns of text. Widths are counted before colours are put on.

export interface Cell {
  readonly text: string
  readonly paint?: (text: string) => string
}

export function table(rows: readonly (readonly (Cell | string)[])[], indent = ''): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? { text: cell } : cell)))
  const widths: number[] = []
  for (const row of cells) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, [...cell.text].length)
  const lines = cells.map((row) => {
    const painted = row.map((cell, at) => {
      const padding = at === row.length - 1 ? '' : ' '.repeat((widths[at] ?? 0) - [...cell.text].length)
      return `${cell.paint === undefined ? cell.text : cell.paint(cell.text)}${padding}`
    })
    return `${indent}${painted.join('  ')}`.trimEnd()
  })
  return lines.map((line) => `${line}\n`).join('')
}
