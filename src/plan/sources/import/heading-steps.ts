// The steps of a plan in free Markdown: numbered headings, else boxes, else the numbered list.

import type { ImportedStep } from './format.ts'
import { boxSteps } from './checklist.ts'
import { Markdown, splitMarks, type Heading } from './markdown.ts'
import type { Notes } from './notes.ts'
import { stateOfMarks } from './phase-states.ts'

const stepHeading =
  /^\W{0,4}(?:(?:Step|Task|Phase|Part|Change|Milestone)\s+)?(\d{1,3}(?:\.\d{1,3})?[a-z]?)\s*[.:)\u2013\u2014-]\s*(.+)$/iu
const stepSection =
  /^\W*(?:\d+[.)]\s*)?(?:implementation|steps?|changes?|tasks?|plan|to-?dos?|approach|implementation (?:steps|plan)|proposed changes|execution|work)\b/iu
const otherSection =
  /^(?:context|overview|background|verification|testing|files|risks?|notes|summary|open questions)\b/i

export const isStepHeading = ({ text, level }: Heading): boolean => level > 1 && stepHeading.test(text)

/** `from`: where the plan begins. */
export function freeSteps(source: Markdown, notes: Notes): ImportedStep[] {
  const headings = source.headings()
  const section = headings.find(({ text, level }) => level > 1 && stepSection.test(text) && !stepHeading.test(text))
  const inside = section === undefined ? undefined : { from: section.index + 1, to: source.endOf(section) }
  const all = { from: source.start, to: source.lines.length }
  for (const range of [inside, all]) {
    if (range === undefined) continue
    const steps = headingSteps(source, headings, range)
    if (steps.length > 0) return steps
  }
  if (source.boxes().length > 0) return boxSteps(source, all, notes)
  for (const range of [inside, all]) {
    const steps = range === undefined ? [] : listSteps(source, range)
    if (steps.length > 0) return steps
  }
  return []
}

function headingSteps(
  source: Markdown,
  headings: readonly Heading[],
  { from, to }: { from: number; to: number },
): ImportedStep[] {
  const found = headings.filter((each) => each.index >= from && each.index < to && isStepHeading(each))
  // Deeper numbered headings are parts of a step.
  const level = Math.min(...found.map((each) => each.level))
  return found
    .filter((each) => each.level === level)
    .filter(({ text }) => !otherSection.test(text.replace(/^\W*\d+\W+/, '')) || found.length < 2)
    .map((heading) => {
      const [, number = '', rest = ''] = stepHeading.exec(heading.text) ?? []
      const { title, marks } = splitMarks(rest)
      const state = stateOfMarks(marks)
      const end = Math.min(source.endOf(heading), to)
      source.take(heading.index, end)
      return {
        id: `step ${number}`,
        title,
        line: heading.index + 1,
        state: state ?? 'pending',
        why: state === undefined ? undefined : `its heading says ${marks}`,
        text: source.lines
          .slice(heading.index + 1, end)
          .join('\n')
          .replace(/\n---\s*$/, '')
          .trim(),
      }
    })
}

/** The first numbered list at the left edge. */
function listSteps(source: Markdown, { from, to }: { from: number; to: number }): ImportedStep[] {
  const steps: { number: string; title: string; index: number }[] = []
  for (let index = from; index < to; index++) {
    const [, number, title] = /^ {0,1}(\d{1,3})[.)]\s+(.+)$/.exec(source.visible[index]!) ?? []
    if (steps.length > 0 && /^ {0,3}#/.test(source.visible[index]!)) break
    if (number === undefined || title === undefined) continue
    if (steps.length > 0 && Number(number) <= Number(steps.at(-1)!.number)) break
    steps.push({ number, title, index })
  }
  const stop = source.headings(steps.at(-1)?.index ?? from)[0]?.index ?? to
  return steps.map(({ number, title, index }, at) => {
    const limit = steps[at + 1]?.index ?? Math.min(stop, to)
    let end = index + 1
    while (end < limit && (source.lines[end]!.trim() === '' || /^\s{2,}|^\t/.test(source.lines[end]!))) end++
    source.take(index, end)
    return {
      id: `step ${number}`,
      title: splitMarks(title).title,
      line: index + 1,
      state: 'pending',
      text: source.lines
        .slice(index + 1, end)
        .map((line) => line.replace(/^ {2,4}/, ''))
        .join('\n')
        .trim(),
    }
  })
}
