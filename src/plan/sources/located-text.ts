// Text that knows where each part of it was written, so that a finding about an expanded plan names the file and line
// that its author knows.

import type { Finding } from '../model/finding.ts'

export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
}

export interface LocatedText {
  readonly text: string
  readonly place: (offset: number) => Place
}

/** Text that replaces a range, in pieces that each come from one place. */
export interface LocatedEdit {
  readonly start: number
  readonly end: number
  readonly pieces: readonly { readonly text: string; readonly place: Place }[]
}

export function locateFile(text: string, file: string): LocatedText {
  const starts = lineStarts(text)
  return {
    text,
    place: (offset) => {
      const line = lastAtMost(starts, offset)
      return { file, line: line + 1, column: offset - starts[line]! + 1 }
    },
  }
}

/** Edits may be in any order, but must not overlap. Those at the same offset keep their order. */
export function spliceLocated(source: LocatedText, edits: readonly LocatedEdit[]): LocatedText {
  const texts: string[] = []
  const starts: number[] = []
  const places: ((offset: number) => Place)[] = []
  let length = 0
  let from = 0
  const add = (text: string, place: (offset: number) => Place): void => {
    if (text === '') return
    texts.push(text)
    starts.push(length)
    places.push(place)
    length += text.length
  }
  const copyTo = (to: number): void => {
    const start = from
    add(source.text.slice(start, to), (offset) => source.place(start + offset))
    from = to
  }
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    copyTo(edit.start)
    for (const { text, place } of edit.pieces)
      add(text, (offset) => ({ ...place, line: place.line + text.slice(0, offset).split('\n').length - 1 }))
    from = edit.end
  }
  copyTo(source.text.length)
  return {
    text: texts.join(''),
    place: (offset) => {
      const at = lastAtMost(starts, offset)
      return places[at]?.(offset - starts[at]!) ?? source.place(0)
    },
  }
}

/** Moves a finding about the text to the file and line where that part of it was written. */
export function relocateIn(located: LocatedText): (finding: Finding) => Finding {
  const starts = lineStarts(located.text)
  return (finding) => {
    if (finding.line === undefined) return finding
    const start = starts[finding.line - 1]
    if (start === undefined) return finding
    return { ...finding, ...located.place(Math.min(start + (finding.column ?? 1) - 1, located.text.length)) }
  }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** The index of the last number that is not above `value`; 0 if there is none. */
function lastAtMost(numbers: readonly number[], value: number): number {
  let [low, high] = [0, numbers.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (numbers[middle]! <= value) low = middle
    else high = middle - 1
  }
  return low
}
