// Masks secrets in a stream: values that are known, in every form in which they may be printed, and whatever looks like a token, a password in an address or a private
// key. What is split over chunks is masked too: the end is held back while it may be the beginning of a secret, and no longer. Bytes that a terminal would draw otherwise
// than they are, with colours in them for instance, are looked at both ways.

import { AnchorScan } from '../secrets/anchor-scan.ts'
import { drawn, isDrawn } from './drawn-text.ts'
import { readEncoded, type InsideEncoded } from './encoded-block.ts'
import { readBlock, type Inside } from './key-block.ts'
import { formsOf, wholeFormsOf } from './secret-forms.ts'
import { tokenAnchors, tokenScan, tokenTail, type Look } from './token-marks.ts'

const mask = Buffer.from('[secret]')
/** As much of what was shown as a look back may need: the address before a password, the name of a header, what stands before a word. */
const lookBack = 640
const nothing = Buffer.alloc(0)
/** A shorter value is found in texts that have nothing to do with it. */
const shortestValue = 4
/** Control sequences without end may follow the beginning of a token: what is held back has a limit all the same. */
const mostHeld = 8192

interface Range {
  readonly from: number
  readonly to: number
  /** It began in what was shown before. */
  readonly isContinued?: boolean
}

/** What has to be known of what came before. */
interface State {
  /** The end of what was shown, as it was before it was masked. */
  readonly seen: Buffer
  /** What came after that, and is held back. */
  readonly held: Buffer
  /** The last that was shown is a mask. */
  readonly endsMasked: boolean
  /** Bytes that belong to the secret that was masked last. */
  readonly more: Uint8Array | undefined
  readonly inside: Inside | InsideEncoded | undefined
}

type Found = { readonly ranges: readonly Range[]; readonly open: number } & Pick<State, 'more' | 'inside'>

// A word can begin where a stream does.
const start: State = { seen: Buffer.from('\n'), held: nothing, endsMasked: false, more: undefined, inside: undefined }

export class Redactor {
  readonly #values: KnownValues
  readonly #plain: Mask
  /** From the first bytes on that need it. */
  #drawn: Mask | undefined

  constructor(values: readonly string[] | KnownValues) {
    this.#values = values instanceof KnownValues ? values : new KnownValues(values)
    this.#plain = new Mask(this.#values)
  }

