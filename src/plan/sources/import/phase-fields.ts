// The section of a phase: its fields, written as `**Name:** value`, several in a line, or as rows of a table.

import { plainText, type Markdown } from './markdown.ts'

export interface Field {
  readonly index: number
  readonly name: string
  readonly value: string
  /** The lines below it that belong to it, up to the next field. */
  readonly below: readonly number[]
  /** It is the only one in its line. */
  readonly isAlone: boolean
}

const start = /^\s*(?:[-*+]\s+)?\*\*([^*]{1,60}?)(?::\*\*|\*\*\s*:)\s*(.*)$/
const row = /^\s*\|\s*\*\*([^*|]{1,60}?):?\*\*\s*\|(.*?)\|?\s*$/

export function fieldsIn(source: Markdown, from: number, to: number): Field[] {
  const starts: Omit<Field, 'below'>[] = []
  for (let index = from; index < to; index++) {
    const line = source.visible[index] ?? ''
    const cells = row.exec(line)
    if (cells !== null) {
      starts.push({ index, name: nameOf(cells[1]!), value: cells[2]!.trim(), isAlone: true })
      continue
    }
    const parts = line.split(/\s+\|\s+(?=\*\*)/)
    const found = parts.map((part) => start.exec(part))
    if (found.some((each) => each === null)) continue
    for (const each of found)
      starts.push({ index, name: nameOf(each![1]!), value: each![2]!.trim(), isAlone: found.length === 1 })
  }
  const bounds = [...starts, ...source.headings(from, to)].map(({ index }) => index).toSorted((a, b) => a - b)
  let next = 0
  return starts.map((field) => {
    while (next < bounds.length && bounds[next]! <= field.index) next++
    const end = bounds[next] ?? to
    return { ...field, below: Array.from({ length: end - field.index - 1 }, (_, offset) => field.index + 1 + offset) }
  })
}

const nameOf = (text: string): string => plainText(text).toLowerCase().replace(/\s+/g, ' ')

/** The numbers of phases: 0, 1, 2.5, 7a, 1A. */
export const phaseNumber = '\\d{1,4}(?:\\.\\d{1,3})?[a-zA-Z]?(?![\\w.]*\\w)'
const joint = '\\s*(?:,\\s*and|,|and|&|\\+|-|\u2013|to|through)\\s*'
const listed = new RegExp(`(${phaseNumber})((?:${joint}(?:phases?\\s+)?${phaseNumber})*)`, 'gi')
const named = new RegExp(`phases?\\s+(${phaseNumber}(?:${joint}(?:phases?\\s+)?${phaseNumber})*)`, 'gi')

/**
 * The phases that a text names, in the order of `all`. A reason in parentheses names other phases and is cut first;
 * `isExact` is false if there are words that nobody understood.
 */
export function phasesIn(
  text: string,
  all: readonly string[],
  before: readonly string[] = [],
): { numbers: string[]; isExact: boolean } {
  const plain = withoutParentheses(plainText(text)).replace(/`/g, '').trim()
  if (
    /^(none|n\/a|nothing|-|\u2013|\u2014|no dependencies)\b[\s.;:,\u2013\u2014-]*/i.test(plain) ||
    /^[-\u2013\u2014]$/.test(plain)
  )
    return { numbers: [], isExact: true }
  if (/^all (previous|prior|preceding|earlier|other)\b/i.test(plain)) return { numbers: [...before], isExact: true }
  const lists = [...plain.matchAll(named)].map(([, list]) => list!)
  if (lists.length === 0 && new RegExp(`^${listed.source}$`, 'i').test(plain)) lists.push(plain)
  const numbers = new Set(lists.flatMap((list) => expand(list, all)))
  const left = plain
    .replace(named, '')
    .replace(/\b(complete|completed|done|finished|and|must be|is|are)\b|[\s,.;&+]/gi, '')
  return { numbers: [...numbers], isExact: numbers.size > 0 && (left === '' || lists[0] === plain) }
}

function withoutParentheses(text: string): string {
  let plain = text
  for (let before = ''; before !== plain;) {
    before = plain
    plain = plain.replace(/\([^()]*\)/g, ' ')
  }
  return plain.replace(/\(.*$/s, '')
}

/** `1-4` means the phases from 1 to 4 in the order of the file. */
function expand(list: string, all: readonly string[]): string[] {
  const found: string[] = []
  let range = false
  for (const [token] of list.matchAll(new RegExp(`${phaseNumber}|-|\u2013|\\bto\\b|through`, 'gi'))) {
    if (/^\d/.test(token)) {
      const [first, last] = [all.indexOf(found.at(-1)?.toLowerCase() ?? ''), all.indexOf(token.toLowerCase())]
      if (range && first >= 0 && last > first) found.push(...all.slice(first + 1, last + 1))
      else found.push(token.toLowerCase())
      range = false
    } else range = true
  }
  return found
}
