// Searches a text for many words. Compiling one expression takes longer than searching the few commands of a plan word
// by word; it pays off for the thousands of commands of `list`.

const few = 50

/** `words` must be lowercase; texts are lowercased. */
export function wordFinder(words: readonly string[]): (text: string) => boolean {
  let asked = 0
  let expression: RegExp | undefined
  return (text) => {
    asked += 1
    if (asked > few) expression ??= new RegExp(words.map((word) => word.replaceAll('.', '\\.')).join('|'), 'i')
    const small = text.toLowerCase()
    return expression?.test(small) ?? words.some((word) => small.includes(word))
  }
}
