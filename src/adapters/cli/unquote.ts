// Removes quotes and backslashes from a word as bash passes it. `$` and backquotes are kept, since nothing may run. The
// word may end inside quotes.

export function unquote(word: string): string {
  let unquoted = ''
  let quote = ''
  for (let at = 0; at < word.length; at += 1) {
    const character = word[at] ?? ''
    const next = word[at + 1]
    if (quote === "'") {
      if (character === "'") quote = ''
      else unquoted += character
    } else if (character === '\\' && next !== undefined && (quote === '' || '"\\$`'.includes(next))) {
      unquoted += next
      at += 1
    } else if (character === '"') quote = quote === '' ? '"' : ''
    else if (character === "'" && quote === '') quote = "'"
    else unquoted += character
  }
  return unquoted
}
