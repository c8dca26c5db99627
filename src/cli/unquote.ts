// A word as bash has it on the line → what it stands for, as far as that can be said without running anything: quotes and backslashes
// go, `$` and backquotes stay what they are. The word may end in the middle of a quote.

export function unquoted(word: string): string {
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
