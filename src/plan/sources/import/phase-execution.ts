// The record of an execution of phases (`execution-of-….md`): boxes `- [x] Phase N: Name [completed …]` with boxes
// below them.

import { refuseTooMany, type ImportedStep } from './format.ts'
import type { FrontMatter } from './front-matter.ts'
import { textIn } from './json.ts'
import { plainText, splitMarks, type Box, type Markdown } from './markdown.ts'
import { Notes, quote } from './notes.ts'
import { phaseNumber } from './phase-fields.ts'
import { planPhase } from './phase-states.ts'

const phaseText = new RegExp(`^\\W*Phase (${phaseNumber}):?\\s*(.*)$`, 'iu')

const phaseBoxes = (source: Markdown): Box[] =>
  source.boxes().filter(({ text, indent }) => indent === 0 && phaseText.test(plainText(text)))

export const isExecution = (source: Markdown): boolean =>
  phaseBoxes(source).length > 0 && (source.front ?? []).some((line) => /^(plan_file|phases|stop_reason):/.test(line))

export function executionSteps(source: Markdown, front: FrontMatter, notes: Notes): ImportedStep[] {
  const boxes = source.boxes()
  const own = phaseBoxes(source)
  refuseTooMany(boxes.length)
  const status = textIn(front.value.status)
  const steps = own.map((box, at): ImportedStep => {
    const [, number = '', rest = ''] = phaseText.exec(plainText(box.text)) ?? []
    const when = /\[([^\]]*)\]\s*$/.exec(rest)?.[1]
    const end = own[at + 1]?.index ?? source.headings(box.index)[0]?.index ?? source.lines.length
    const below = boxes.filter(({ index, indent }) => index > box.index && index < end && indent > box.indent)
    const open = below.filter(({ mark }) => !/^x$/i.test(mark))
    const isDone = /^x$/i.test(box.mark)
    const line = box.index + 1
    if (isDone && open.length > 0)
      notes.contradiction(`Phase ${number} is ticked, but ${open.length} of ${below.length} boxes below it are not`, {
        line,
      })
    if (!isDone && status !== undefined && planPhase(status) === 'after')
      notes.contradiction(`the execution is ${quote(status)}, but Phase ${number} is not ticked`, { line })
    const later = own.slice(at + 1).find(({ mark }) => /^x$/i.test(mark))
    if (!isDone && later !== undefined)
      notes.contradiction(`Phase ${number} is not ticked, but the one in line ${later.index + 1} after it is`, { line })
    source.take(box.index)
    for (const { index } of below) source.take(index)
    const isBegun = box.mark !== '' || below.length > open.length
    const begun = [
      ...(box.mark === '' ? [] : [`box [${box.mark}]`]),
      ...(below.length === 0 ? [] : [`${below.length - open.length} of ${below.length} boxes below it are ticked`]),
    ].join(', ')
    if (!isDone && isBegun) notes.unknown(`Phase ${number} is begun (${begun}): it may or may not be done`, { line })
    return {
      id: `phase ${number.toLowerCase()}`,
      title: splitMarks(rest.replace(/\[[^\]]*\]\s*$/, '')).title || `Phase ${number}`,
      line,
      state: isDone ? 'done' : isBegun ? 'unknown' : 'pending',
      why: isDone ? (when ?? 'its box is ticked') : isBegun ? begun : undefined,
      criteria: below.map(({ text }) => plainText(text)),
    }
  })
  for (const [index, text] of source.visible.entries()) {
    const item = /^[-*+][ \t]+(?!\[)(.*)$/.exec(text)?.[1]
    if (item !== undefined && phaseText.test(plainText(item)))
      notes.lost(`a phase without a box is not a step; kept as text: ${quote(item)}`, { line: index + 1 })
  }
  const plan = textIn(front.value.plan_file)
  if (plan !== undefined)
    notes.lost(`this is the record of an execution; owners and dependencies are in ${plan}, which is not read`, {
      line: front.line(['plan_file']),
    })
  const reason = textIn(front.value.stop_reason)
  if (reason !== undefined) notes.unknown(`the execution stopped: ${reason}`, { line: front.line(['stop_reason']) })
  return steps
}
