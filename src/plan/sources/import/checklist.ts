// A list of boxes in Markdown, as GitHub shows it. Deeper boxes belong to the one above, and headings group.

import { refuseTooMany, UnreadableSource, type ImportFormat, type ImportedStep } from './format.ts'
import { readFrontMatter } from './front-matter.ts'
import { keysAsList, restKeys, textIn } from './json.ts'
import { Markdown, plainText, splitMarks, type Box } from './markdown.ts'
import { nameOf, Notes, quote } from './notes.ts'
import { stateOf } from './states.ts'

const isBox = ({ mark }: Box): boolean => /^[xX~/-]?$/.test(mark)

export const checklist: ImportFormat = {
  name: 'checklist',
  tool: 'a checklist',
  usual: 'any Markdown file with boxes',
  recognizes({ files }) {
    const file = files[0]
    if (files.length !== 1 || file === undefined || !/\.(md|markdown|mdc)$/i.test(file.path)) return undefined
    return new Markdown(file.text).boxes().some(isBox) ? 'possible' : undefined
  },
  read({ files, location }) {
    const source = new Markdown(files[0]!.text)
    const notes = new Notes()
    const front = readFrontMatter(source, notes)
    const steps = boxSteps(source, { from: source.start, to: source.lines.length }, notes)
    if (steps.length === 0) throw new UnreadableSource('it has no boxes such as `- [ ] text`', { line: 1 })
    const title = source.headings().find(({ level }) => level === 1)
    if (title !== undefined) source.take(title.index)
    reportNumbered(source, notes)
    return {
      title: title === undefined ? (textIn(front.value.title) ?? nameOf(location)) : splitMarks(title.text).title,
      steps,
      notes: notes.all,
      prose: [keysAsList(front.value, restKeys(front.value, [])), source.rest()].filter(Boolean).join('\n\n'),
    }
  },
}

/** Numbered lines may be steps to their author. */
function reportNumbered(source: Markdown, notes: Notes): void {
  const isNumbered = (index: number): boolean =>
    /^\d{1,9}[.)][ \t]+(?!\[.?\])\S/.test(source.visible[index] ?? '') && !source.isTaken(index)
  const lines = source.visible.flatMap((text, index) => (isNumbered(index) ? [{ text, index }] : []))
  for (const [at, { text, index }] of lines.entries()) {
    // One note per list.
    if (at > 0 && index - lines[at - 1]!.index <= 2) continue
    const next = lines.findIndex((each, other) => other > at && each.index - lines[other - 1]!.index > 2)
    const more = (next < 0 ? lines.length : next) - at - 1
    notes.lost(
      `a numbered line without a box is not a step; kept as text: ${quote(text)}${more === 0 ? '' : ` and ${more} more`}`,
      {
        line: index + 1,
      },
    )
  }
}

/** A step for each box that is in no other box. */
export function boxSteps(source: Markdown, { from, to }: { from: number; to: number }, notes: Notes): ImportedStep[] {
  const all = source.boxes(from, to)
  const boxes = all.filter((box) => isBox(box) || stateOf(box.mark) !== undefined)
  refuseTooMany(boxes.length)
  for (const box of all.filter((each) => !boxes.includes(each)))
    notes.unknown(`the box [${box.mark}] is unknown; kept as text: ${quote(box.text)}`, { line: box.index + 1 })
  const headings = source.headings(from, to)
  const top: { box: Box; inner: Box[] }[] = []
  for (const box of boxes) {
    const last = top.at(-1)
    const isNew = last === undefined || headings.some(({ index }) => index > last.box.index && index < box.index)
    if (isNew || box.indent <= last.box.indent) top.push({ box, inner: [] })
    else last.inner.push(box)
  }
  return top.map(({ box, inner }, at) => {
    const next = top[at + 1]?.box.index ?? to
    const end = ownEnd(source, box, Math.min(next, headings.find(({ index }) => index > box.index)?.index ?? to))
    const isInner = new Set(inner.map(({ index }) => index))
    const below = Array.from({ length: end - box.index - 1 }, (_, offset) => box.index + 1 + offset)
    source.take(box.index, end)
    const { state, why } = stateOfBox(box, notes)
    const open = inner.filter(({ mark }) => !/^x$/i.test(mark))
    const line = box.index + 1
    if (state === 'done' && open.length > 0)
      notes.contradiction(
        `${quote(box.text)} is ticked, but ${open.length} of ${inner.length} boxes below it are not`,
        { line },
      )
    if (state === 'pending' && inner.length > 0 && open.length === 0)
      notes.contradiction(`${quote(box.text)} is not ticked, but all ${inner.length} boxes below it are`, { line })
    const group = headings.findLast(({ index, level }) => index < box.index && level > 1)
    return {
      id: `item ${at + 1}`,
      title: splitMarks(box.text).title || `Item ${at + 1}`,
      line,
      state,
      why,
      text: [
        ...(group === undefined ? [] : [`Under "${splitMarks(group.text).title}"`]),
        ...below.filter((index) => !isInner.has(index)).map((index) => source.lines[index]!.replace(/^ {2,4}|^\t/, '')),
      ]
        .join('\n')
        .trim(),
      criteria: inner.map(({ text, mark }) => `${plainText(text)}${mark === '' ? '' : ` [${mark}]`}`),
    }
  })
}

/** The lines of an item: deeper ones, and blank ones between them. */
function ownEnd(source: Markdown, box: Box, limit: number): number {
  let end = box.index + 1
  for (let index = end; index < limit; index++) {
    const line = source.lines[index]!
    if (line.trim() === '') continue
    if (/^[ \t]*/.exec(line)![0].replaceAll('\t', '    ').length <= box.indent) break
    end = index + 1
  }
  return end
}

function stateOfBox({ mark, index, text }: Box, notes: Notes): Pick<ImportedStep, 'state' | 'why'> {
  if (mark === '') return { state: 'pending' }
  if (/^x$/i.test(mark)) return { state: 'done', why: 'its box is ticked' }
  const state = stateOf(mark) ?? 'unknown'
  if (state === 'unknown')
    notes.unknown(`the box [${mark}] of ${quote(text)} says neither done nor open`, { line: index + 1 })
  return { state, why: `box [${mark}]` }
}
