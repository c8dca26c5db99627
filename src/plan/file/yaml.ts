// Parses front matter as YAML 1.2 core, with positions. The only importer of `yaml`. A scan of the tokens refuses
// everything that makes YAML surprising or expensive (anchors, aliases, tags, merge keys, directives, several
// documents, deep nesting) before anything is built.

import {
  Composer,
  Document,
  Lexer,
  LineCounter,
  Parser,
  YAMLParseError,
  isMap,
  isPair,
  isScalar,
  isSeq,
  visit,
} from 'yaml'
import type { ErrorCode, Node, Pair, YAMLMap } from 'yaml'
import { escapeForTerminal, hasHidden } from '../text/display.ts'
import { offsetWithin } from './scalar-places.ts'
import type { Finding } from '../model/finding.ts'

const maxDepth = 64
/** Values and separators; a thousand full steps have about sixty thousand. */
const maxValues = 75_000
/** The parser takes microseconds per token, blank lines included. */
const maxTokens = 300_000

export type Path = readonly (string | number)[]

export interface Position {
  readonly line: number
  readonly column: number
}

/** `within`: a position inside the text value, counted from line 1 and column 1 of that value. */
export type FindPosition = (path: Path, options?: { key?: boolean; within?: Position }) => Position

/** Extent of a node, as offsets in the file. */
export interface Span {
  readonly start: number
  readonly end: number
  /** True for a collection in braces or brackets. */
  readonly flow: boolean
}

export interface YamlValue {
  readonly value: unknown
  /** Position in the whole file; the nearest existing node if the path does not exist. */
  readonly position: FindPosition
  readonly span: (path: Path, options?: { key?: boolean }) => Span | undefined
  /** Every text value that is not a key, in the order of the file. */
  readonly texts: () => readonly YamlText[]
}

export interface YamlText extends Span {
  readonly path: Path
  readonly value: string
  readonly style: 'plain' | 'quoted' | 'block'
}

export type YamlResult =
  /** `findings`: keys and values that are refused and left out, such as a key that appears twice. */
  | { readonly ok: true; readonly yaml: YamlValue; readonly findings: Finding[] }
  | { readonly ok: false; readonly findings: Finding[] }

/** Remedies for the usual mistakes, by the parser's code. */
const yamlAdvice: Readonly<Partial<Record<ErrorCode, string>>> = {
  BLOCK_AS_IMPLICIT_KEY: "quote text with a colon and a space in it: 'echo a: b'",
  BAD_SCALAR_START: "quote text that begins with this character: '`date`'",
  TAB_AS_INDENT: 'indent with spaces',
  UNEXPECTED_TOKEN: 'quote the whole text, or write it as a block after `|`',
}

/** `offset` and `line`: the number of characters and lines before the text in the file. */
export function readYaml(text: string, within: { offset: number; line: number }): YamlResult {
  const counter = new LineCounter()
  counter.addNewLine(0)
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) counter.addNewLine(at + 1)
  const positionAt = (offset: number): Position => {
    const { line, col } = counter.linePos(Math.min(offset, text.length))
    return { line: line + within.line, column: Math.max(col, 1) }
  }
  const found = (rule: string, message: string, offset: number, advice?: string): Finding => ({
    rule,
    severity: 'error',
    message,
    ...positionAt(offset),
    ...(advice ? { advice } : {}),
  })

  const tokens: string[] = []
  const trouble = scan(text, tokens)
  if (trouble) return { ok: false, findings: [found(trouble.rule, trouble.message, trouble.offset, trouble.advice)] }

  const document = composeDocument(tokens, text.length)
  if (document === undefined) return { ok: false, findings: [found('too-deep', 'nested deeper than can be read', 0)] }
  const errors = [...document.errors, ...document.warnings]
  if (errors.length > 0)
    return {
      ok: false,
      findings: errors
        .slice(0, 50)
        .map((error) =>
          found('bad-yaml', `not valid YAML: ${shortLine(error.message)}`, error.pos[0], yamlAdvice[error.code]),
        ),
    }

  const findings: Finding[] = []
  const value = toValue(document.contents, text, (rule, message, node, advice) =>
    findings.push(found(rule, message, startOf(node), advice)),
  )
  const root = document.contents
  return {
    ok: true,
    findings: findings.slice(0, 50),
    yaml: {
      value,
      position: (path, options) => {
        const node = locate(root, path, options?.key ?? false).node ?? root
        return positionAt(
          options?.within !== undefined && isScalar(node) ? offsetWithin(node, text, options.within) : startOf(node),
        )
      },
      span: (path, options) => {
        const { node, exact } = locate(root, path, options?.key ?? false)
        if (!node?.range || !exact) return undefined
        return {
          start: node.range[0] + within.offset,
          end: node.range[1] + within.offset,
          flow: (isMap(node) || isSeq(node)) && node.flow === true,
        }
      },
      texts: () => textsIn(root, [], within.offset),
    },
  }
}

