// The only glob matcher: for `files` of a step, the configuration and CODEOWNERS. Patterns are untrusted, so the cost
// must be bounded: a pattern becomes a list of states, and a path advances all active states at once without
// backtracking. A match visits at most states × characters, with about two states per pattern character. A regular
// expression could take forever.

import { inPart, parseGlob, type GlobNode, type Takes } from './glob-syntax.ts'

/** Longer globs are not written by hand. A path without wildcards may be longer. */
const maxGlob = 255

/** An unsupported feature of a glob, or undefined. */
export function unsupportedGlob(text: string): string | undefined {
  const known = 'a glob may have `*`, `**`, `?`, `[abc]` and `{a,b}`'
  const extended = /[@+!?*]\(|\([^()]*\|/.exec(text)
  if (extended !== null) return `${known}, not \`${extended[0]}\``
  if (text.includes('[:')) return `${known}, not a class such as \`[[:alpha:]]\``
  if (/\{[^{},]*\.\.[^{},]*\}/.test(text)) return `${known}, not a range such as \`{1..9}\``
  if (text.length > maxGlob && isGlob(text)) return `a glob has at most ${maxGlob} characters`
  return undefined
}

export const isGlob = (pattern: string): boolean => parseGlob(pattern).some(({ kind }) => kind !== 'letter')

/** The directory at or below which all matches are; the path itself if it is not a glob. */
export function globBase(pattern: string): string {
  const nodes = parseGlob(pattern)
  const first = nodes.find(({ kind }) => kind !== 'letter')
  const fixed = nodes
    .slice(0, first === undefined ? nodes.length : nodes.indexOf(first))
    .map((node) => (node.kind === 'letter' ? node.letter : ''))
  const isWhole = first === undefined || first.kind === 'deep' || (first.kind === 'either' && first.isPart)
  return fixed.slice(1, isWhole ? fixed.length : fixed.lastIndexOf('/')).join('')
}

/** Shared budget for matching many patterns against many paths; exhausted below 0. A million steps take some 30 ms. */
export interface GlobBudget {
  steps: number
}

/**
 * Matches a path against any of the patterns. Each pattern also matches the path that is spelled like it
 * (`app/[id]/page.tsx`); once the budget is exhausted, only that.
 */
export function globMatcher(
  patterns: readonly string[],
  budget: GlobBudget = { steps: Number.POSITIVE_INFINITY },
): (path: string) => boolean {
  const exact = new Set(patterns)
  const walkers = patterns.filter((pattern) => /[\\*?[{]/.test(pattern)).map(globWalker)
  const walks = (walk: ReturnType<typeof globWalker>, path: string): boolean => {
    if (budget.steps < 0) return false
    const { isMatch, steps } = walk(path)
    budget.steps -= steps
    return isMatch
  }
  return (path) => exact.has(path) || walkers.some((walk) => walks(walk, path))
}

/** The path as a glob that matches only itself. */
export const escapeGlob = (path: string): string => path.replace(/[\\*?[\]{},]/g, '\\$&')

/** A state without `takes` consumes nothing and leads to all of `next`. */
interface State {
  readonly takes?: Takes
  readonly next: readonly number[]
}

/** Built from the end, so that each state knows its successor. State 0 is the end. */
function statesOf(nodes: readonly GlobNode[]): { states: readonly State[]; start: number } {
  const states: State[] = [{ next: [] }]
  const add = (state: State): number => states.push(state) - 1
  const before = (list: readonly GlobNode[], end: number): number =>
    list.reduceRight((next, node) => {
      const own = states.length
      switch (node.kind) {
        case 'letter':
          return add({ takes: (letter) => letter === node.letter, next: [next] })
        case 'one':
          return add({ takes: node.takes, next: [next] })
        case 'star':
          add({ takes: inPart, next: [own + 1] })
          return add({ next: [next, own] })
        case 'deep':
          add({ takes: inPart, next: [own, own + 2] })
          add({ takes: (letter) => letter === '/', next: [own] })
          return add({ next: [next, own + 1] })
        case 'either':
          return add({ next: node.branches.map((branch) => before(branch, next)) })
      }
    }, end)
  const start = before(nodes, 0)
  return { states, start }
}

/** `steps`: the number of states visited, for the test that bounds it. */
export function globWalker(pattern: string): (path: string) => { readonly isMatch: boolean; readonly steps: number } {
  const { states, start } = statesOf(parseGlob(pattern))
  return (path) => {
    let steps = 0
    const seen = new Uint32Array(states.length)
    let active: number[] = []
    /** Adds the states reachable from `from` at this position, each once. */
    const enter = (from: readonly number[], position: number, into: number[]): void => {
      const waiting = [...from]
      for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
        if (seen[at] === position) continue
        seen[at] = position
        steps += 1
        const { takes, next } = states[at]!
        if (takes !== undefined || at === 0) into.push(at)
        else waiting.push(...next)
      }
    }
    enter([start], 1, active)
    let position = 1
    for (const letter of `/${path}`) {
      position += 1
      const after: number[] = []
      for (const at of active) {
        const { takes, next } = states[at]!
        if (takes?.(letter) === true) enter(next, position, after)
      }
      active = after
      if (active.length === 0) break
    }
    return { isMatch: active.includes(0), steps }
  }
}
