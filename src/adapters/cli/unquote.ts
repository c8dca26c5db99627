// Removes quotes and backslashes from a word as bash passes it. `$` and backquotes are kept, since nothing may run. The
// word may end inside a quote.

export function unquote(word: string): string {
  let plain = ''
  let quote = ''
  for (let at = 0; at < word.length; at += 1) {
    const character = word[at] ?? ''
    const next = word[at + 1]
    if (quote === "'") {
      if (character === "'") quote = ''
      else plain += character
    } else if (character === '\\' && next !== undefined && (quote === '' || '"\\$`'.includes(next))) {
      plain += next
      at += 1
    } else if (character === '"') quote = quote === '' ? '"' : ''
    else if (character === "'" && quote === '') quote = "'"
    else plain += character
  }
  return plain
}