function textsIn(node: Node | null | undefined, path: Path, offset: number): YamlText[] {
  if (isScalar(node)) {
    if (typeof node.value !== 'string' || !node.range) return []
    const style = node.type?.startsWith('BLOCK') ? 'block' : node.type === 'PLAIN' ? 'plain' : 'quoted'
    const [start, end] = node.range
    return [{ path, value: node.value, style, start: start + offset, end: end + offset, flow: false }]
  }
  if (isSeq(node)) return node.items.flatMap((item, index) => textsIn(item as Node | null, [...path, index], offset))
  if (!isMap(node)) return []
  return (node.items as Pair<Node, Node | null>[]).flatMap(({ key, value }) =>
    isScalar(key) && typeof key.value === 'string' ? textsIn(value, [...path, key.value], offset) : [],
  )
}

/**
 * Undefined if the parser overflows the stack, which it uses per level: invalid YAML may have levels that the scan does
 * not see.
 */
function composeDocument(tokens: readonly string[], length: number): Document.Parsed | undefined {
  const { stackTraceLimit } = Error
  try {
    // The parser creates an error per problem, and a file can have thousands: stack traces that nobody reads would take
    // half of the time.
    Error.stackTraceLimit = 0
    // uniqueKeys compares every pair of keys; toValue uses a set instead.
    const composer = new Composer({
      version: '1.2',
      schema: 'core',
      merge: false,
      strict: true,
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'error',
    })
    let document: Document.Parsed | undefined
    for (const each of composer.compose(parseTokens(tokens), true, length)) {
      if (document !== undefined) {
        document.errors.push(
          new YAMLParseError([each.range[0], each.range[1]], 'MULTIPLE_DOCS', 'there are several documents'),
        )
        break
      }
      document = each
    }
    return document
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function* parseTokens(tokens: readonly string[]): ReturnType<Parser['parse']> {
  const parser = new Parser()
  for (const token of tokens) yield* parser.next(token)
  yield* parser.end()
}

interface Trouble {
  readonly rule: string
  readonly message: string
  readonly offset: number
  readonly advice?: string
}

const scalarMarker = '\u001f'

/** One pass that collects the tokens without building anything: 20,000 nested brackets are refused at the 65th. */
function scan(text: string, gathered: string[]): Trouble | undefined {
  let offset = 0
  let lineStart = 0
  let flow = 0
  let values = 0
  let isContent = false
  let isBlockScalar = false
  // Columns of the open block collections. A line begins a chain (`- - key`); its first word ends the chain.
  const columns: number[] = []
  let inChain = true
  // Keys since the last line end. A second one is invalid (`a: b: c`) and adds a level for the parser.
  let keys = 0
  for (const token of new Lexer().lex(text)) {
    const at = offset
    gathered.push(token)
    if (gathered.length > maxTokens)
      return { rule: 'too-large', message: `the front matter has more than ${maxTokens} words and lines`, offset: at }
    if (token === '\u0002' || token === '\u0018' || token === '\ufeff') continue
    if (token === scalarMarker) {
      isContent = true
      values++
      continue
    }
    offset += token.length
    const isBlank = /^[ \t]*$/.test(token)
    const isLineEnd = !isContent && (token === '\n' || token === '\r\n')
    if (!isContent && !isBlank && !isLineEnd) {
      const problem =
        refusedToken(token, at, flow) ?? (token === '---' && values > 0 ? severalDocuments(at) : undefined)
      if (problem) return problem
      if (token === '[' || token === '{') flow++
      if (token === ']' || token === '}') flow--
      if (/^["'[{,:-]/.test(token)) values++
      if (/^[|>]/.test(token)) isBlockScalar = true
      if (token === ':' && flow === 0) keys++
    }
    if (isLineEnd || (isContent && isBlockScalar)) keys = 0
    if (values > maxValues)
      return { rule: 'too-large', message: `the front matter has more than ${maxValues} values`, offset: at }
    // The content of a block scalar begins at the start of a line and does not affect the collections around it.
    if (isContent && isBlockScalar) isBlockScalar = false
    else if (inChain && flow === 0 && !isBlank && !isLineEnd && !(token.startsWith('#') && !isContent)) {
      const column = at - lineStart
      while (columns.length > 0 && columns.at(-1)! > column) columns.pop()
      if (columns.at(-1) !== column) columns.push(column)
      if (isContent || token !== '-') inChain = false
    }
    if (columns.length + flow + Math.max(keys - 1, 0) > maxDepth)
      return { rule: 'too-deep', message: `nested deeper than ${maxDepth} levels`, offset: at }
    const feed = token.lastIndexOf('\n')
    if (feed >= 0) {
      lineStart = at + feed + 1
      inChain = true
    }
    isContent = false
  }
  return undefined
}

/** Refused here because the parser creates an error per document, and an error costs more than a value. */
const severalDocuments = (offset: number): Trouble => ({
  rule: 'bad-yaml',
  message: 'a second document (`---`) is not allowed',
  offset,
})

function refusedToken(token: string, offset: number, flow: number): Trouble | undefined {
  const refused = (what: string, advice: string): Trouble => ({
    rule: 'bad-yaml',
    message: `${what} not allowed in a plan`,
    offset,
    advice,
  })
  switch (token[0]) {
    case '&':
      return refused('YAML anchors are', 'write the value where it is used')
    case '*':
      return refused('YAML aliases are', 'write the value where it is used; quote text that begins with `*`')
    case '!':
      return refused('YAML tags are', 'quote text that begins with `!`')
    case '%':
      return refused('YAML directives are', 'quote text that begins with `%`')
    case '?':
      return token === '?' ? refused('explicit keys (`? key`) are', 'write `key: value`') : undefined
    case '.':
      return token === '...' && flow === 0
        ? refused('an end of document (`...`) is', 'the closing fence ends the front matter')
        : undefined
    default:
      return undefined
  }
}

const refusedKeys = new Set(['__proto__', 'constructor', 'prototype'])

type Report = (rule: string, message: string, node: Node | null | undefined, advice?: string) => void

function toValue(node: Node | null, text: string, report: Report): unknown {
  if (isScalar(node)) {
    if (typeof node.value === 'string' && /[\0\p{Cs}]/u.test(node.value))
      report('bad-value', 'text cannot contain a NUL character or half a surrogate pair', node)
    return node.value
  }
  if (isSeq(node))
    return node.items.map((item) => (isPair(item) ? undefined : toValue(item as Node | null, text, report)))
  if (!isMap(node)) return null
  if (node.flow && node.range && text[node.range[0]] !== '{')
    report('bad-yaml', 'a map inside brackets needs its own braces', node, 'write `{key: value}`')
  const result: Record<string, unknown> = {}
  const seen = new Set<string>()
  for (const pair of node.items as Pair<Node, Node | null>[]) {
    const name = isScalar(pair.key) ? pair.key.value : undefined
    if (typeof name !== 'string') {
      report('bad-value', 'only text can be a key', pair.key ?? node, 'quote it')
    } else if (refusedKeys.has(name)) {
      report('refused-key', `\`${name}\` cannot be a key`, pair.key)
    } else if (name === '<<') {
      report('bad-yaml', 'merge keys (`<<`) are not allowed in a plan', pair.key, 'write the keys out')
    } else if (seen.has(name)) {
      report('duplicate-key', `the key \`${hasHidden(name) ? '…' : name.slice(0, 60)}\` appears twice`, pair.key)
    } else {
      seen.add(name)
      result[name] = toValue(pair.value, text, report)
    }
  }
  return result
}

const startOf = (node: Node | null | undefined): number => node?.range?.[0] ?? 0

/** Follows a path as far as it exists. */
function locate(root: Node | null, path: Path, wantsKey: boolean): { node: Node | null | undefined; exact: boolean } {
  let node: Node | null | undefined = root
  for (const [index, part] of path.entries()) {
    let next: Node | null | undefined
    if (isMap(node)) {
      const pair: Pair<Node, Node | null> | undefined = (node as YAMLMap<Node, Node | null>).items.find(
        (item) => isScalar(item.key) && item.key.value === part,
      )
      if (!pair) return { node, exact: false }
      next = wantsKey && index === path.length - 1 ? pair.key : hasText(pair.value) ? pair.value : pair.key
    } else if (isSeq(node) && typeof part === 'number') {
      next = node.items[part] as Node | undefined
    }
    if (!next) return { node, exact: false }
    node = next
  }
  return { node, exact: true }
}

// A key without a value has an empty node somewhere after the colon: point at the key instead.
const hasText = (node: Node | null | undefined): boolean =>
  !!node?.range && (node.range[1] > node.range[0] || isMap(node) || isSeq(node))

/** The parser's messages can quote the whole file. */
function shortLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? text
  return escapeForTerminal(line.length > 160 ? `${line.slice(0, 160)}…` : line)
}

/**
 * False for text whose literal block would not read as the same text, or not in every place: a carriage return ends a
 * line, and blanks at the start or at a line end look like indentation.
 */
export const isSafeBlock = (text: string): boolean => !/\r|^\s/.test(text) && !/[ \t]$/m.test(text)

/**
 * A value as lines of block style, which end with LF. Texts of several lines are literal blocks where that is safe.
 */
export function writeYaml(value: unknown): string {
  const document = new Document(value, { version: '1.2' })
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && !isSafeBlock(node.value)) node.type = 'QUOTE_DOUBLE'
    },
  })
  return document.toString({ lineWidth: 0, blockQuote: 'literal', doubleQuotedMinMultiLineLength: Infinity })
}
