// Bytes as a terminal would draw them: without colours and other control sequences, without what a backspace took back. A token with such things in its middle is
// whole for whoever looks at it. Where each byte came from is remembered.

import { byteSet } from '../secrets/byte-set.ts'

const [nul, backspace, tab, newline, formFeed, carriageReturn, escape] = [0, 8, 9, 10, 12, 13, 27]
/** What is longer is no control sequence, but text behind a byte that begins one. */
const [mostOfSequence, mostOfString] = [64, 2048]

export interface Drawn {
  readonly bytes: Buffer
  /** Where the byte at a place begins, with what was taken back in its favour; at the end: the end. */
  from(place: number): number
  /** Behind the last byte before a place. */
  to(place: number): number
  /** The first place with a byte at or behind this one. */
  placeOf(at: number): number
}

/** Whether the bytes may look otherwise than they are. */
export function isDrawn(chunk: Uint8Array): boolean {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
  if ([escape, backspace, nul].some((byte) => bytes.includes(byte))) return true
  for (let at = bytes.indexOf(carriageReturn); at >= 0; at = bytes.indexOf(carriageReturn, at + 1)) if (bytes[at + 1] !== newline) return true
  return false
}

/** 1 for what is drawn, or ends a line. */
const isShown = new Uint8Array(256).fill(1, 32).fill(1, tab, formFeed + 1)

export function drawn(bytes: Buffer): Drawn {
  const kept = Buffer.allocUnsafe(bytes.length)
  // Runs of bytes that are kept: at which place each begins, where it came from, and where what was taken back in favour of its first byte began.
  const runs: { readonly place: number; readonly at: number; readonly begin: number }[] = []
  let count = 0
  let begin: number | undefined
  const { length } = bytes
  for (let at = 0; at < length;) {
    const [from, place] = [at, count]
    for (; at < length; at += 1, count += 1) {
      const byte = bytes[at]!
      if (isShown[byte] === 0 && !(byte === carriageReturn && bytes[at + 1] === newline)) break
      kept[count] = byte
    }
    if (at > from) {
      runs.push({ place, at: from, begin: begin ?? from })
      begin = undefined
    }
    if (at === length) break
    if (bytes[at] === escape) at = endOfSequence(bytes, at)
    else {
      if (bytes[at] === backspace && count > 0 && kept[count - 1] !== newline) {
        count -= 1
        begin = fromOf(runs, count)
        if (runs.at(-1)!.place === count) runs.pop()
      }
      at += 1
    }
  }
  return {
    bytes: kept.subarray(0, count),
    from: (place) => (place < count ? fromOf(runs, place) : bytes.length),
    to: (place) => (place === 0 ? 0 : placeIn(runs, place - 1) + 1),
    placeOf: (at) => {
      const index = lastRun(runs, (run) => run.at <= at)
      if (index < 0) return 0
      const { place, at: from } = runs[index]!
      return Math.min(place + at - from, runs[index + 1]?.place ?? count)
    },
  }
}

type Runs = readonly { readonly place: number; readonly at: number; readonly begin: number }[]

/** The last run of which something is true that is true of those before it; or -1. */
function lastRun(runs: Runs, isSo: (run: Runs[number]) => boolean): number {
  let [low, high] = [0, runs.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isSo(runs[middle]!)) low = middle + 1
    else high = middle
  }
  return low - 1
}

function placeIn(runs: Runs, place: number): number {
  const run = runs[lastRun(runs, (each) => each.place <= place)]!
  return run.at + place - run.place
}

function fromOf(runs: Runs, place: number): number {
  const run = runs[lastRun(runs, (each) => each.place <= place)]!
  return place === run.place ? run.begin : run.at + place - run.place
}

/** `ESC ]`, `ESC P`, `ESC X`, `ESC ^`, `ESC _`. */
const beginsString = byteSet(']PX^_')

/** Behind the control sequence that begins at a place; one whose end has not come yet is all that is there. */
function endOfSequence(bytes: Buffer, from: number): number {
  const kind = bytes[from + 1]
  if (kind === undefined) return bytes.length
  // Strings: titles, links and the like, up to BEL or ESC \.
  if (beginsString[kind] === 1) {
    for (let at = from + 2; at - from < mostOfString; at += 1) {
      if (at >= bytes.length) return bytes.length
      if (bytes[at] === 7) return at + 1
      if (bytes[at] === escape) return bytes[at + 1] === 0x5c || bytes[at + 1] === undefined ? Math.min(bytes.length, at + 2) : at
    }
    return from + 2
  }
  const isLong = kind === 0x5b
  // `ESC [`, parameters, and a letter; `ESC (` and a letter; `ESC` and a letter.
  let at = isLong ? from + 2 : from + 1
  while (at < bytes.length && at - from < mostOfSequence && bytes[at]! >= 0x20 && bytes[at]! < (isLong ? 0x40 : 0x30)) at += 1
  if (at >= bytes.length) return bytes.length
  return bytes[at]! >= 0x30 && bytes[at]! < 0x7f ? at + 1 : at
}
