// Metavariables and literal words of patterns.

/** `$NAME` stands for one node, `$$$NAME` for any number of them. Only capitals: `$name` is a variable in some languages. */
const metavariable = /\$\$\$(?:[A-Z_][A-Z0-9_]*)?|\$[A-Z_][A-Z0-9_]*/g

export interface Metavariable {
  readonly name: string
  readonly isMany: boolean
}

/** The parts of a template: text, and metavariables that have a name. */
export function templateParts(template: string): (string | Metavariable)[] {
  const parts: (string | Metavariable)[] = []
  let from = 0
  for (const found of template.matchAll(metavariable)) {
    const name = found[0].replace(/^\$+/, '')
    if (name === '' || name.startsWith('_')) continue
    parts.push(template.slice(from, found.index), { name, isMany: found[0].startsWith('$$$') })
    from = found.index + found[0].length
  }
  return [...parts, template.slice(from)]
}

export const metavariablesIn = (template: string): Metavariable[] =>
  templateParts(template).filter((part) => typeof part !== 'string')

/** Words that every text with a match contains. */
export const literalsIn = (pattern: string): string[] => [
  ...new Set(pattern.replace(metavariable, ' ').match(/[\p{L}\p{N}_]+/gu) ?? []),
]
