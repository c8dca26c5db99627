// pi-planner: `.pi/plans/PLAN-<8 hex>.md`, with the log of its executions in `sessions/`.

import { type ImportFormat, type ImportInput, type ImportedState, type ImportedStep } from './format.ts'
import { isMap, keysAsList, restKeys, textIn, tryJson, type Json } from './json.ts'
import { singleLine } from '../../text/display.ts'
import { Markdown } from './markdown.ts'
import { nameOf, Notes, quote } from './notes.ts'

const isLog = (path: string): boolean => path.endsWith('.jsonl')
/** The expression of the tool itself: any line of the steps that it does not match is deleted at the next write. */
const ownLine = /^\d+\.\s+(.+?)\s+\((\S+?):\s+(\S+?)(?:\s+→\s+(.+?))?\)$/
const anyLine = /^(?:\d+[.)]|[-*+])\s+(.+)$/

export const piPlanner: ImportFormat = {
  name: 'pi-planner',
  tool: 'pi-planner',
  usual: '.pi/plans/PLAN-<id>.md',
  recognizes({ files, location }) {
    const plans = files.filter(({ path }) => !isLog(path))
    const [plan] = plans
    if (plans.length !== 1 || plan === undefined || !plan.path.endsWith('.md')) return undefined
    const { front = [], visible } = new Markdown(plan.text)
    if (!front.some((line) => line.startsWith('status:')) || !visible.some((line) => /^## Steps\s*$/.test(line)))
      return undefined
    const isNamed = front.some((line) => /^id: *"?PLAN-/.test(line)) || /(^|\/)PLAN-[^/]*\.md$/.test(location)
    return isNamed ? 'certain' : 'possible'
  },
  companions: ({ path }) => [
    { directory: 'sessions', name: new RegExp(`^${path.replace(/\.md$/, '').replace(/[^\w-]/g, '\\$&')}\\.jsonl$`) },
  ],
  read(input) {
    const file = input.files.find(({ path }) => !isLog(path))!
    const notes = new Notes()
    if (file.text.includes('\r\n'))
      notes.lost('the file has CRLF line ends; pi-planner itself does not read it', { line: 1 })
    const source = new Markdown(file.text)
    const front = readFront(source.front ?? [])
    const { value } = front
    for (const { text, line } of front.others)
      notes.lost(`a line of the front matter that belongs to no key; kept as text: ${quote(text)}`, { line })
    const status = textIn(value.status) ?? 'proposed'
    const found = readSteps(source, notes)
    const log = readLog(input, found.filter(({ isOwn }) => isOwn).length, notes)
    let own = -1
    const steps = found.map(({ isOwn, ...step }): ImportedStep => {
      if (isOwn) own++
      return { ...step, ...stateOfStep(status, isOwn ? log.get(own) : undefined) }
    })
    reportStatus(status, { line: front.line('status'), steps, log: [...log.values()] }, notes)
    const more = restKeys(value, ['title'])
    return {
      title: textIn(value.title) ?? nameOf(input.location),
      steps,
      notes: notes.all,
      prose: [keysAsList(value, more), front.others.map(({ text }) => text).join('\n'), source.rest()]
        .filter(Boolean)
        .join('\n\n'),
      ...(['rejected', 'cancelled'].includes(status) ? { refused: `${status} in pi-planner, before the import` } : {}),
    }
  },
}

/** Not YAML: the tool reads line by line, all values are texts, and comments are part of them. */
function readFront(front: readonly string[]): {
  value: Json
  line: (key: string) => number | undefined
  /** A line break in a value is written as it is, and the tool loses the rest. */
  others: readonly { readonly text: string; readonly line: number }[]
} {
  const others: { text: string; line: number }[] = []
  const value: Record<string, unknown> = {}
  const lines = new Map<string, number>()
  let list: string[] | undefined
  for (const [index, line] of front.entries()) {
    const entry = /^\s+-\s+(.+)$/.exec(line)?.[1]
    if (entry !== undefined && list !== undefined) {
      list.push(entry)
      continue
    }
    const [, key, text = ''] = /^(\S+?):\s*(.*)$/.exec(line) ?? []
    list = key !== undefined && text === '' ? [] : undefined
    if (key === undefined || key === '__proto__') {
      if (line.trim() !== '') others.push({ text: line, line: index + 2 })
      continue
    }
    value[key] = list ?? (/^".*"$/.test(text) ? text.slice(1, -1).replaceAll('\\"', '"') : text)
    lines.set(key, index + 2)
  }
  return { value, line: (key) => lines.get(key), others }
}

type ReadStep = Omit<ImportedStep, 'state'> & { readonly isOwn: boolean }

function readSteps(source: Markdown, notes: Notes): ReadStep[] {
  const heading = source.headings().find(({ level, text }) => level === 2 && text === 'Steps')
  if (heading === undefined) return []
  const end = source.headings(heading.index + 1).find(({ level }) => level === 2)?.index ?? source.lines.length
  source.take(heading.index)
  const steps: { id: string; title: string; line: number; text: string[]; isOwn: boolean }[] = []
  for (let index = heading.index + 1; index < end; index++) {
    const line = source.lines[index]!
    if (line.trim() === '') continue
    const own = ownLine.exec(line)
    const any = anyLine.exec(line)?.[1]
    const at = { line: index + 1 }
    if (own === null)
      notes.lost(
        `pi-planner does not read this line as a step and would delete it; ${any === undefined ? 'it is kept as text' : 'it is carried over as a step'}: ${quote(line)}`,
        at,
      )
    if (own !== null || any !== undefined) {
      const [, title, tool, operation, target] = own ?? []
      const uses =
        own === null
          ? []
          : [`Tool: ${tool}, operation: ${operation}${target === undefined ? '' : `, target: ${target}`}`]
      steps.push({
        id: `step ${steps.length + 1}`,
        title: title ?? any!,
        line: index + 1,
        text: uses,
        isOwn: own !== null,
      })
    } else if (steps.length > 0) steps.at(-1)!.text.push(line.trim())
    // Text before the first step stays prose.
    if (steps.length > 0) source.take(index)
  }
  return steps.map((step) => ({ ...step, text: step.text.join('\n') }))
}

type Entry = Pick<ImportedStep, 'state' | 'why'>

/** The last entry of each step, which the extension counts from 0. A log is appended to by every retry. */
function readLog({ files }: ImportInput, count: number, notes: Notes): ReadonlyMap<number, Entry> {
  const log = new Map<number, Entry>()
  for (const { path, text } of files.filter((file) => isLog(file.path)))
    for (const [index, line] of text.split('\n').entries()) {
      if (line.trim() === '') continue
      const at = { file: path, line: index + 1 }
      const entry = tryJson(line)
      if (!isMap(entry)) {
        notes.lost('this line of the log is not JSON and is skipped', at)
        continue
      }
      const summary = textIn(entry.summary)
      if (summary !== undefined)
        notes.lost(`the summary of the execution is not carried over: ${singleLine(summary)}`, at)
      if (typeof entry.step !== 'number') continue
      const status = textIn(entry.status) ?? 'no status'
      if (entry.step < 0 || entry.step >= count)
        notes.contradiction(`the log names step ${entry.step}, counted from 0, of a plan with ${count} steps`, at)
      const state: ImportedState = status === 'success' ? 'done' : status === 'failed' ? 'failed' : 'unknown'
      const why = [status, textIn(entry.timestamp), textIn(entry.error) ?? textIn(entry.result_summary)]
      log.set(entry.step, { state, why: why.filter((part) => part !== undefined).join(', ') })
    }
  return log
}

function stateOfStep(status: string, entry: Entry | undefined): Entry {
  if (status === 'completed')
    return entry === undefined || entry.state === 'done'
      ? { state: 'done', why: entry?.why ?? 'the plan is completed' }
      : { state: 'unknown', why: `the plan is completed, but the log says ${entry.why}` }
  if (['proposed', 'approved', 'rejected', 'cancelled'].includes(status)) return entry ?? { state: 'pending' }
  return entry ?? { state: 'unknown', why: `the plan is ${status}, and the log has no entry for this step` }
}

const statuses = 'proposed approved executing completed failed rejected cancelled stalled needs_review'.split(' ')

function reportStatus(
  status: string,
  { line, steps, log }: { line: number | undefined; steps: readonly ImportedStep[]; log: readonly Entry[] },
  notes: Notes,
): void {
  if (status === 'approved')
    notes.approval('the plan is approved in pi-planner; here it needs an approval of its own', { line })
  if (!statuses.includes(status)) notes.unknown(`the plan has the status ${quote(status)}, which is unknown`, { line })
  if (['proposed', 'approved'].includes(status) && log.length > 0)
    notes.contradiction(`the plan is ${status}, but its log has entries of an execution`, { line })
  const open = steps.filter(({ state }) => state === 'unknown').length
  if (open > 0) notes.unknown(`the plan is ${status}: of ${open} steps it is not known whether they are done`, { line })
}
