// JavaScript and TypeScript. Their tree-sitter grammars refuse what compilers take (`export type *`, `in` and `out` of
// type parameters, types that import): one file in sixteen of today's libraries. Babel's parser is behind this door
// alone.

import { parse, type ParseError, type ParserOptions, type ParserPlugin } from '@babel/parser'
import { withinTime } from '../../plan/text/within-time.ts'
import { maxProblems, problemAt, unexpected, type SyntaxProblem } from './problem.ts'

/** What depends on where the text is run, and not on how it is written, is no problem of it. */
const lenient: ParserOptions = {
  sourceType: 'unambiguous',
  errorRecovery: true,
  allowAwaitOutsideFunction: true,
  allowImportExportEverywhere: true,
  allowNewTargetOutsideFunction: true,
  allowReturnOutsideFunction: true,
  allowSuperOutsideMethod: true,
  allowUndeclaredExports: true,
  allowYieldOutsideFunction: true,
  attachComment: false,
}

/** Decorators of both kinds are in use: those of parameters are known to the first alone. */
const decorators: readonly (readonly ParserPlugin[])[] = [['decorators-legacy'], ['decorators']]

function pluginsOf(language: 'javascript' | 'typescript' | 'tsx', path: string): ParserPlugin[] {
  const types: ParserPlugin[] =
    language === 'javascript' ? [] : [['typescript', { dts: /\.d(\.[^/]+)?\.[cm]?ts$/.test(path) }]]
  return [
    ...types,
    ...(language === 'typescript' ? [] : (['jsx'] as const)),
    'decoratorAutoAccessors',
    'explicitResourceManagement',
    'sourcePhaseImports',
  ]
}

function errorsOf(text: string, plugins: ParserPlugin[]): readonly ParseError[] {
  try {
    return parse(text, { ...lenient, plugins }).errors ?? []
  } catch (error) {
    // Where it cannot go on it throws what it otherwise lists.
    if (error instanceof SyntaxError && 'loc' in error) return [error as ParseError]
    throw error
  }
}

function fewestErrors(text: string, plugins: ParserPlugin[]): readonly ParseError[] {
  const [first = [], ...others] = decorators
  let fewest = errorsOf(text, [...plugins, ...first])
  for (const each of others) {
    if (fewest.length === 0) break
    const found = errorsOf(text, [...plugins, ...each])
    if (found.length < fewest.length) fewest = found
  }
  return fewest
}

function said(text: string, { message, pos }: { readonly message: string; readonly pos: number }): string {
  if (pos >= text.trimEnd().length) return 'the text ends too early'
  const expected = /^Unexpected token, expected "([^"]+)"/.exec(message)?.[1]
  if (expected !== undefined) return `\`${expected}\` is missing`
  if (message.startsWith('Unexpected token')) return unexpected(text, pos)
  // Its last words are the place, counted in another way than here.
  const plain = message.replace(/ \(\d+:\d+\)$/, '').replace(/\.$/, '')
  return /^[A-Z][a-z]/.test(plain) ? `${plain[0]?.toLowerCase()}${plain.slice(1)}` : plain
}

export function scriptProblems(
  language: 'javascript' | 'typescript' | 'tsx',
  path: string,
  text: string,
  milliseconds: number,
): SyntaxProblem[] {
  // Flow's types are a language of their own; and translations of Qt are XML that is called `.ts`.
  if (language === 'javascript' ? /@(no)?flow\b/.test(text.slice(0, 4000)) : /^\s*<(\?xml|!DOCTYPE)/.test(text))
    return []
  const errors = withinTime(milliseconds, () => fewestErrors(text, pluginsOf(language, path))) ?? []
  // The type of an error leaves out where it is.
  const places = errors.map((error) => ({
    message: error.message,
    pos: (error as unknown as { readonly pos: number }).pos,
  }))
  return places
    .toSorted((one, other) => one.pos - other.pos)
    .slice(0, maxProblems)
    .map((each) => problemAt(text, Math.min(each.pos, text.trimEnd().length), said(text, each)))
}
