// YAML that is written plainly, read in one pass and without a parser: maps and lists in blocks, one key a line, text plain, quoted or
// behind `|`. Undefined for all else, which is left to yaml.ts: also for what is wrong, and for what only looks as if it could be read in two ways.
// What is read here has the value that yaml.ts gives it; test/unit/plan/plain-plan.test.ts holds one against the other.

export interface PlainYaml {
  readonly value: Readonly<Record<string, unknown>>
  /** Where in the text the line of each key of the top level begins. */
  readonly starts: ReadonlyMap<string, number>
  /** Where in the text the first key of each map begins that is an item of a list at the top level; the list by its key. */
  readonly items: ReadonlyMap<string, readonly ItemPlace[]>
}

export interface ItemPlace {
  readonly start: number
  readonly indent: number
}

/** Far below what yaml.ts allows, in each unit that it counts. */
const maxLines = 12_000
const maxListed = 10_000
const maxDepth = 8

/** Anything but visible characters, blanks and line feeds. An expression with classes of Unicode is made where it is needed: it costs more than most files. */
const hasOdd = (text: string): boolean => /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(text)
const ascii = /^[\n\x20-\x7e]*$/

const unsure = new Error('not written plainly')

/** The whole text is one map; undefined where it is not, or not certainly. */
export function readPlainYaml(text: string): PlainYaml | undefined {
  if (!text.endsWith('\n') || (!ascii.test(text) && hasOdd(text))) return undefined
  const lines = text.split('\n')
  if (lines.length > maxLines) return undefined
  try {
    return new Reader(lines).top()
  } catch (error) {
    if (error === unsure) return undefined
    throw error
  }
}

