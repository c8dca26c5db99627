// The graph of a plan as a picture: the waves from top to bottom, the steps of a wave side by side. It takes a moment
// even for thousands of steps, since nothing is optimized.

import { escapeHtml, Html, markup } from './markup.ts'

export interface GraphStep {
  readonly id: string
  readonly title: string
  readonly seen: string
  readonly needs: readonly string[]
  readonly wave: number
  /** What stands below the id, such as how long it took. */
  readonly note: string
}

const node = { width: 168, height: 44 }
const gap = { x: 20, y: 36 }
const most = 5

export const signOf = (seen: string): string =>
  ({ done: '✓', failed: '✗', timeout: '✗', conflict: '✗', skipped: '–', waiting: '‖', running: '▸' })[seen] ?? '·'

/** `critical`: steps whose edges are drawn bold. Each step is a link to `#step-<id>`. */
export function graphSvg(steps: readonly GraphStep[], critical: readonly string[]): Html {
  const places = placesOf(steps)
  const columns = Math.min(most, Math.max(1, ...[...places.values()].map(({ column }) => column + 1)))
  const rows = Math.max(0, ...[...places.values()].map(({ row }) => row + 1))
  const [width, height] = [columns * (node.width + gap.x) + gap.x, rows * (node.height + gap.y)]
  const onPath = new Set(critical)
  const edges = steps.flatMap(({ id, needs }) =>
    needs.flatMap((need) => {
      const [from, to] = [places.get(need), places.get(id)]
      return from === undefined || to === undefined
        ? []
        : [edge(centerOf(from), centerOf(to), onPath.has(id) && onPath.has(need))]
    }),
  )
  return markup`<svg
    class="graph"
    viewBox="0 0 ${width} ${height}"
    width="${width}"
    height="${height}"
    role="img"
    aria-label="${`The graph of ${steps.length} steps by wave`}"
  >
    ${new Html(edges.join('\n'))}
    ${new Html(steps.map((step) => nodeOf(step, centerOf(places.get(step.id)!))).join('\n'))}
  </svg>`
}

interface Place {
  readonly row: number
  readonly column: number
}

/** A wave with many steps takes several rows. */
function placesOf(steps: readonly GraphStep[]): Map<string, Place> {
  const waves = new Map<number, GraphStep[]>()
  for (const step of steps) waves.set(step.wave, [...(waves.get(step.wave) ?? []), step])
  const widest = Math.max(0, ...[...waves.values()].map((own) => own.length))
  const places = new Map<string, Place>()
  let row = 0
  for (const [, own] of [...waves].toSorted(([a], [b]) => a - b)) {
    for (const [at, { id }] of own.entries()) {
      const inRow = Math.min(most, own.length - Math.floor(at / most) * most)
      // In the middle: half a column may be left on each side.
      const column = (at % most) + (Math.min(most, widest) - inRow) / 2
      places.set(id, { row: row + Math.floor(at / most), column })
    }
    row += Math.ceil(own.length / most)
  }
  return places
}

interface Point {
  readonly x: number
  readonly y: number
}

const centerOf = ({ row, column }: Place): Point => ({
  x: gap.x + column * (node.width + gap.x) + node.width / 2,
  y: gap.y / 2 + row * (node.height + gap.y) + node.height / 2,
})

function edge(from: Point, to: Point, isCritical: boolean): string {
  const [top, bottom] = [from.y + node.height / 2, to.y - node.height / 2]
  const middle = (top + bottom) / 2
  return `<path class="edge${isCritical ? ' critical' : ''}" d="M${from.x} ${top}C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${bottom}"/>`
}

function nodeOf({ id, title, seen, note }: GraphStep, { x, y }: Point): string {
  const [left, top] = [x - node.width / 2, y - node.height / 2]
  const label = clip(id, 20)
  return `<a href="#step-${escapeHtml(id)}"><g class="node ${escapeHtml(seen)}"><title>${escapeHtml(`${id}: ${title} (${seen})`)}</title><rect x="${left}" y="${top}" width="${node.width}" height="${node.height}" rx="6"/><text class="sign" x="${left + 12}" y="${y + 5}">${signOf(seen)}</text><text class="id" x="${left + 30}" y="${note === '' ? y + 5 : y - 3}">${escapeHtml(label)}</text>${note === '' ? '' : `<text class="note" x="${left + 30}" y="${y + 13}">${escapeHtml(clip(note, 22))}</text>`}</g></a>`
}

const clip = (text: string, length: number): string => (text.length <= length ? text : `${text.slice(0, length - 1)}…`)
