// The plans of each month as bars, as an SVG file for a page or a document. It follows the colors of the reader.

import type { StatsData, StatsRow } from './stats.ts'

const [left, top, height, slot, bar] = [40, 40, 160, 44, 28]

/** From the bottom up. */
const parts = ['completed', 'failed', 'other'] as const

const style = `
text{font:12px system-ui,sans-serif;fill:#24292f}.completed{fill:#1a7f37}.failed{fill:#cf222e}.other{fill:#8c959f}.axis{stroke:#8c959f}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.completed{fill:#3fb950}.failed{fill:#f85149}.other{fill:#6e7681}}`

export function statsSvg({ months }: Pick<StatsData, 'months'>): string {
  const most = Math.max(1, ...months.map(({ plans }) => plans))
  const width = left + Math.max(6, months.length) * slot + 10
  const legend = parts.map(
    (name, at) =>
      `<rect class="${name}" x="${left + at * 90}" y="10" width="12" height="12"/><text x="${left + at * 90 + 17}" y="20">${name}</text>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top + height + 40}" width="${width}" height="${top + height + 40}" role="img" aria-labelledby="title">`,
    '<title id="title">Plans by month</title>',
    `<style>${style}</style>`,
    ...legend,
    `<line class="axis" x1="${left}" y1="${top + height}" x2="${width - 10}" y2="${top + height}"/>`,
    `<text x="${left - 6}" y="${top + 10}" text-anchor="end">${most}</text>`,
    `<text x="${left - 6}" y="${top + height}" text-anchor="end">0</text>`,
    ...months.map((row, at) => bars(row, { x: left + 8 + at * slot, most })),
    '</svg>',
    '',
  ].join('\n')
}

function bars(row: StatsRow, { x, most }: { readonly x: number; readonly most: number }): string {
  let y = top + height
  const drawn = parts.flatMap((name) => {
    const size = Math.round((row[name] / most) * height * 10) / 10
    y -= size
    return size === 0
      ? []
      : [`<rect class="${name}" x="${x}" y="${Math.round(y * 10) / 10}" width="${bar}" height="${size}"/>`]
  })
  const [year, month] = row.name.split('-')
  const said = `${row.name}: ${parts.map((name) => `${row[name]} ${name}`).join(', ')}`
  return `<g><title>${said}</title>${drawn.join('')}<text x="${x + bar / 2}" y="${top + height + 16}" text-anchor="middle">${month}</text><text x="${x + bar / 2}" y="${top + height + 31}" text-anchor="middle">${year}</text></g>`
}
