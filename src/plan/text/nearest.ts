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

/** Other words for a name, in lower case. */
export type Synonyms = ReadonlyMap<string, string>

/**
 * The known name that was probably meant: by a synonym, or with at most two edits, which are at most half of the word.
 * The first on a tie.
 */
export function guess(name: string, known: readonly string[], synonyms?: Synonyms): string | undefined {
  const word = name.toLowerCase()
  const synonym = synonyms?.get(word)
  if (synonym !== undefined && known.includes(synonym)) return synonym
  let best: { name: string; distance: number } | undefined
  for (const candidate of known) {
    const distance = editDistance(word, candidate.toLowerCase())
    if (!best || distance < best.distance) best = { name: candidate, distance }
  }
  return best !== undefined && best.distance <= Math.max(1, Math.min(2, Math.floor(word.length / 2)))
    ? best.name
    : undefined
}

export function suggestIfNear(name: string, known: readonly string[], synonyms?: Synonyms): string | undefined {
  const guessed = guess(name, known, synonyms)
  return guessed === undefined ? undefined : `did you mean \`${guessed}\`?`
}

/** Names the one that was probably meant, or lists all known names. */
export function suggest(name: string, known: readonly string[], synonyms?: Synonyms): string {
  return known.length === 0
    ? 'there is nothing to choose from'
    : (suggestIfNear(name, known, synonyms) ?? listOf(known))
}

const mostListed = 40

export function listOf(known: readonly string[]): string {
  const more = known.length > mostListed ? ` and ${known.length - mostListed} more` : ''
  return `known: ${known.slice(0, mostListed).join(', ')}${more}`
}
