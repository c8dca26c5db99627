// Parses a glob into nodes: `*`, `**`, `?`, `[abc]`, `{a,b}` and `\` before a literal character.

/** True if it accepts this character of a path. */
export type Takes = (letter: string) => boolean

export type GlobNode =
  | { readonly kind: 'letter'; readonly letter: string }
  | { readonly kind: 'one'; readonly takes: Takes }
  | { readonly kind: 'star' }
  /** `**` with the slash before it: any number of whole path components. */
  | { readonly kind: 'deep' }
  | { readonly kind: 'either'; readonly branches: readonly (readonly GlobNode[])[]; readonly isPart: boolean }

const slash: GlobNode = { kind: 'letter', letter: '/' }
const isSlash = (node: GlobNode | undefined): boolean => node?.kind === 'letter' && node.letter === '/'
export const inPart: Takes = (letter) => letter !== '/'

/** Every pattern is valid: an unclosed bracket, and `{}` without a comma, is literal. */
export function parseGlob(pattern: string): GlobNode[] {
  const letters = [...pattern]
  const closing = pairs(letters)
  const nodesOf = (from: number, end: number, first: readonly GlobNode[]): GlobNode[] => {
    const nodes = [...first]
    for (let at = from; at < end; at += 1) {
      const letter = letters[at]!
      const { commas, close } = closing.get(at) ?? {}
      if (letter === '\\' && at + 1 < end) {
        at += 1
        nodes.push({ kind: 'letter', letter: letters[at]! })
      } else if (letter === '?') nodes.push({ kind: 'one', takes: inPart })
      else if (letter === '*') {
        const start = at
        while (at + 1 < end && letters[at + 1] === '*') at += 1
        const isDeep = at === start + 1 && isSlash(nodes.at(-1)) && (at + 1 === end || letters[at + 1] === '/')
        if (isDeep) nodes.pop()
        nodes.push({ kind: isDeep ? 'deep' : 'star' })
      } else if (close !== undefined && letter === '[') {
        nodes.push({ kind: 'one', takes: setOf(letters.slice(at + 1, close)) })
        at = close
      } else if (close !== undefined && commas !== undefined) {
        // The slash moves into the branches, because `**` at the beginning of one consumes it.
        const isPart = isSlash(nodes.at(-1))
        if (isPart) nodes.pop()
        const cuts = [at, ...commas, close]
        const branches = cuts.slice(1).map((cut, index) => nodesOf(cuts[index]! + 1, cut, isPart ? [slash] : []))
        nodes.push({ kind: 'either', branches, isPart })
        at = close
      } else nodes.push({ kind: 'letter', letter })
    }
    return nodes
  }
  return nodesOf(0, letters.length, [slash])
}

interface Pair {
  readonly close: number
  readonly commas?: readonly number[]
}

/** The end of each closed `[` and `{`. */
function pairs(letters: readonly string[]): Map<number, Pair> {
  const found = new Map<number, Pair>()
  const open: { at: number; commas: number[] }[] = []
  const last = letters.lastIndexOf(']')
  for (let at = 0; at < letters.length; at += 1) {
    const letter = letters[at]
    if (letter === '\\') at += 1
    else if (letter === '[' && at + 2 <= last) {
      // A closing bracket at the start, or right after `!`, is a member of the set.
      const close = letters.indexOf(']', at + (letters[at + 1] === '!' || letters[at + 1] === '^' ? 3 : 2))
      if (close < 0) continue
      found.set(at, { close })
      at = close
    } else if (letter === '{') open.push({ at, commas: [] })
    else if (letter === ',') open.at(-1)?.commas.push(at)
    else if (letter === '}') {
      const pair = open.pop()
      if (pair !== undefined && pair.commas.length > 0) found.set(pair.at, { close: at, commas: pair.commas })
    }
  }
  return found
}

function setOf(letters: readonly string[]): Takes {
  const isNegated = letters[0] === '!' || letters[0] === '^'
  const members = isNegated ? letters.slice(1) : letters
  const ranges: [string, string][] = []
  for (let at = 0; at < members.length; at += 1) {
    const isRange = members[at + 1] === '-' && at + 2 < members.length
    ranges.push([members[at]!, members[isRange ? at + 2 : at]!])
    if (isRange) at += 2
  }
  const point = (letter: string): number => letter.codePointAt(0)!
  return (letter) =>
    inPart(letter) &&
    ranges.some(([from, to]) => point(from) <= point(letter) && point(letter) <= point(to)) !== isNegated
}
