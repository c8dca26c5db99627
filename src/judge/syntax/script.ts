// JavaScript and TypeScript. Their tree-sitter grammars refuse valid syntax (`export type *`, `in` and `out` of type
// parameters, import types) in one file of sixteen of today's libraries. The only importer of Babel's parser.

import { parse, type ParseError, type ParserOptions, type ParserPlugin } from '@babel/parser'
import { withinTime } from '../../plan/text/within-time.ts'
import { maxProblems, problemAt, unexpected, type SyntaxProblem } from './problem.ts'

/** Accepts everything that depends on where the text runs instead of its syntax. */
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

/** Both kinds of decorators are in use; only the legacy one allows decorators of parameters. */
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
    // On a fatal error the parser throws it instead of listing it.
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

function describeError(text: string, { message, pos }: { readonly message: string; readonly pos: number }): string {
  if (pos >= text.trimEnd().length) return 'the text ends too early'
  const expected = /^Unexpected token, expected "([^"]+)"/.exec(message)?.[1]
  if (expected !== undefined) return `\`${expected}\` is missing`
  if (message.startsWith('Unexpected token')) return unexpected(text, pos)
  // The message ends with a position that is counted differently.
  const plain = message.replace(/ \(\d+:\d+\)$/, '').replace(/\.$/, '')
  return /^[A-Z][a-z]/.test(plain) ? `${plain[0]?.toLowerCase()}${plain.slice(1)}` : plain
}

export function scriptProblems(
  language: 'javascript' | 'typescript' | 'tsx',
  path: string,
  text: string,
  milliseconds: number,
): SyntaxProblem[] {
  // Flow types are another language, and Qt translations are XML files with the extension `.ts`.
  if (language === 'javascript' ? /@(no)?flow\b/.test(text.slice(0, 4000)) : /^\s*<(\?xml|!DOCTYPE)/.test(text))
    return []
  const errors = withinTime(milliseconds, () => fewestErrors(text, pluginsOf(language, path))) ?? []
  // The type of an error omits its position.
  const located = errors.map((error) => ({
    message: error.message,
    pos: (error as unknown as { readonly pos: number }).pos,
  }))
  return located
    .toSorted((one, other) => one.pos - other.pos)
    .slice(0, maxProblems)
    .map((each) => problemAt(text, Math.min(each.pos, text.trimEnd().length), describeError(text, each)))
}
