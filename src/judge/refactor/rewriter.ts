// Finds and rewrites a structure in a text.

import { metavariablesIn } from '../../plan/refactor/literals.ts'
import type { RewriteRequest, Rewritten } from '../../plan/refactor/rewrite-rule.ts'
import { isTooDeep } from '../syntax/depth.ts'
import { applyFix, type Match, type Span } from './apply-fix.ts'
import { isParsed, RuleError, withRoot, type SgNode } from './ast-grep.ts'

/** For one file; ordinary files take some milliseconds. */
const patienceMs = 5000

export type Rewriter = (text: string, request: RewriteRequest) => Promise<Rewritten>

export interface RewriterLimits {
  /** For all files together. */
  readonly totalMs: number
  readonly signal?: AbortSignal
}

/** For the files of one step. */
export function makeRewriter({ totalMs, signal }: RewriterLimits): Rewriter {
  const end = performance.now() + totalMs
  return async (text, request) => {
    if (signal?.aborted === true) return failed('it was interrupted', 'interrupted')
    const left = end - performance.now()
    if (left <= 0)
      return failed(`the search takes longer than ${totalMs / 1000}s; narrow \`over\`, or split the step`, 'timeout')
    try {
      return await rewrite(text, request, Math.min(left, patienceMs))
    } catch (error) {
      if (!(error instanceof RuleError)) throw error
      return failed(error.message)
    }
  }
}

const failed = (message: string, reason: 'verb' | 'timeout' | 'interrupted' = 'verb'): Rewritten => ({
  ok: false,
  reason,
  message,
})

async function rewrite(text: string, request: RewriteRequest, milliseconds: number): Promise<Rewritten> {
  const { grammar, matcher, fix } = request
  if (isTooDeep(grammar, text)) return failed('it is nested too deeply to be searched')
  const late = failed(
    `the search takes longer than ${Math.ceil(milliseconds / 1000)}s in one file, or is nested too deeply`,
    'timeout',
  )
  // An empty text only tries the rule.
  const { pattern } = matcher['rule'] as { readonly pattern?: unknown }
  if (text === '' && typeof pattern === 'string') {
    const parsed = await isParsed(grammar, pattern, milliseconds)
    if (parsed === undefined) return late
    if (!parsed)
      return failed(
        `the pattern does not parse as ${grammar}; for a part of a construct, use a rule file with \`context\` and \`selector\``,
      )
  }
  const names = new Set(metavariablesIn(fix).map(({ name }) => name))
  const matches = await withRoot(grammar, text, milliseconds, (root) =>
    root.findAll(matcher).map((node) => toMatch(node, names)),
  )
  if (matches === undefined) return late
  matches.sort((a, b) => a.start - b.start || b.end - a.end)
  const fixed = applyFix(text, matches, fix)
  if (fixed === undefined) return failed('the result is too large, or its matches are nested too deeply')
  return { ok: true, text: fixed, places: placesOf(text, matches) }
}

function toMatch(node: SgNode, names: ReadonlySet<string>): Match {
  const captures = new Map<string, Span | string>()
  for (const name of names) {
    const capture = captureOf(node, name)
    if (capture !== undefined) captures.set(name, capture)
  }
  const match = { ...spanOf(node), captures }
  node.free()
  return match
}

function captureOf(node: SgNode, name: string): Span | string | undefined {
  const transformed = node.getTransformed(name)
  if (transformed !== undefined) return transformed
  const one = node.getMatch(name)
  const all = one === undefined ? node.getMultipleMatches(name) : [one]
  const spans = all.map(spanOf)
  for (const each of all) each.free()
  const [first, last] = [spans[0], spans.at(-1)]
  return first === undefined || last === undefined ? undefined : { start: first.start, end: last.end }
}

function spanOf(node: SgNode): Span {
  const range = node.range()
  const { start, end } = range
  const span = { start: start.index, end: end.index }
  for (const each of [start, end, range]) each.free()
  return span
}

/** Lines are counted once for all matches, which are in order. */
function placesOf(text: string, matches: readonly Match[]): { line: number; column: number }[] {
  let line = 1
  let lineStart = 0
  return matches.map(({ start }) => {
    for (let feed = text.indexOf('\n', lineStart); feed >= 0 && feed < start; feed = text.indexOf('\n', lineStart)) {
      line += 1
      lineStart = feed + 1
    }
    return { line, column: start - lineStart + 1 }
  })
}
