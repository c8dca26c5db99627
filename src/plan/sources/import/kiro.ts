// Kiro: `.kiro/specs/<name>/tasks.md`, numbered boxes in two levels.

import { refuseTooMany, UnreadableSource, type ImportFormat, type ImportedState, type ImportedStep } from './format.ts'
import { Markdown, plainText, type Box } from './markdown.ts'
import { nameOf, Notes } from './notes.ts'
import { orderOf, withUniqueIds, type ListedTask } from './parallel-order.ts'

const parallel = /\s\(P\)\s*$|^\(P\)\s+/
/** A task that was put in later can have a letter: `10.2a`, or `3a.`. */
const numbered = /^(\*?)\s*(\d+(?:\.\d+)*(?:(?<=\.\d+)[a-z]|[a-z](?=\.))?)\.?\s+(.*)$/s

interface Task extends ListedTask {
  readonly step: ImportedStep
  readonly needs: readonly string[]
  readonly line: number
}

/** With a star after the bracket it is optional, and no box to GitHub. */
function tasksIn(source: Markdown): Box[] {
  return source.boxes().filter(({ text, mark }) => numbered.test(text) && /^.?$/u.test(mark))
}

export const kiro: ImportFormat = {
  name: 'kiro',
  tool: 'Kiro',
  usual: '.kiro/specs/<name>/tasks.md',
  recognizes({ files, location }) {
    const file = files[0]
    if (files.length !== 1 || file === undefined || !/\.(md|markdown)$/i.test(file.path)) return undefined
    const source = new Markdown(file.text)
    if (tasksIn(source).length === 0) return undefined
    const isKiro =
      /\/\.kiro\/specs\//.test(location) ||
      source.headings().some(({ level, text }) => level === 1 && /^implementation (plan|tasks)/i.test(text)) ||
      source.visible.some((line) => /^\s*(?:[-*+]\s+)?_(Requirements|Depends|Boundary): .*_\s*$/.test(line))
    return isKiro ? 'certain' : 'possible'
  },
  read({ files, location }) {
    const source = new Markdown(files[0]!.text)
    const notes = new Notes()
    const boxes = tasksIn(source)
    if (boxes.length === 0)
      throw new UnreadableSource('it has no box with a number such as `- [ ] 1. Title`', { line: 1 })
    refuseTooMany(boxes.length)
    const tasks = withUniqueIds(
      boxes.map((box, at) => readTask(box, boxes[at + 1]?.index, source, notes)),
      notes,
    )
    const own = new Set(boxes.map(({ index }) => index))
    for (const { index, text } of source.boxes().filter((box) => !own.has(box.index)))
      notes.lost(`a box without a number is not a task; kept as text: ${text.slice(0, 60)}`, { line: index + 1 })
    const [heading] = source.headings()
    const spec = /\/\.kiro\/specs\/([^/]+)\//.exec(location)?.[1] ?? /\/([^/]+)\/tasks\.md$/.exec(location)?.[1]
    const name = heading === undefined ? '' : plainText(heading.text)
    if (heading !== undefined) source.take(heading.index)
    return {
      title: spec ?? (name === '' || /^implementation (plan|tasks)$/i.test(name) ? nameOf(location) : name),
      steps: steps(tasks, notes),
      notes: notes.all,
      prose: source.rest(),
    }
  },
}

function readTask(box: Box, next: number | undefined, source: Markdown, notes: Notes): Task {
  const [, star = '', id = '', rest = ''] = numbered.exec(box.text) ?? []
  const line = box.index + 1
  const heading = source.headings(box.index + 1)[0]?.index ?? source.lines.length
  const end = Math.min(next ?? source.lines.length, heading)
  const below = source.lines.slice(box.index + 1, end)
  source.take(box.index, end)
  const depends = below.flatMap((text) => /_Depends:\s*(.*?)_/.exec(text)?.[1] ?? []).join(' ')
  const state: ImportedState = /x/i.test(box.mark) ? 'done' : box.mark === '' ? 'pending' : 'unknown'
  const says = /[~-]/.test(box.mark) ? `is in progress ([${box.mark}])` : `has the unknown mark [${box.mark}]`
  if (state === 'unknown') notes.unknown(`task ${id} ${says}: it may or may not be done`, { line })
  if (star !== '')
    notes.lost(`task ${id} is optional, which has no counterpart; skip it with git plan resume --skip`, { line })
  return {
    id,
    line,
    isParallel: parallel.test(rest),
    group: id.includes('.') ? id.slice(0, id.lastIndexOf('.')) : '',
    needs: depends.match(/\d+(?:\.\d+)*[a-z]?/g) ?? [],
    step: {
      id,
      title: plainText(rest.replace(parallel, '')),
      line,
      state,
      why: state === 'done' ? 'its box is ticked' : state === 'unknown' ? `it ${says}` : undefined,
      text: [...(star === '' ? [] : ['(optional)']), ...below.map((text) => text.replace(/^ {2,4}/, ''))]
        .join('\n')
        .trim(),
    },
  }
}

/** A task comes after its parts, whatever the order of the file: it is done when they are. */
function steps(tasks: readonly Task[], notes: Notes): ImportedStep[] {
  const partsOf = (id: string): Task[] => tasks.filter((task) => task.id.startsWith(`${id}.`))
  const parents = tasks.filter(({ id }) => partsOf(id).length > 0)
  const ordered = new Set<Task>()
  const add = (task: Task): void => {
    for (const part of partsOf(task.id)) if (part !== task) add(part)
    ordered.add(task)
  }
  for (const task of tasks) add(task)
  for (const { id, step, line } of parents) {
    const parts = partsOf(id).filter((part) => !part.step.text?.startsWith('(optional)'))
    const open = parts.filter((part) => part.step.state !== 'done')
    if (step.state === 'done' && open.length > 0)
      notes.contradiction(`task ${id} is ticked, but ${open.map((part) => part.id).join(', ')} is not`, { line })
    if (step.state !== 'done' && parts.length > 0 && open.length === 0)
      notes.contradiction(`all parts of task ${id} are ticked, but the task is not`, { line })
  }
  return [...orderOf([...ordered])].map(([{ id, step, needs }, order]) => ({
    ...step,
    needs: [...needs, ...partsOf(id).map((part) => part.id)],
    order,
  }))
}
