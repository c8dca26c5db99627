// The state of a phase, from the marks that plans of phases carry, in order of trust.

import type { ImportedState } from './format.ts'
import { splitMarks, type Markdown } from './markdown.ts'
import { phaseNumber } from './phase-fields.ts'
import { stateOf } from './states.ts'

export interface Claim {
  readonly state: ImportedState
  readonly why: string
}

/** The state that marks such as `✅ COMPLETE` or `⏸️ PENDING` mean; undefined: none of them is known. */
export function stateOfMarks(marks: string): ImportedState | undefined {
  const words = marks.toUpperCase()
  if (/\bNOT (STARTED|DONE|COMPLETED?)\b/.test(words)) return 'pending'
  if (/SKIPPED|CANCELL?ED|REMOVED|DEFERRED|\u23ed|\u{1f6ab}/u.test(words)) return 'dropped'
  if (/FAILED|TIMEOUT|\u274c|\u2716/.test(words)) return 'failed'
  if (/PENDING|READY|BLOCKED|NOT STARTED|\u23f8/.test(words)) return 'pending'
  if (/IN[ _-]PROGRESS|\u26a1|\u{1f6a7}|\u{1f504}|\u23f3|\u231b|\u{1f7e1}/u.test(words)) return 'unknown'
  if (/\bCOMPLETED?\b|\bDONE\b|IMPLEMENTED|\u2705|\u2714|\u2611|\u{1f7e2}/u.test(words)) return 'done'
  return undefined
}

/** The state that a status such as `✅ Implemented` or `executing: phase 7` means. */
export function stateOfStatus(status: string): ImportedState | undefined {
  const { title, marks } = splitMarks(status)
  const first = title.split(/\s[-\u2013\u2014]\s|[:(]/)[0]!.trim()
  return stateOf(first) ?? stateOf(title) ?? stateOfMarks(`${marks} ${first.toUpperCase()}`)
}

const beforeWork =
  /^(draft|review|ready|initiali[sz]|clarif|plann|proposed|approved|awaiting|pending|not started|new\b|todo)/i
const atWork = /^(executing|in[ _-]progress|implementing|partial|running|started)/i
const afterWork = /^(done|implemented|executed|completed?|finished|shipped|merged)\b/i

/** What the status of the whole plan says about its phases. */
export function planPhase(status: string): 'before' | 'at-work' | 'after' | undefined {
  const { title, marks } = splitMarks(status)
  const text = title.replace(/^[^\p{L}]+/u, '')
  const words = `${marks} ${text}`
  if (atWork.test(text) || /IN[ _-]PROGRESS/.test(words)) return 'at-work'
  if (beforeWork.test(text) || /\b(PENDING|READY)\b/.test(marks)) return 'before'
  return afterWork.test(text) || /\b(COMPLETED?|DONE|IMPLEMENTED)\b/.test(marks) ? 'after' : undefined
}

/** Lists and tables under a heading such as `Phases Completed`. */
export function completedSections(source: Markdown): ReadonlyMap<string, Claim & { readonly line: number }> {
  const found = new Map<string, Claim & { line: number }>()
  const first = new RegExp(`^\\s*(?:[-*+]|\\d+[.)]|\\|)\\s*(?:\\[[ xX]\\]\\s*)?\\W*phase\\s+(${phaseNumber})`, 'i')
  for (const heading of source.headings()) {
    if (!/\bphases? (completed|status|complete)\b|\bcompleted phases\b/i.test(heading.text)) continue
    for (let index = heading.index + 1; index < source.endOf(heading); index++) {
      const line = source.visible[index]!
      const number = first.exec(line)?.[1]?.toLowerCase()
      if (number === undefined || found.has(number)) continue
      const state = stateOfMarks(line) ?? (/completed/i.test(heading.text) ? 'done' : 'unknown')
      found.set(number, { state, why: `listed under "${heading.text}"`, line: index + 1 })
    }
  }
  return found
}

/** The section `Execution Checkpoints`: list items `- phase_N:` with indented keys, also in a code block. */
export function checkpointsIn({ lines }: Markdown): ReadonlyMap<string, Claim & { readonly line: number }> {
  const found = new Map<string, Claim & { line: number }>()
  for (const [index, line] of lines.entries()) {
    const number = /^\s*- phase_(\d{1,4}(?:[._]\d{1,3})?[a-zA-Z]?):\s*$/
      .exec(line)?.[1]
      ?.replace('_', '.')
      .toLowerCase()
    if (number === undefined) continue
    const keys: string[] = []
    let state: ImportedState | undefined
    for (const below of lines.slice(index + 1, index + 20)) {
      const [, key, value = ''] = /^\s+([a-z_]+):\s*(.*)$/.exec(below) ?? []
      if (key === undefined) break
      if (key === 'status') state = stateOf(value)
      keys.push(`${key} ${value.replace(/^"(.*)"$/, '$1')}`)
    }
    found.set(number, { state: state ?? 'unknown', why: keys.join('; '), line: index + 1 })
  }
  return found
}