  /** What is safe to show now. */
  push(chunk: Uint8Array): Buffer {
    if (chunk.length === 0) return nothing
    // First of all: where one of the two has masked a part of a secret, the other would not know the rest.
    if (this.#drawn === undefined && isDrawn(chunk)) this.#drawn = Mask.before(this.#plain, this.#values)
    return this.#plain.push(this.#drawn === undefined ? chunk : this.#drawn.push(chunk))
  }

  end(): Buffer {
    const rest = this.#drawn?.end() ?? nothing
    this.#drawn = undefined
    return Buffer.concat([this.#plain.push(rest), this.#plain.end()])
  }

  text(value: string): string {
    const bytes = Buffer.from(value)
    return this.#plain.all(isDrawn(bytes) ? new Mask(this.#values, { isDrawn: true }).all(bytes) : bytes).toString()
  }
}

/** Values that are secrets, in all their forms; for as many streams as there are. */
export class KnownValues {
  readonly needles: readonly Buffer[]
  readonly beginnings: ReadonlySet<string>
  readonly lookBack: number
  readonly #whole: readonly string[]
  /** Made for the first output: many a command says nothing. */
  #scan: AnchorScan<Look> | undefined

  constructor(values: readonly string[]) {
    const forms = values.filter((each) => each.length >= shortestValue).flatMap(formsOf)
    this.#whole = [...new Set(values.filter((each) => each.trim().length >= shortestValue).flatMap(wholeFormsOf))]
    this.needles = [...new Set(forms)].map((form) => Buffer.from(form))
    this.beginnings = new Set(this.needles.flatMap((each) => [1, 2, 3].map((size) => each.toString('latin1', 0, size))))
    this.lookBack = Math.max(lookBack, ...this.needles.map(({ length }) => length))
  }

  /** Every form of them that a text holds: of a value as a whole, and where it begins. */
  formsIn(text: string): { readonly form: string; readonly at: number }[] {
    return this.#whole.map((form) => ({ form, at: text.indexOf(form) })).filter(({ at }) => at >= 0)
  }

  get scan(): AnchorScan<Look> {
    return (this.#scan ??= this.needles.length === 0 ? tokenScan() : scanFor(this.needles))
  }
}

/** One look at a stream: at its bytes, or at what is drawn of them. */
class Mask {
  readonly #values: KnownValues
  readonly #isDrawn: boolean
  #state = start

  constructor(values: KnownValues, { isDrawn = false } = {}) {
    this.#values = values
    this.#isDrawn = isDrawn
  }

  /** One that looks at what is drawn before another looks at the bytes. What that one holds back has to pass it first. */
  static before(plain: Mask, values: KnownValues): Mask {
    const mask = new Mask(values, { isDrawn: true })
    mask.#state = plain.#state
    plain.#state = { ...plain.#state, held: nothing }
    return mask
  }

  push(chunk: Uint8Array): Buffer {
    if (chunk.length === 0) return nothing
    const { text, state } = this.#mask(this.#state, chunk, false)
    this.#state = state
    return text
  }

  end(): Buffer {
    const { text } = this.#mask(this.#state, nothing, true)
    this.#state = start
    return text
  }

  all(bytes: Buffer): Buffer {
    return this.#mask(start, bytes, true).text
  }

  #mask(before: State, chunk: Uint8Array, isLast: boolean): { text: Buffer; state: State } {
    const bytes = Buffer.concat([before.seen, before.held, chunk])
    const shown = before.seen.length
    const { ranges, open, more, inside } = this.#isDrawn ? this.#findDrawn(bytes, shown, before, isLast) : this.#find(bytes, shown, before, isLast)
    const { text, endsMasked } = withMasks(bytes, shown, open, ranges, before.endsMasked)
    return {
      text,
      state: { seen: this.#seen(bytes, open), held: bytes.subarray(open), endsMasked: open === shown ? before.endsMasked : endsMasked, more, inside },
    }
  }

  /** No more than a line of it, where lines are all that matters; never nothing. */
  #seen(bytes: Buffer, open: number): Buffer {
    const from = Math.max(0, open - this.#values.lookBack)
    const newline = this.#values.needles.length === 0 ? bytes.lastIndexOf(10, open - 1) : -1
    return Buffer.from(bytes.subarray(Math.max(from, newline), open))
  }

  #findDrawn(bytes: Buffer, shown: number, before: State, isLast: boolean): Found {
    const view = drawn(bytes)
    const { ranges, open, ...rest } = this.#find(view.bytes, view.placeOf(shown), before, isLast)
    const place = Math.max(shown, view.from(open))
    return {
      ...rest,
      ranges: ranges.map((range) => ({ ...range, from: Math.max(shown, view.from(range.from)), to: view.to(range.to) })),
      open: bytes.length - place > mostHeld ? bytes.length : place,
    }
  }

  #find(bytes: Buffer, shown: number, before: State, isLast: boolean): Found {
    const ranges: Range[] = []
    let open = bytes.length
    let more: Uint8Array | undefined
    let inside = before.inside
    let from = 0
    const { scan } = this.#values
    const readOn = (at: number, state: Inside | InsideEncoded): number => {
      const read = state === 'run' || state === 'line' ? readEncoded(bytes, at, state, isLast) : readBlock(bytes, at, state, isLast)
      for (const [start, end] of read.secrets) ranges.push({ from: start, to: end, isContinued: start === shown && before.inside === 'run' })
      inside = read.inside
      if (inside !== undefined) open = Math.min(open, read.to)
      return inside === undefined ? read.to : bytes.length
    }
    if (before.more !== undefined) {
      const end = runEnd(bytes, shown, before.more)
      if (end > shown) ranges.push({ from: shown, to: end, isContinued: true })
      if (end === bytes.length) more = before.more
    }
    if (inside !== undefined) from = Math.max(0, readOn(shown, inside) - lookBack)
    // Else a long run of beginnings would be read to its end from each of them.
    const read = new Map<Look, number>()
    for (let at = scan.next(bytes, from), next = 0; at >= 0; at = scan.next(bytes, next)) {
      next = at + 1
      for (const look of scan.at(bytes, at) ?? []) {
        if (at + 1 < (read.get(look) ?? 0)) continue
        const mark = look(bytes, at, isLast)
        if (mark === undefined) continue
        if (mark.kind === 'secret' && mark.isRun === true) read.set(look, mark.to)
        if (mark.kind === 'open') open = Math.min(open, Math.max(shown, mark.from))
        else if (mark.kind === 'block') {
          // One whose head was shown before was entered then.
          if (mark.from > shown && inside === undefined) next = Math.max(next, readOn(mark.from, 'head'))
        } else if (mark.kind === 'encoded') {
          if (mark.to > shown && inside === undefined) next = Math.max(next, readOn(Math.max(shown, mark.from), 'run'))
        } else if (mark.to > shown) {
          ranges.push({ from: Math.max(shown, mark.from), to: mark.to, isContinued: mark.from < shown })
          if (mark.more !== undefined) more = mark.more
        }
      }
    }
    ranges.sort((a, b) => a.from - b.from)
    if (isLast) open = bytes.length
    else open = Math.min(open, this.#tail(bytes, shown))
    // What begins within a secret is masked with it; if it goes on, it is found again by what was seen.
    for (const range of ranges) if ((range.from < open || range.isContinued === true) && range.to > open) open = range.to
    return { ranges, open, more: open === bytes.length ? more : undefined, inside }
  }

  /** Where the last few bytes may begin a secret. */
  #tail(bytes: Buffer, shown: number): number {
    const needle = [3, 2, 1].find((size) => bytes.length - size >= shown && this.#values.beginnings.has(bytes.toString('latin1', bytes.length - size)))
    return Math.max(shown, Math.min(needle === undefined ? bytes.length : bytes.length - needle, tokenTail(bytes) ?? bytes.length))
  }
}

function runEnd(bytes: Buffer, from: number, isIn: Uint8Array): number {
  let at = from
  while (at < bytes.length && isIn[bytes[at]!] === 1) at += 1
  return at
}

const scanFor = (needles: readonly Buffer[]): AnchorScan<Look> =>
  new AnchorScan([...tokenAnchors(), ...needles.map((each): [string, Look] => [each.toString('latin1'), lookFor(each)])])

let plain: Redactor | undefined
/** What looks like a secret, in a text by itself: what git says of a remote has its address in it. */
export const maskTokens = (text: string): string => (text === '' ? '' : (plain ??= new Redactor([])).text(text))

/** For a value that is known. */
function lookFor(needle: Buffer): Look {
  return (bytes, at, isLast) => {
    const there = Math.min(needle.length, bytes.length - at)
    if (bytes.compare(needle, 0, there, at, at + there) !== 0) return undefined
    if (there === needle.length) return { kind: 'secret', from: at, to: at + there }
    return isLast ? undefined : { kind: 'open', from: at }
  }
}

/** The bytes from `shown` to `open`, with a mask for each range. Ranges that overlap have one. */
function withMasks(bytes: Buffer, shown: number, open: number, ranges: readonly Range[], endsMasked: boolean): { text: Buffer; endsMasked: boolean } {
  if (ranges.length === 0) return { text: bytes.subarray(shown, open), endsMasked: false }
  const parts: Buffer[] = []
  let at = shown
  for (const { from, to, isContinued } of ranges) {
    if (from >= open || to <= at) continue
    const isMasked = isContinued === true && endsMasked
    if (from > at || (from === at && !isMasked)) parts.push(bytes.subarray(at, from), mask)
    at = to
  }
  if (at < open) parts.push(bytes.subarray(at, open))
  return { text: Buffer.concat(parts), endsMasked: at >= open }
}
