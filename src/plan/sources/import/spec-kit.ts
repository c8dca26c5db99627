// Spec Kit: `specs/NNN-name/tasks.md`. Only boxes with an id such as T001 are tasks.

import { refuseTooMany, UnreadableSource, type ImportFormat, type ImportedStep } from './format.ts'
import { Markdown, plainText, splitMarks, type Box } from './markdown.ts'
import { nameOf, Notes, quote } from './notes.ts'
import { orderOf, withUniqueIds, type ListedTask } from './parallel-order.ts'
import { stateOfMarks } from './phase-states.ts'

const taskText = /^(?:\*\*|`)?(T\d{3,})(?:\*\*|`)?[:.]?(?:\*\*)?\s*(.*)$/s

interface Task extends ListedTask {
  readonly step: ImportedStep
  readonly needs: readonly string[]
  readonly at: number
}

export const specKit: ImportFormat = {
  name: 'spec-kit',
  tool: 'Spec Kit',
  usual: 'specs/NNN-name/tasks.md',
  recognizes({ files }) {
    const file = files[0]
    if (files.length !== 1 || file === undefined || !/\.(md|markdown)$/i.test(file.path)) return undefined
    return new Markdown(file.text).boxes().some(({ text }) => taskText.test(text)) ? 'certain' : undefined
  },
  read({ files, location }) {
    const source = new Markdown(files[0]!.text)
    const notes = new Notes()
    const boxes = source.boxes()
    const own = boxes.filter(({ text }) => taskText.test(text))
    if (own.length === 0) throw new UnreadableSource('it has no box with an id such as T001', { line: 1 })
    refuseTooMany(own.length)
    const tasks = withUniqueIds(
      own.map((box) => readTask(box, source, notes)),
      notes,
    )
    const others = boxes.filter((box) => !own.includes(box) && !source.isTaken(box.index))
    for (const { index, text } of others)
      notes.lost(`a box without the id of a task is not a step; kept as text: ${quote(text)}`, { line: index + 1 })
    reportPhases(source, tasks, notes)
    const blocked = reportBlocks(source, tasks, notes)
    const title = source.headings().find(({ level }) => level === 1)
    if (title !== undefined) source.take(title.index)
    const name = title === undefined ? '' : splitMarks(title.text).title.replace(/^Tasks?\s*:\s*/i, '')
    return {
      title: name || nameOf(location.replace(/\/tasks\.md$/, '')),
      steps: [...orderOf(tasks)].map(([{ id, needs, step }, order]) => ({
        ...step,
        needs: [...needs, ...(blocked.get(id) ?? [])],
        order,
      })),
      notes: notes.all,
      prose: [(source.front ?? []).join('\n'), source.rest()].filter(Boolean).join('\n\n'),
    }
  },
}

function readTask(box: Box, source: Markdown, notes: Notes): Task {
  const line = box.index + 1
  const { text, details, end } = wrapped(box, source)
  source.take(box.index, end)
  const [, id = '', rest = ''] = taskText.exec(text) ?? []
  const tags: string[] = []
  let title = rest
  for (
    let tag = /^\[([A-Z][A-Za-z0-9_-]*)\]\s*/.exec(title);
    tag !== null;
    tag = /^\[([A-Z][A-Za-z0-9_-]*)\]\s*/.exec(title)
  ) {
    tags.push(tag[1]!)
    title = title.slice(tag[0].length)
  }
  const depends = /\(\s*(?:depends on|after|requires)\s+([^)]*)\)/i.exec(title)
  const skipped = /\(\s*(skipped|not needed|n\/a|obsolete|removed)\b[^)]*\)/i.exec(title)
  const isTicked = /^x$/i.test(box.mark)
  const other = tags.filter((tag) => tag !== 'P' && !/^US\d+$/.test(tag))
  if (other.length > 0)
    notes.lost(`${id}: ${other.map((tag) => `[${tag}]`).join(' ')} has no counterpart; kept as text`, { line })
  if (box.mark !== '' && !isTicked) notes.unknown(`${id} has the mark [${box.mark}], which is unknown`, { line })
  const phase = source.headings(source.start, box.index).findLast(({ level }) => level === 2)
  const part = source.headings(source.start, box.index).at(-1)
  return {
    id,
    at: box.index,
    isParallel: tags.includes('P'),
    group: String(part?.index ?? ''),
    files: title.match(/[\w.@-]+(?:\/[\w.@-]+)+\.\w+/g) ?? [],
    needs: depends === null ? [] : idsIn(depends[1]!),
    step: {
      id,
      title: plainText(title.replace(depends?.[0] ?? '', '')).trim() || id,
      line,
      state: skipped !== null ? 'dropped' : isTicked ? 'done' : box.mark === '' ? 'pending' : 'unknown',
      why: skipped?.[0] ?? (isTicked ? 'its box is ticked' : box.mark === '' ? undefined : `box [${box.mark}]`),
      text: [
        ...(phase === undefined ? [] : [splitMarks(phase.text).title]),
        ...tags.filter((tag) => tag !== 'P').map((tag) => `[${tag}]`),
        ...details,
      ].join('\n'),
    },
  }
}

