// Places the steps of a plan: a band for each wave, its steps side by side, in as many lines as they need. Each step needs
// only steps of bands above it, so nothing has to be searched for, and a thousand steps take no time.

export interface GraphStep {
  readonly id: string
  readonly wave: number
  readonly needs: readonly string[]
}

export interface GraphNode {
  readonly id: string
  readonly x: number
  readonly y: number
}

export interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly path: string
  readonly top: number
  readonly bottom: number
}

export interface Graph {
  readonly width: number
  readonly height: number
  readonly nodeWidth: number
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  readonly waves: readonly { readonly y: number; readonly height: number; readonly size: number }[]
}

export const nodeHeight = 62
const gap = 14
/** Room for the edges between two bands. */
const bandGap = 34

export function layOut(steps: readonly GraphStep[], width: number): Graph {
  const waves: GraphStep[][] = []
  for (const step of steps) (waves[step.wave] ??= []).push(step)
  const bands = waves.filter((band) => band !== undefined)
  const widest = bands.reduce((most, band) => Math.max(most, band.length), 1)
  const room = Math.max(160, width)
  const most = Math.max(180, Math.min(260, room / Math.min(widest, 4) - gap))
  const perLine = Math.max(1, Math.floor((room + gap) / (most + gap)))
  const nodeWidth = widest === 1 || perLine === 1 ? Math.min(room, 380) : most
  const nodes: GraphNode[] = []
  const placed: { y: number; height: number; size: number }[] = []
  let y = 0
  for (const band of bands) {
    const lines = Math.ceil(band.length / perLine)
    for (const [at, { id }] of band.entries()) {
      const line = Math.floor(at / perLine)
      const inLine = Math.min(perLine, band.length - line * perLine)
      const left = (room - inLine * (nodeWidth + gap) + gap) / 2
      nodes.push({ id, x: left + (at % perLine) * (nodeWidth + gap), y: y + line * (nodeHeight + gap) })
    }
    const height = lines * (nodeHeight + gap) - gap
    placed.push({ y, height, size: band.length })
    y += height + bandGap
  }
  return {
    width: room,
    height: Math.max(0, y - bandGap),
    nodeWidth,
    nodes,
    edges: edgesOf(steps, new Map(nodes.map((node) => [node.id, node])), nodeWidth),
    waves: placed,
  }
}

function edgesOf(steps: readonly GraphStep[], at: ReadonlyMap<string, GraphNode>, nodeWidth: number): GraphEdge[] {
  return steps.flatMap((step) =>
    step.needs.flatMap((need) => {
      const [from, to] = [at.get(need), at.get(step.id)]
      if (from === undefined || to === undefined) return []
      const [x1, y1, x2, y2] = [from.x + nodeWidth / 2, from.y + nodeHeight, to.x + nodeWidth / 2, to.y - 1]
      const bend = Math.min(60, Math.max(bandGap / 2, (y2 - y1) / 2))
      return [
        {
          from: need,
          to: step.id,
          path: `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`,
          top: y1,
          bottom: y2,
        },
      ]
    }),
  )
}

/** What can be seen between two heights. */
export const visible = ({ nodes, edges }: Graph, top: number, bottom: number): Pick<Graph, 'nodes' | 'edges'> => {
  const shown = nodes.filter((node) => node.y + nodeHeight >= top && node.y <= bottom)
  const ids = new Set(shown.map(({ id }) => id))
  return { nodes: shown, edges: edges.filter(({ from, to }) => ids.has(from) || ids.has(to)) }
}
