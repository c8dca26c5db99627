// Masks secrets in a stream, line by line: known values in every form in which they may be printed, and anything that
// looks like a token, a password in a URL or a private key. An unfinished line is held back until it ends, so that a
// secret split over two writes is masked too.

import { encodedRuns } from './base64.ts'
import { formsOf, wholeFormsOf } from './forms.ts'
import { hasKeyBody, insideEncoded, keyLine, type Inside } from './key-lines.ts'
import { escapeRegex, keyHead, matchesOf, tokenPattern, tokenShapes, webToken } from './tokens.ts'

const mask = '[secret]'
const nothing = Buffer.alloc(0)
/** A shorter value would match unrelated text. */
const shortestValue = 4
/**
 * Longest token. If a line is too long to be held back, its end, where a secret may begin, is searched again with the
 * text that follows.
 */
const longestToken = 8 * 1024

type Range = readonly [from: number, to: number]

const tokens = new RegExp(`${tokenShapes.map(tokenPattern).join('|')}|${webToken}[\\w.-]*`, 'dg')
/** The password in `scheme://user:password@host`, up to the last `@`. */
const address = /[a-z0-9+.-]:\/\/[^\s:/@"'<>\\?#[\]{}]{0,256}:(?<value>(?![*x]*@)[^\s/"'<>\\`]{1,512})@/dgi
/** The same, URL-encoded within another URL. */
const encodedAddress =
  /%3A%2F%2F(?:[\w.~!*+-]|%(?!3A|40|2F|3F|23)[0-9A-F]{2}){0,256}%3A(?<value>(?:[\w.~!*+-]|%(?!40|2F)[0-9A-F]{2}){1,512})%40/dgi
const credentials =
  /authorization["'\]]{0,3}[ \t]{0,4}[:=,][ \t]{0,4}[["'`b]{0,3}(?:bearer|basic|token)[ \t]{1,4}(?<value>[A-Za-z0-9._~+/=-]{8,})/dgi
/** A key with its body on the same line. */
const key = new RegExp(String.raw`${keyHead}(?<value>(?:[^-\n]|-(?!----))*)`, 'dg')

/** Patterns and conditions on the match. A lowercase word after `Authorization: token` is part of a sentence. */
const patterns: readonly (readonly [RegExp, (value: string) => boolean])[] = [
  [tokens, () => true],
  [address, () => true],
  [encodedAddress, () => true],
  [credentials, (value) => /[A-Z0-9=]/.test(value.slice(0, 64))],
  [key, hasKeyBody],
]

/** Secrets that are in base64 as a whole. */
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

/** The first characters, as many as the shortest value has. */
const headOf = (needle: string): string => needle.slice(0, shortestValue)

/** Known secret values in all their forms, shared by any number of streams. */
export class KnownValues {
  /** Longest first. */
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
    // Only the heads: long values would make the expression too large. In a lookahead, because one value may begin
    // inside another and end after it.
    if (this.needles.length > 0)
      this.#heads = new RegExp(`(?=(${[...this.#byHead.keys()].map(escapeRegex).join('|')}))`, 'g')
  }

  /** Each form of a whole value that occurs in the text, with its position. */
  formsIn(text: string): { readonly form: string; readonly at: number }[] {
    return this.#whole.map((form) => ({ form, at: text.indexOf(form) })).filter(({ at }) => at >= 0)
  }

  /** Sorted, without overlaps. The text has one character per byte. */
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

/** Colours, titles, links: sequences that a terminal does not draw. */
const controls = new RegExp(
  String.raw`\x1b\][^\x07\x1b]{0,2048}(?:\x07|\x1b\\|$)|\x1b\[[0-?]{0,64}[ -/]*[@-~]|\x1b[ -/]{0,4}[0-~]`,
  'g',
)
const needsLines = new RegExp(String.raw`\x1b|${keyHead}`)

export class Redactor {
  readonly #values: KnownValues
  /** Number of characters that are searched at a time, and held back at most. */
  readonly #most: number
  /** One character per byte, whatever the encoding. */
  #held = ''
  #inside: Inside | undefined

  constructor(values: readonly string[] | KnownValues) {
    this.#values = values instanceof KnownValues ? values : new KnownValues(values)
    this.#most = 4 * this.#longest
  }

  get #longest(): number {
    return Math.max(longestToken, this.#values.needles[0]?.length ?? 0)
  }

  /** Returns the output that is safe to show now. */
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

  /**
   * Length of the held text that can be shown: whole lines, or, of an overlong line, the part that no secret extends
   * beyond.
   */
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
    // Colours split the secret: they are dropped with it. If both searches found different secrets, the whole line is
    // masked.
    const drawn = withMasks(bare, bareRanges)
    if (shown.replace(controls, '') === drawn) return shown
    return ranges.length === 0 ? drawn : mask
  }
}

const lastHead = new RegExp(String.raw`${keyHead}(?<body>(?:[^-]|-(?!----))*)$`)

/** The position after a line in which a key begins and does not end. */
function insideAfter(line: string): Inside | undefined {
  const body = lastHead.exec(line)?.groups?.['body']
  if (body !== undefined) return hasKeyBody(body) ? 'body' : 'head'
  return encodedRuns(line, 'line').some(({ decoded }) => encodedKey.test(decoded)) ? insideEncoded(line) : undefined
}

let tokensOnly: KnownValues | undefined
/** Masks everything that looks like a secret in a single text, such as the remote URL in a message of Git. */
export const maskTokens = (text: string): string =>
  text === '' ? '' : new Redactor((tokensOnly ??= new KnownValues([]))).text(text)
