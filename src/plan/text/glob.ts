// The one matcher of globs: `files` of a step, the configuration, CODEOWNERS. A pattern comes from whoever wrote the
// plan, so it must not cost more than its length: it becomes a list of states, and a path goes through all of them at
// once. Nothing backtracks: a match visits at most states × characters, and there are about two states per character of
// the pattern. As a regular expression it could take for ever.

import { inPart, parseGlob, type GlobNode, type Takes } from './glob-syntax.ts'

/** Longer ones are not written by hand. A path without wildcards may be longer. */
const maxGlob = 255

/** What is not supported of a glob, or undefined. */
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

/** Everything that a glob matches is at or below this directory; the path itself where it is not a glob. */
export function globBase(pattern: string): string {
  const nodes = parseGlob(pattern)
  const first = nodes.find(({ kind }) => kind !== 'letter')
  const fixed = nodes
    .slice(0, first === undefined ? nodes.length : nodes.indexOf(first))
    .map((node) => (node.kind === 'letter' ? node.letter : ''))
  const isWhole = first === undefined || first.kind === 'deep' || (first.kind === 'either' && first.isPart)
  return fixed.slice(1, isWhole ? fixed.length : fixed.lastIndexOf('/')).join('')
}

/** What many patterns may cost together with many paths; below 0 it is spent. A million steps take some 30 ms. */
export interface GlobBudget {
  steps: number
}

/**
 * Whether one of the patterns matches a path. Each also matches the path that is written like it: `app/[id]/page.tsx`.
 * Once the budget is spent only these do.
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

/** Stands for itself in a glob. */
export const escapeGlob = (path: string): string => path.replace(/[\\*?[\]{},]/g, '\\$&')

/** Without `takes` a state is left at once, for all of `next`. */
interface State {
  readonly takes?: Takes
  readonly next: readonly number[]
}

/** From the end to the beginning, so that each state knows the one after it. State 0 is the end. */
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

/** `steps`: how many states were visited, for the test that bounds them. */
export function globWalker(pattern: string): (path: string) => { readonly isMatch: boolean; readonly steps: number } {
  const { states, start } = statesOf(parseGlob(pattern))
  return (path) => {
    let steps = 0
    const seen = new Uint32Array(states.length)
    let active: number[] = []
    /** The states that `from` leads to at this place of the path, each once. */
    const enter = (from: readonly number[], place: number, into: number[]): void => {
      const waiting = [...from]
      for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
        if (seen[at] === place) continue
        seen[at] = place
        steps += 1
        const { takes, next } = states[at]!
        if (takes !== undefined || at === 0) into.push(at)
        else waiting.push(...next)
      }
    }
    enter([start], 1, active)
    let place = 1
    for (const letter of `/${path}`) {
      place += 1
      const after: number[] = []
      for (const at of active) {
        const { takes, next } = states[at]!
        if (takes?.(letter) === true) enter(next, place, after)
      }
      active = after
      if (active.length === 0) break
    }
    return { isMatch: active.includes(0), steps }
  }
}
