// Suggests the nearest known name ("did you mean …").

/** Number of edits (insert, remove, replace, swap neighbours) between two words. */
function editDistance(from: string, to: string): number {
  const a = from.slice(0, 64)
  const b = to.slice(0, 64)
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(above[j - 1]! + (same ? 0 : 1), above[j]! + 1, row[j - 1]! + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1)
      row.push(cost)
    }
    before = above
    above = row
  }
  return above[b.length]!
}

/** The known name with the fewest edits; the first on a tie. */
export function nearest(
  name: string,
  known: readonly string[],
): { readonly name: string; readonly distance: number } | undefined {
  let best: { name: string; distance: number } | undefined
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (!best || distance < best.distance) best = { name: candidate, distance }
  }
  return best
}

export function suggestIfNear(name: string, known: readonly string[]): string | undefined {
  const best = nearest(name, known)
  if (best === undefined || best.distance > Math.max(2, Math.floor(name.length / 3))) return undefined
  return `did you mean \`${best.name}\`?`
}

/** Names the nearest, and lists all known names if it is far off. */
export function suggest(name: string, known: readonly string[]): string {
  const best = nearest(name, known)
  if (!best) return 'there is nothing to choose from'
  const near = suggestIfNear(name, known)
  if (near !== undefined) return near
  const listed = known.length > 40 ? '' : `; known: ${known.join(', ')}`
  return `the closest is \`${best.name}\`${listed}`
}
