// Adds values to a JSON file of the user and removes them again, as text: every other byte stays. What is inserted is
// removed exactly, so that a file is what it was before.
//
// A container that we create is written over several lines, one that was empty gets its entry on the line of its
// bracket: so an empty container is removed only if it was ours.

import { parseTree, type Node, type ParseError } from 'jsonc-parser'

export type Path = readonly string[]

/** A value in a file: a property, or with `isElement` an element of the array at `path`. */
export interface JsonEntry {
  readonly path: Path
  readonly isElement?: boolean
  readonly value: unknown
}

export type Spliced = { readonly text: string } | { readonly problem: string }

/** Comments and trailing commas are left to whoever validates the file. */
function parse(text: string): Node | string {
  const start = text.startsWith('\uFEFF') ? 1 : 0
  const errors: ParseError[] = []
  // Blanks in place of the mark keep the positions.
  const root = parseTree(start === 0 ? text : ` ${text.slice(1)}`, errors, {
    allowTrailingComma: true,
    disallowComments: false,
  })
  const [first] = errors
  if (root === undefined || first !== undefined)
    return `it is not valid JSON (line ${lineAt(text, first?.offset ?? 0)})`
  return root.type === 'object' ? root : 'it does not contain a JSON object'
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length

const propertyOf = (object: Node, name: string): Node[] =>
  (object.children ?? []).filter(({ children }) => children?.[0]?.value === name)
const valueIn = (property: Node | undefined): Node | undefined => property?.children?.[1]

/** The value of a node, as JSON.parse would return it. */
export function valueOf(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(valueOf)
  if (node.type !== 'object') return node.value as unknown
  return Object.fromEntries(
    (node.children ?? []).map((property) => [
      String(property.children?.[0]?.value),
      property.children?.[1] === undefined ? undefined : valueOf(property.children[1]),
    ]),
  )
}

/** The values of the path: elements of the array, or the one value of the property. A problem if it is not readable. */
export function readEntries(
  text: string,
  path: Path,
  isElement: boolean,
): { readonly values: unknown[] } | { problem: string } {
  const root = parse(text)
  if (typeof root === 'string') return { problem: root }
  const found = descend(root, path)
  if ('problem' in found) return found
  if (found.rest.length > 0) return { values: [] }
  if (!isElement) return { values: [valueOf(found.node)] }
  if (found.node.type !== 'array') return { problem: `${path.join('.')} is not a list` }
  return { values: (found.node.children ?? []).map(valueOf) }
}

type Descent = { readonly node: Node; readonly rest: Path } | { readonly problem: string }

/** The deepest node on the path that exists. */
function descend(root: Node, path: Path): Descent {
  let node = root
  for (const [at, name] of path.entries()) {
    if (node.type !== 'object') return { problem: `${path.slice(0, at).join('.') || 'it'} is not an object` }
    const [found, again] = propertyOf(node, name)
    // JSON readers differ in which one they take.
    if (again !== undefined) return { problem: `${path.slice(0, at + 1).join('.')} is there twice` }
    const value = valueIn(found)
    if (value === undefined) return { node, rest: path.slice(at) }
    node = value
  }
  return { node, rest: [] }
}

export function insertEntry(text: string, { path, isElement = false, value }: JsonEntry): Spliced {
  const root = parse(text)
  if (typeof root === 'string') return { problem: root }
  const found = descend(root, path)
  if ('problem' in found) return found
  const { node, rest } = found
  const style = styleOf(text, root)
  if (rest.length === 0) {
    if (!isElement) return { text: replaceNode(text, node, value, style) }
    if (node.type !== 'array') return { problem: `${path.join('.')} is not a list` }
    return { text: insertInto(text, node, undefined, value, style) }
  }
  if (node.type !== 'object') return { problem: `${path.slice(0, -rest.length).join('.')} is not an object` }
  const [name = '', ...inner] = rest
  const whole = inner.reduceRight<unknown>((below, key) => ({ [key]: below }), isElement ? [value] : value)
  return { text: insertInto(text, node, name, whole, style) }
}

/** Puts the new value in place of those for which `isOurs` is true; without one it is inserted. */
export function replaceEntry(text: string, entry: JsonEntry, isOurs: (value: unknown) => boolean): Spliced {
  const root = parse(text)
  if (typeof root === 'string') return { problem: root }
  const node = ourNodes(root, entry, isOurs)[0]
  return node === undefined
    ? insertEntry(text, entry)
    : { text: replaceNode(text, node, entry.value, styleOf(text, root)) }
}

/** Removes all values for which `isOurs` is true. undefined: nothing is left that is not ours. */
export function removeEntries(
  text: string,
  entry: Pick<JsonEntry, 'path' | 'isElement'>,
  isOurs: (value: unknown) => boolean,
): { readonly text: string | undefined } | { readonly problem: string } {
  let now = text
  for (;;) {
    const root = parse(now)
    if (typeof root === 'string') return { problem: root }
    const [node] = ourNodes(root, entry, isOurs)
    if (node === undefined) return { text: now }
    const left = removeNode(now, entry.isElement === true ? node : node.parent!)
    if (left === undefined) return { text: undefined }
    now = left
  }
}

function ourNodes(
  root: Node,
  { path, isElement }: Pick<JsonEntry, 'path' | 'isElement'>,
  isOurs: (value: unknown) => boolean,
): Node[] {
  const found = descend(root, path)
  if ('problem' in found || found.rest.length > 0) return []
  const nodes = isElement === true ? (found.node.type === 'array' ? (found.node.children ?? []) : []) : [found.node]
  return nodes.filter((node) => isOurs(valueOf(node)))
}

interface Style {
  readonly eol: string
  readonly unit: string
}

function styleOf(text: string, root: Node): Style {
  const first = root.children?.[0]
  const indent = first === undefined ? undefined : /(?:^|\n)([ \t]+)$/.exec(text.slice(0, first.offset))?.[1]
  return { eol: text.includes('\r\n') ? '\r\n' : '\n', unit: indent ?? '  ' }
}

const render = (value: unknown, indent: string, { eol, unit }: Style): string =>
  JSON.stringify(value, null, unit).split('\n').join(`${eol}${indent}`)

const named = (name: string | undefined, text: string): string =>
  name === undefined ? text : `${JSON.stringify(name)}: ${text}`

/** The blanks before the first other character of the line. */
const indentAt = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? ''

/** The end of the last text before `offset` that is not white space, comments included. */
const endBefore = (text: string, offset: number): number => text.slice(0, offset).trimEnd().length

function insertInto(text: string, container: Node, name: string | undefined, value: unknown, style: Style): string {
  const children = container.children ?? []
  const last = children.at(-1)
  const inside = container.offset + 1
  const close = container.offset + container.length - 1
  if (last === undefined) {
    const entry = named(name, render(value, indentAt(text, container.offset), style))
    return splice(text, inside, inside, entry)
  }
  const end = last.offset + last.length
  const isMultiline = text.slice(inside, children[0]!.offset).includes('\n')
  const indent = indentAt(text, isMultiline ? children[0]!.offset : container.offset)
  const entry = named(name, render(value, indent, style))
  const comma = commaAfter(text, end, close)
  const behind = comma === undefined ? end : comma + 1
  // On one line, a comment at its end would swallow the entry.
  const at = isMultiline ? Math.max(endBefore(text, close), behind) : behind
  const added = `${isMultiline ? `${style.eol}${indent}` : ' '}${entry}${comma === undefined ? '' : ','}`
  const withEntry = splice(text, at, at, added)
  return comma === undefined ? splice(withEntry, end, end, ',') : withEntry
}

function removeNode(text: string, node: Node): string | undefined {
  const container = node.parent!
  const siblings = container.children ?? []
  const at = siblings.indexOf(node)
  const [before, after] = [siblings[at - 1], siblings[at + 1]]
  const inside = container.offset + 1
  const close = container.offset + container.length - 1
  const end = node.offset + node.length
  const comma = commaAfter(text, end, after?.offset ?? close)
  if (before === undefined && after === undefined) {
    const isCreated = text.slice(inside, node.offset).includes('\n') && text.slice(inside, node.offset).trim() === ''
    if (isCreated) return removeContainer(text, container)
    return splice(text, node.offset, comma === undefined ? end : comma + 1, '')
  }
  if (after !== undefined) {
    const next = (comma ?? end - 1) + 1
    // The first one leaves its place to the next.
    if (before === undefined) return splice(text, node.offset, next + /^\s*/.exec(text.slice(next))![0].length, '')
    return splice(text, endBefore(text, node.offset), next, '')
  }
  const start = endBefore(text, node.offset)
  // The last one: without a trailing comma, the one before it has to go.
  const without = splice(text, start, comma === undefined ? end : comma + 1, '')
  const earlier = comma === undefined ? commaAfter(text, before!.offset + before!.length, start) : undefined
  return earlier === undefined ? without : splice(without, earlier, earlier + 1, '')
}

/** undefined: it is the whole file. */
function removeContainer(text: string, container: Node): string | undefined {
  const { parent } = container
  if (parent === undefined) return undefined
  return removeNode(text, parent.type === 'property' ? parent : container)
}

function replaceNode(text: string, node: Node, value: unknown, style: Style): string {
  const indent = indentAt(text, node.offset)
  return splice(text, node.offset, node.offset + node.length, render(value, indent, style))
}

const splice = (text: string, from: number, to: number, by: string): string => text.slice(0, from) + by + text.slice(to)

/** The position of a comma between these, outside of comments. */
function commaAfter(text: string, from: number, to: number): number | undefined {
  for (let at = from; at < to; at += 1) {
    if (text[at] === ',') return at
    if (text.startsWith('//', at)) at = (text.indexOf('\n', at) + 1 || to + 1) - 1
    else if (text.startsWith('/*', at)) at = (text.indexOf('*/', at) + 2 || to + 2) - 1
  }
  return undefined
}

/** The text of a file with this entry alone. */
export const newFile = (entries: readonly JsonEntry[]): string => {
  const [first, ...more] = entries
  const { path, isElement, value } = first!
  const whole = path.reduceRight<unknown>((below, key) => ({ [key]: below }), isElement === true ? [value] : value)
  return more.reduce(
    (text, entry) => {
      const spliced = insertEntry(text, entry)
      return 'text' in spliced ? spliced.text : text
    },
    `${JSON.stringify(whole, null, 2)}\n`,
  )
}