/** A task may go on in indented lines below it, and have bullets of its own. */
function wrapped({ index, text, indent }: Box, source: Markdown): { text: string; details: string[]; end: number } {
  const details: string[] = []
  let whole = text
  let end = index + 1
  for (; end < source.lines.length; end++) {
    const line = source.lines[end]!
    const depth = /^[ \t]*/.exec(line)![0].replaceAll('\t', '    ').length
    if (line.trim() === '' || depth <= indent) break
    if (/^\s*[-*+]\s+\[.\]\s+\W*T\d{3,}/.test(line)) break
    if (details.length === 0 && !/^\s*([-*+]|\d+[.)])\s|^\s*(```|~~~)/.test(line)) whole = `${whole} ${line.trim()}`
    else details.push(line.trim())
  }
  return { text: whole, details, end }
}

/** `T012, T013` and `T012-T015`. */
function idsIn(text: string): string[] {
  return [...text.matchAll(/T(\d{3,})(?:\s*(?:-|\u2013|to|through|\.\.)\s*T?(\d{3,}))?/g)].flatMap(([, from, to]) => {
    const [first, last] = [Number(from), Number(to ?? from)]
    const count = Math.max(1, Math.min(last - first + 1, 1000))
    return Array.from({ length: count }, (_, at) => `T${String(first + at).padStart(from!.length, '0')}`)
  })
}

/** A ✅ in the title of a phase whose tasks are open. */
function reportPhases(source: Markdown, tasks: readonly Task[], notes: Notes): void {
  for (const heading of source.headings()) {
    if (heading.level > 3 || !/^\W*Phase\b/iu.test(heading.text)) continue
    const state = stateOfMarks(splitMarks(heading.text).marks)
    const inside = tasks.filter(({ at }) => at > heading.index && at < source.endOf(heading))
    const open = inside.filter(({ step }) => step.state === 'pending')
    if (state === 'done' && open.length > 0)
      notes.contradiction(
        `${quote(heading.text)} says done, but ${open.length} of its ${inside.length} tasks are open`,
        {
          line: heading.index + 1,
        },
      )
    if (
      state !== undefined &&
      state !== 'done' &&
      inside.length > 0 &&
      inside.every(({ step }) => step.state === 'done')
    )
      notes.contradiction(`${quote(heading.text)} is not called done, but all its tasks are`, {
        line: heading.index + 1,
      })
  }
}

/** Prose such as "T020, T021 block T026" in the section about dependencies. */
function reportBlocks(source: Markdown, tasks: readonly Task[], notes: Notes): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  const order = new Map(tasks.map(({ id }, at) => [id, at]))
  const list = 'T\\d{3,}(?:\\s*(?:,|and|&|-|\u2013|to|/)\\s*(?:and\\s+)?T\\d{3,})*'
  const blocks = new RegExp(
    `(${list})\\s*(?:\\([^)]*\\)\\s*)?(?:must (?:be )?(?:complete|pass|done)\\S* )?(?:blocks?|before)\\s+(${list})`,
    'gi',
  )
  const depends = new RegExp(
    `(${list})\\s*(?:\\([^)]*\\)\\s*)?(?:depends? on|requires?|after|blocked by)\\s+(${list})`,
    'gi',
  )
  const heading = source.headings().find(({ text }) => /^dependenc/i.test(text))
  if (heading === undefined) return found
  for (let index = heading.index + 1; index < source.endOf(heading); index++) {
    const line = plainText(source.visible[index]!)
    const pairs = [
      ...[...line.matchAll(blocks)].map(([, first, then]) => [first!, then!] as const),
      ...[...line.matchAll(depends)].map(([, then, first]) => [first!, then!] as const),
    ]
    for (const [first, then] of pairs)
      for (const id of idsIn(then))
        for (const need of idsIn(first)) {
          const [at, needed] = [order.get(id), order.get(need)]
          if (at === undefined || needed === undefined || id === need) continue
          if (needed < at) found.set(id, [...(found.get(id) ?? []), need])
          else
            notes.contradiction(`${id} is said to need ${need}, which comes after it; the order of the file stays`, {
              line: index + 1,
            })
        }
  }
  return found
}
