// Masks secrets in a stream, line by line: values that are known, in every form in which they may be printed, and
// whatever looks like a token, a password in an address or a private key. The last line is held back until it ends, so
// that what is split over two writes is masked, too.

import { encodedRuns } from './base64.ts'
import { formsOf, wholeFormsOf } from './forms.ts'
import { hasKeyBody, insideEncoded, keyLine, type Inside } from './key-lines.ts'
import { escaped, keyHead, matchesOf, tokenPattern, tokenShapes, webToken } from './tokens.ts'

const mask = '[secret]'
const nothing = Buffer.alloc(0)
/** A shorter value is found in texts that have nothing to do with it. */
const shortestValue = 4
/**
 * No token is longer than this; of a line that is too long to be held back the end, in which a secret may have begun,
 * is looked at again with what follows.
 */
const longestToken = 8 * 1024

type Range = readonly [from: number, to: number]

const tokens = new RegExp(`${tokenShapes.map(tokenPattern).join('|')}|${webToken}[\\w.-]*`, 'dg')
/** In `scheme://user:password@host` the password, up to the last `@`. */
const address = /[a-z0-9+.-]:\/\/[^\s:/@"'<>\\?#[\]{}]{0,256}:(?<value>(?![*x]*@)[^\s/"'<>\\`]{1,512})@/dgi
/** The same within another address. */
const encodedAddress =
  /%3A%2F%2F(?:[\w.~!*+-]|%(?!3A|40|2F|3F|23)[0-9A-F]{2}){0,256}%3A(?<value>(?:[\w.~!*+-]|%(?!40|2F)[0-9A-F]{2}){1,512})%40/dgi
const credentials =
  /authorization["'\]]{0,3}[ \t]{0,4}[:=,][ \t]{0,4}[["'`b]{0,3}(?:bearer|basic|token)[ \t]{1,4}(?<value>[A-Za-z0-9._~+/=-]{8,})/dgi
/** With its body in the same line. */
const key = new RegExp(String.raw`${keyHead}(?<value>(?:[^-\n]|-(?!----))*)`, 'dg')

/**
 * What is shown, and what of it is secret. A word in lower case behind `Authorization: token` is one of a sentence
 * about it.
 */
const patterns: readonly (readonly [RegExp, (value: string) => boolean])[] = [
  [tokens, () => true],
  [address, () => true],
  [encodedAddress, () => true],
  [credentials, (value) => /[A-Z0-9=]/.test(value.slice(0, 64))],
  [key, hasKeyBody],
]

/** What is a secret where all of it is in base64. */
const encodedKey = new RegExp(keyHead.slice(0, keyHead.lastIndexOf('(')))
const encodedSecrets = [tokens, address, encodedKey, /\{"auths"\s*:[^]*?"auth"\s*:\s*"[A-Za-z0-9+/=]{8,}"/]

function shapedRanges(text: string): Range[] {
  const plain = patterns.flatMap(([pattern, accept]) =>
    matchesOf(pattern, text).flatMap(({ 0: whole, groups, indices }): Range[] => {
      const range = indices?.groups?.['value'] ?? indices?.[0]
      return range !== undefined && accept(groups?.['value'] ?? whole) ? [range] : []
    }),
  )
  const encoded = encodedRuns(text, 'line').filter(({ decoded }) =>
    encodedSecrets.some((pattern) => decoded.search(pattern) >= 0),
  )
  return [...plain, ...encoded.map(({ from, to }): Range => [from, to])]
}

/** As long as the shortest value. */
const headOf = (needle: string): string => needle.slice(0, shortestValue)

/** Values that are secrets, in all their forms; for as many streams as there are. */
export class KnownValues {
  /** The longest comes first. */
  readonly needles: readonly string[]
  readonly #whole: readonly string[]
  readonly #byHead = new Map<string, readonly string[]>()
  readonly #heads: RegExp | undefined

  constructor(values: readonly string[]) {
    const forms = values.filter((each) => each.length >= shortestValue).flatMap(formsOf)
    this.#whole = [...new Set(values.filter((each) => each.trim().length >= shortestValue).flatMap(wholeFormsOf))]
    this.needles = [...new Set(forms)]
      .map((form) => Buffer.from(form).toString('latin1'))
      .toSorted((a, b) => b.length - a.length)
    for (const needle of this.needles)
      this.#byHead.set(headOf(needle), [...(this.#byHead.get(headOf(needle)) ?? []), needle])
    // Their heads: all of a long value would be too large for an expression. Within a lookahead: one may begin in
    // another, and end behind it.
    if (this.needles.length > 0)
      this.#heads = new RegExp(`(?=(${[...this.#byHead.keys()].map(escaped).join('|')}))`, 'g')
  }

  /** Every form of them that a text holds: of a value as a whole, and where it begins. */
  formsIn(text: string): { readonly form: string; readonly at: number }[] {
    return this.#whole.map((form) => ({ form, at: text.indexOf(form) })).filter(({ at }) => at >= 0)
  }

  /** In order: no two overlap. The text has a character for each byte. */
  rangesIn(text: string): readonly Range[] {
    const known = (this.#heads === undefined ? [] : matchesOf(this.#heads, text)).flatMap(
      ({ index, 1: head = '' }): Range[] => {
        const needle = this.#byHead.get(head)?.find((each) => text.startsWith(each, index))
        return needle === undefined ? [] : [[index, index + needle.length]]
      },
    )
    const ranges: Range[] = []
    for (const [from, to] of [...shapedRanges(text), ...known].toSorted((a, b) => a[0] - b[0])) {
      const last = ranges.at(-1)
      if (last === undefined || from >= last[1]) ranges.push([from, to])
      else if (to > last[1]) ranges[ranges.length - 1] = [last[0], to]
    }
    return ranges
  }
}

function withMasks(text: string, ranges: readonly Range[]): string {
  let at = 0
  let shown = ''
  for (const [from, to] of ranges) {
    shown += text.slice(at, from) + mask
    at = to
  }
  return shown + text.slice(at)
}

/** Colours, titles, links: what a terminal does not draw. */
const controls = new RegExp(
  String.raw`\x1b\][^\x07\x1b]{0,2048}(?:\x07|\x1b\\|$)|\x1b\[[0-?]{0,64}[ -/]*[@-~]|\x1b[ -/]{0,4}[0-~]`,
  'g',
)
const needsLines = new RegExp(String.raw`\x1b|${keyHead}`)

export class Redactor {
  readonly #values: KnownValues
  /** What is looked at at a time, and held back at most. */
  readonly #most: number
  /** A character for each byte, whatever its encoding is. */
  #held = ''
  #inside: Inside | undefined

  constructor(values: readonly string[] | KnownValues) {
    this.#values = values instanceof KnownValues ? values : new KnownValues(values)
    this.#most = 4 * this.#longest
  }

  get #longest(): number {
    return Math.max(longestToken, this.#values.needles[0]?.length ?? 0)
  }

  /** What is safe to show now. */
  push(chunk: Uint8Array): Buffer {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
    this.#held += text
    return this.#held.length < this.#most && !/[\n\r]/.test(text) ? nothing : this.#take(false)
  }

  end(): Buffer {
    return this.#take(true)
  }

  text(value: string): string {
    const redactor = new Redactor(this.#values)
    return Buffer.concat([redactor.push(Buffer.from(value)), redactor.end()]).toString()
  }

  #take(isLast: boolean): Buffer {
    let shown = ''
    for (let cut = this.#cut(isLast); cut > 0; cut = this.#cut(isLast)) {
      shown += this.#masked(this.#held.slice(0, cut))
      this.#held = this.#held.slice(cut)
    }
    return Buffer.from(shown, 'latin1')
  }

  /** How much of what is held can be shown: whole lines, or of one that is too long what no secret reaches out of. */
  #cut(isLast: boolean): number {
    const part = this.#held.slice(0, this.#most)
    const lines = Math.max(part.lastIndexOf('\n'), part.lastIndexOf('\r')) + 1
    if (isLast && part.length < this.#most) return part.length
    if (lines > 0 || part.length < this.#most) return lines
    const cut = this.#most - this.#longest
    const [from, to] = this.#values.rangesIn(part).find((range) => range[0] < cut && range[1] > cut) ?? [cut, cut]
    return from > 0 ? from : to
  }

  #masked(text: string): string {
    const isSimple =
      this.#inside === undefined &&
      !needsLines.test(text) &&
      !encodedRuns(text, 'line').some(({ decoded }) => encodedKey.test(decoded))
    return isSimple
      ? withMasks(text, this.#values.rangesIn(text))
      : text.replace(/[^\n]+/g, (line) => this.#maskedLine(line))
  }

  #maskedLine(line: string): string {
    const bare = line.replace(controls, '')
    const found = this.#inside === undefined ? undefined : keyLine(bare, this.#inside)
    this.#inside = found === undefined ? insideAfter(bare) : found.inside
    if (found !== undefined && found.end > 0)
      return `${mask}${bare.slice(found.end)}${line.endsWith('\r') && found.end === bare.length ? '\r' : ''}`
    const ranges = this.#values.rangesIn(line)
    const shown = withMasks(line, ranges)
    const bareRanges = bare === line ? [] : this.#values.rangesIn(bare)
    if (bareRanges.length === 0) return shown
    // With colours in its middle. They go with it; where both have found something else, all of the line does.
    const drawn = withMasks(bare, bareRanges)
    if (shown.replace(controls, '') === drawn) return shown
    return ranges.length === 0 ? drawn : mask
  }
}

const lastHead = new RegExp(String.raw`${keyHead}(?<body>(?:[^-]|-(?!----))*)$`)

/** Whether a key begins in a line, and goes on behind it. */
function insideAfter(line: string): Inside | undefined {
  const body = lastHead.exec(line)?.groups?.['body']
  if (body !== undefined) return hasKeyBody(body) ? 'body' : 'head'
  return encodedRuns(line, 'line').some(({ decoded }) => encodedKey.test(decoded)) ? insideEncoded(line) : undefined
}

let plain: KnownValues | undefined
/** What looks like a secret, in a text by itself: what git says of a remote has its address in it. */
export const maskTokens = (text: string): string =>
  text === '' ? '' : new Redactor((plain ??= new KnownValues([]))).text(text)
