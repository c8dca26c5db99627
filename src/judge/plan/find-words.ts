// Whether a text holds one of many words. To make an expression of all of them takes longer than to look for each in
// the few commands of a plan; in the thousands of a list it is faster.

const few = 50

/** `words` are in small letters; so is every text for them. */
export function finderOf(words: readonly string[]): (text: string) => boolean {
  let asked = 0
  let expression: RegExp | undefined
  return (text) => {
    asked += 1
    if (asked > few) expression ??= new RegExp(words.map((word) => word.replaceAll('.', '\\.')).join('|'), 'i')
    const small = text.toLowerCase()
    return expression?.test(small) ?? words.some((word) => small.includes(word))
  }
}
