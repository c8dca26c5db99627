// Cuts sections of text to a budget: the least important ones first.

export interface Section {
  /** 1 is the most important. */
  readonly priority: number
  readonly lines: readonly string[]
  /** The end that is kept if it is too long; the head line always stays. Default: the beginning. */
  readonly keeps?: 'end'
}

/** In the given order, with an empty line between them, in at most `most` characters. */
export function fitSections(sections: readonly Section[], most: number): string {
  const byPriority = sections.toSorted((a, b) => a.priority - b.priority)
  const kept = new Map<Section, readonly string[]>()
  let left = most
  for (const section of byPriority) {
    const lines = cut(section, left)
    if (lines.length === 0) continue
    kept.set(section, lines)
    left -= sizeOf(lines) + 1
  }
  return sections.flatMap((section) => kept.get(section)?.join('\n') ?? []).join('\n\n')
}

const sizeOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0)

function cut({ lines, keeps }: Section, most: number): readonly string[] {
  if (sizeOf(lines) <= most) return lines
  const [head = '', ...rest] = lines
  const mark = '…'
  const room = most - head.length - mark.length - 2
  if (room < 0) return []
  const kept: string[] = []
  let used = 0
  for (const line of keeps === 'end' ? rest.toReversed() : rest) {
    if (used + line.length + 1 > room) break
    used += line.length + 1
    kept.push(line)
  }
  if (kept.length === 0) return []
  return keeps === 'end' ? [head, mark, ...kept.toReversed()] : [head, ...kept, mark]
}