const plainKey = /^[A-Za-z_][A-Za-z0-9_-]{0,100}$/
const quotedKey = /^"[a-z0-9-]{1,100}"$/
/** In every plan: no need to look at their letters. */
const usualKeys = new Set('plan title base steps status state id run create content edit append replace with needs verify'.split(' '))
/** Refused as keys, or no text. */
const otherKeys = new Set(['__proto__', 'constructor', 'prototype'])
const otherWord = /^(?:null|true|false)$/i
const listed = /^\[[A-Za-z_][\w./*-]*(?:, [A-Za-z_][\w./*-]*)*\]$/
const doubleQuoted = /^"(?:[^"\\]|\\["\\nt])*"$/
const singleQuoted = /^'(?:[^']|'')*'$/
const wholeNumber = /^(?:0|[1-9]\d{0,8})$/
/** A duration, a size or a range: what begins with a digit and is no number in YAML. */
const measure = /^(?:(?:\d{1,9}(?:ms|s|m|h|d|b|kb|mb|gb))+|\d{1,9}-\d{1,9})$/
/** Nothing that begins so is a number, a mark of YAML, or null. */
const plainStart = /^(?:[A-Za-z_/$(^]|\.\.?\/|\.[A-Za-z]{4})/
const beginsWithLetter = (text: string): boolean => /^\p{L}/u.test(text)

class Reader {
  readonly #lines: string[]
  readonly #starts = new Map<string, number>()
  readonly #places = new Map<string, ItemPlace[]>()
  #topKey = ''
  #at = 0
  #offset = 0
  #counted = 0
  #items = 0

  constructor(lines: string[]) {
    this.#lines = lines
  }

  top(): PlainYaml {
    if (this.#indent() !== 0) throw unsure
    const value = this.#map(0, 1)
    if (this.#at < this.#lines.length) throw unsure
    return { value, starts: this.#starts, items: this.#places }
  }

  /** Goes to the next line that says something; -1 at the end. A comment stands at the height of what follows it. */
  #indent(): number {
    let comment = -1
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at]!
      if (line === '') continue
      const indent = blanksOf(line)
      if (indent === line.length) throw unsure
      if (comment >= 0 && indent !== comment) throw unsure
      if (line[indent] !== '#') return indent
      comment = indent
    }
    if (comment > 0) throw unsure
    return -1
  }

  #map(indent: number, depth: number): Record<string, unknown> {
    if (depth > maxDepth) throw unsure
    const map: Record<string, unknown> = {}
    for (let here = this.#indent(); here >= indent; here = this.#indent()) {
      if (here > indent) throw unsure
      const line = this.#lines[this.#at]!
      const end = keyEnd(line, indent)
      const isQuoted = line[indent] === '"'
      const key = isQuoted ? line.slice(indent + 1, end - 1) : line.slice(indent, end)
      if (Object.hasOwn(map, key)) throw unsure
      if (depth === 1) {
        // Written in quotes, `status` is not where the executor's part begins.
        if (isQuoted) throw unsure
        this.#starts.set(key, this.#offsetOf(this.#at))
        this.#places.set(key, [])
        this.#topKey = key
      }
      this.#at++
      map[key] = line.length === end + 1 ? this.#below(indent, depth) : this.#inline(line.slice(end + 2), indent)
    }
    return map
  }

  /** The value of a key that has nothing behind its colon. A list may stand at the height of its key. */
  #below(indent: number, depth: number): unknown {
    const here = this.#indent()
    if (here < indent) throw unsure
    const isList = this.#lines[this.#at]!.startsWith('- ', here)
    if (here === indent && !isList) throw unsure
    return isList ? this.#list(here, depth + 1) : this.#map(here, depth + 1)
  }

  #list(indent: number, depth: number): unknown[] {
    if (depth > maxDepth) throw unsure
    const list: unknown[] = []
    for (let here = this.#indent(); here >= indent; here = this.#indent()) {
      if (here > indent) throw unsure
      const line = this.#lines[this.#at]!
      if (!line.startsWith('- ', indent)) return list
      const item = line.slice(indent + 2)
      if (isKeyAt(line, indent + 2)) {
        // The first key of a map stands behind the dash, the others below it.
        const start = this.#offsetOf(this.#at) + indent + 2
        if (depth === 2) this.#places.get(this.#topKey)?.push({ start, indent: indent + 2 })
        this.#lines[this.#at] = ' '.repeat(indent + 2) + item
        list.push(this.#map(indent + 2, depth + 1))
      } else {
        this.#at++
        list.push(this.#inline(item, indent))
      }
    }
    return list
  }

  #inline(text: string, indent: number): unknown {
    if (text === '|' || text === '|-') return this.#block(indent, text === '|' ? '\n' : '')
    if (text === '[]') return []
    if (text === '{}') return {}
    if (text.startsWith('"')) return doubleQuoted.test(text) ? (JSON.parse(text) as string) : fail()
    if (text.startsWith("'")) return singleQuoted.test(text) ? text.slice(1, -1).replaceAll("''", "'") : fail()
    if (text.startsWith('[')) return this.#flow(text)
    if (text === 'true' || text === 'false') return text === 'true'
    if (wholeNumber.test(text)) return Number(text)
    if (measure.test(text)) return text
    const isPlain =
      (plainStart.test(text) || beginsWithLetter(text)) && !text.includes(': ') && !text.includes(' #') && !/[: ]$/.test(text) && !otherWord.test(text)
    return isPlain ? text : fail()
  }

  #flow(text: string): string[] {
    if (!listed.test(text)) throw unsure
    const items = text.slice(1, -1).split(', ')
    this.#items += items.length
    if (this.#items > maxListed || items.some((item) => otherWord.test(item))) throw unsure
    return items
  }

  /** Lines as they are, up to the first that is indented less than the first of them. */
  #block(above: number, end: string): string {
    let at = this.#at
    while (this.#lines[at] === '') at++
    const indent = blanksOf(this.#lines[at] ?? '')
    if (indent <= above) throw unsure
    const text: string[] = this.#lines.slice(this.#at, at)
    for (; at < this.#lines.length; at++) {
      const line = this.#lines[at]!
      const blanks = blanksOf(line)
      if (line !== '' && blanks === line.length) throw unsure
      if (line !== '' && blanks < indent) break
      text.push(line.slice(indent))
    }
    if (at < this.#lines.length && blanksOf(this.#lines[at]!) > above) throw unsure
    this.#at = at
    while (text.at(-1) === '') text.pop()
    return text.join('\n') + end
  }

  /** Asked in order of lines. */
  #offsetOf(line: number): number {
    for (; this.#counted < line; this.#counted++) this.#offset += this.#lines[this.#counted]!.length + 1
    return this.#offset
  }
}

function fail(): never {
  throw unsure
}

/** Where the colon is that ends the key which begins at `start`. */
function keyEnd(line: string, start: number): number {
  if (!isKeyAt(line, start)) throw unsure
  return line.indexOf(':', start)
}

function isKeyAt(line: string, start: number): boolean {
  const end = line.indexOf(':', start)
  if (end < 0 || (line.length > end + 1 && line[end + 1] !== ' ')) return false
  const key = line.slice(start, end)
  return usualKeys.has(key) || (plainKey.test(key) && !otherKeys.has(key) && !otherWord.test(key)) || quotedKey.test(key)
}

function blanksOf(line: string): number {
  let at = 0
  while (line.charCodeAt(at) === 32) at++
  return at
}
