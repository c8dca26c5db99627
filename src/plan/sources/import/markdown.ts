// A Markdown source: its lines without code blocks and comments, its headings, its boxes, and the lines that nobody took.

export interface Heading {
  readonly index: number
  readonly level: number
  readonly text: string
}

export interface Box {
  readonly index: number
  /** Columns before the mark of the list. */
  readonly indent: number
  /** The letter or word in the brackets; a blank box has ''. */
  readonly mark: string
  readonly text: string
}

export class Markdown {
  readonly lines: readonly string[]
  /** The same lines as far as they are text: empty in code blocks, comments and front matter. */
  readonly visible: readonly string[]
  /** The lines between the fences of the front matter. */
  readonly front: readonly string[] | undefined
  /** The first line after the front matter. */
  readonly start: number
  /** The line of a code block that never ends, counted from 0. */
  readonly openFence: number | undefined
  readonly #taken = new Set<number>()
  #headings: readonly Heading[] | undefined

  constructor(text: string) {
    this.lines = text.split(/\r?\n/)
    const end =
      this.lines[0]?.trimEnd() === '---' ? this.lines.findIndex((line, at) => at > 0 && /^---\s*$/.test(line)) : -1
    this.front = end > 0 ? this.lines.slice(1, end) : undefined
    this.start = end > 0 ? end + 1 : 0
    const { visible, openFence } = visibleLines(this.lines, this.start)
    this.visible = visible
    this.openFence = openFence
  }

  /** Of the text from line to line, counted from 0. */
  headings(from = this.start, to = this.lines.length): Heading[] {
    // Read once: formats ask for the headings of every section.
    this.#headings ??= this.visible.flatMap((line, index) => {
      const [, marks, text] = /^ {0,3}(#{1,6})[ \t]+(.*)$/.exec(line) ?? []
      return marks === undefined || text === undefined
        ? []
        : [{ index, level: marks.length, text: text.replace(/[ \t]{1,100}#{1,100}[ \t]{0,100}$/, '').trim() }]
    })
    return this.#headings.filter(({ index }) => index >= from && index < to)
  }

  boxes(from = this.start, to = this.lines.length): Box[] {
    return this.visible.slice(from, to).flatMap((line, offset) => {
      const [, indent, mark, text] =
        /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ \t]?|[^[\]()]{1,20})\](?!\()(.*)$/.exec(line) ?? []
      if (indent === undefined || mark === undefined || text === undefined) return []
      return [{ index: from + offset, indent: widthOf(indent), mark: mark.trim(), text: text.trim() }]
    })
  }

  /** The line after the section of a heading: the next heading of its level or above. */
  endOf({ index, level }: Heading): number {
    return this.headings(index + 1).find((next) => next.level <= level)?.index ?? this.lines.length
  }

  /** Marks lines as carried over in another way than as prose. */
  take(from: number, to = from + 1): void {
    for (let index = from; index < to; index++) this.#taken.add(index)
  }

  isTaken(index: number): boolean {
    return this.#taken.has(index)
  }

  /** The text that nobody took. */
  rest(): string {
    return this.lines
      .filter((_, index) => index >= this.start && !this.#taken.has(index))
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim()
  }
}

const maxLine = 5000

const widthOf = (blanks: string): number => blanks.replaceAll('\t', '    ').length

function visibleLines(lines: readonly string[], start: number): { visible: string[]; openFence: number | undefined } {
  let fence: { mark: string; at: number } | undefined
  let isComment = false
  let isInList = false
  let isCode = false
  let isAfterBlank = true
  // Four columns after a blank line are code, unless they belong to an item of a list.
  const isIndentedCode = (line: string): boolean => {
    if (line.trim() === '') {
      isAfterBlank = true
      return false
    }
    const width = widthOf(/^[ \t]*/.exec(line)![0])
    isCode = !isInList && width >= 4 && (isAfterBlank || isCode)
    if (!isCode && /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/.test(line)) isInList = true
    else if (width < 2 && (isAfterBlank || line.startsWith('#'))) isInList = false
    isAfterBlank = false
    return isCode
  }
  const visible = lines.map((line, index) => {
    // A line that no person wrote stays prose: expressions would take too long.
    if (index < start || line.length > maxLine) return ''
    if (fence === undefined && !isComment && isIndentedCode(line)) return ''
    const mark = isComment ? undefined : /^[ \t]*(?:[-*+]|\d{1,9}[.)])?[ \t]*(`{3,}|~{3,})/.exec(line)
    if (fence !== undefined) {
      const own = /^[ \t]*(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1]
      if (own !== undefined && own[0] === fence.mark[0] && own.length >= fence.mark.length) fence = undefined
      return ''
    }
    // An inline span of three backticks in one line is no fence.
    if (mark?.[1] !== undefined && !(mark[1].startsWith('`') && line.slice(mark[0].length).includes('`'))) {
      fence = { mark: mark[1], at: index }
      return ''
    }
    let text = ''
    for (let rest = line; rest !== '';) {
      const at = rest.indexOf(isComment ? '-->' : '<!--')
      if (!isComment) text += at < 0 ? rest : rest.slice(0, at)
      if (at < 0) break
      rest = rest.slice(at + (isComment ? 3 : 4))
      isComment = !isComment
    }
    return text
  })
  return { visible, openFence: fence?.at }
}

/** The text of a list item or heading without the marks of Markdown around it. */
export const plainText = (text: string): string =>
  text
    .replace(/\*\*|__(?=\S)|(?<=\S)__/g, '')
    .replace(/^~~|~~$/g, '')
    .trim()

const emoji =
  /[\u2705\u2714\u2611\u274c\u2716\u23f8\u23f3\u231b\u26a1\u{1f6a7}\u{1f504}\u{1f501}\u{1f7e1}\u{1f7e2}\u{1f534}\u{1f195}\u{1f51c}\u26a0\u{1f6ab}\u26d4\u{1f389}\u{1f512}\u23ed]\ufe0f?/gu
const words =
  'COMPLETED?|DONE|PENDING|READY|BLOCKED|SKIPPED|IN[ _-]PROGRESS|FAILED|TIMEOUT|CANCELL?ED|REMOVED|DEFERRED|NOT STARTED|IMPLEMENTED'
const trailingWord = new RegExp(`(?:^|[\\s(\\[\u2013\u2014:-]+)(${words})[\\s)\\]!.]*$`)
const leadingWord = new RegExp(`^[(\\[]?(${words})(?:[)\\]:]+|\\s+[-\u2013\u2014])\\s+`)

/** A title without the marks of its state, and those marks. */
export function splitMarks(text: string): { title: string; marks: string } {
  const found = [...text.matchAll(emoji)].map(([mark]) => mark)
  let title = plainText(text.replace(emoji, ' ').replace(/[ \t]+/g, ' '))
  for (const pattern of [trailingWord, leadingWord]) {
    const word = pattern.exec(title)?.[1]
    if (word === undefined) continue
    found.push(word)
    title = title.replace(pattern, '').trim()
  }
  return { title: title.replace(/[\s\u2013\u2014-]+$/, '') || plainText(text), marks: found.join(' ') }
}
