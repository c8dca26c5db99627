// Measures nesting by brackets alone. Grammars keep open levels in small buffers, and an overflow crashes the engine
// that all of them share.

import type { GrammarName } from './grammar-files.ts'

/** Far more than people write, even with brackets in strings and comments. */
const maxDepth = 1000

const signs = (text: string): ReadonlySet<number> => new Set([...text].map((sign) => sign.charCodeAt(0)))
const opening = signs('([{')
const closing = signs(')]}')

/**
 * In YAML each column, and each indicator at the start of a line, can open a level; there is room for about two
 * hundred.
 */
const deepYaml = /^(?:[ \t]|[-?:][ \t]){100}/m

export function isTooDeep(grammar: GrammarName, text: string): boolean {
  if (grammar === 'yaml' && deepYaml.test(text)) return true
  let depth = 0
  for (let index = 0; index < text.length; index += 1) {
    const sign = text.charCodeAt(index)
    if (opening.has(sign)) {
      depth += 1
      if (depth > maxDepth) return true
    } else if (depth > 0 && closing.has(sign)) depth -= 1
  }
  return false
}
