// Backlog.md: one file per task in `backlog/`, or a single task.

import {
  UnreadableSource,
  type ImportFormat,
  type ImportInput,
  type ImportedFile,
  type ImportedState,
  type ImportedStep,
} from './format.ts'
import { readFrontMatter, type FrontMatter } from './front-matter.ts'
import { keysAsText, restKeys, textIn, textsIn } from './json.ts'
import { Markdown } from './markdown.ts'
import { nameOf, Notes, quote } from './notes.ts'
import { stateOf } from './states.ts'

/** Places, not statuses; drafts are no tasks yet. */
const place = /(?:^|\/)(tasks|completed|drafts|archive\/tasks)\/[^/]+\.md$/
const keys = ['id', 'title', 'status', 'dependencies']

const hasTask = ({ text }: ImportedFile): boolean => {
  const { front = [] } = new Markdown(text)
  return (
    front.some((line) => /^id:\s*\S/.test(line)) &&
    ['title:', 'status:'].every((key) => front.some((line) => line.startsWith(key)))
  )
}

export const backlog: ImportFormat = {
  name: 'backlog',
  tool: 'Backlog.md',
  usual: 'backlog/',
  takesDirectory: true,
  recognizes({ files, location }) {
    const tasks = files.filter((file) => file.path.endsWith('.md') && hasTask(file))
    if (tasks.length === 0) return undefined
    if (files.length > 1)
      return tasks.some(({ path }) => place.test(`tasks/${path}`) && place.test(path)) ||
        /backlog(\/tasks)?\/?$/.test(location)
        ? 'certain'
        : undefined
    const task = new Markdown(tasks[0]!.text)
    const isOwn = (task.front ?? []).some((line) => /^(created_date|labels|assignee|dependencies):/.test(line))
    const isSection = tasks[0]!.text.includes('<!-- SECTION:') || tasks[0]!.text.includes('<!-- AC:BEGIN')
    return isSection || (isOwn && /backlog/.test(location))
      ? 'certain'
      : isOwn && !/PLAN-/.test(location)
        ? 'possible'
        : undefined
  },
  companions: () => [{ directory: '..', name: /^config\.ya?ml$/ }],
  read(input) {
    const notes = new Notes()
    const files = input.files.filter((file) => file.path.endsWith('.md') && hasTask(file))
    if (files.length === 0)
      throw new UnreadableSource('it has no file with the id, title and status of a task', { line: 1 })
    reportOthers(input, files, notes)
    const lastStatus = lastOf(input)
    const tasks = files.flatMap((file) => {
      const where = place.exec(file.path)?.[1]
      if (where === 'drafts' && files.length > 1) {
        notes.lost('it is a draft, not a task, and is left out', { file: file.path })
        return []
      }
      return [readTask(file, { where, lastStatus, isOne: files.length === 1 }, notes)]
    })
    const isOne = tasks.length === 1
    const steps = withKnownNeeds(tasks, isOne, notes)
    return {
      title: isOne ? tasks[0]!.title : `Tasks of ${nameOf(input.location.replace(/\/\.?backlog(\/tasks)?\/?$/, ''))}`,
      steps,
      notes: notes.all,
      prose: '',
    }
  },
}

/** Files beside the tasks that are none. */
function reportOthers({ files, location }: ImportInput, tasks: readonly ImportedFile[], notes: Notes): void {
  const isPlace = ({ path }: ImportedFile): boolean => place.test(`${location}/${path}`)
  for (const file of files.filter((each) => isPlace(each) && !tasks.includes(each)))
    notes.lost('it has no front matter with the id, title and status of a task, and is left out', { file: file.path })
}

/** After a change of the prefix, files still say `task-308.01` for `BACK-308.01`. */
function withKnownNeeds(tasks: readonly ImportedStep[], isOne: boolean, notes: Notes): ImportedStep[] {
  // An id may be there twice: the one that is not archived is meant.
  const sorted = tasks.toSorted(
    (a, b) => Number(a.state === 'dropped') - Number(b.state === 'dropped') || byNumber(a, b),
  )
  const ids = new Set(tasks.map(({ id }) => id))
  const byTail = new Map(sorted.toReversed().map(({ id }) => [numberOf(id), id]))
  const renamed = new Set<string>()
  const steps = sorted.map((step): ImportedStep => {
    const all = step.needs ?? []
    const needs = all.map((need) => {
      const other = ids.has(need) ? need : byTail.get(numberOf(need))
      if (other !== undefined && other !== need) renamed.add(`${need} (${other})`)
      return other ?? need
    })
    if (!isOne || all.length === 0) return { ...step, needs }
    notes.lost(`it depends on ${all.join(', ')}, which a single task does not carry over`, { file: step.file })
    return { ...step, needs: [] }
  })
  if (renamed.size > 0)
    notes.contradiction(
      `dependencies with another prefix are taken as the tasks of the same number: ${[...renamed].join(', ')}`,
    )
  return steps
}

const numberOf = (id: string): string => id.replace(/^[a-z]+-/, '')

function readTask(
  file: ImportedFile,
  { where, lastStatus, isOne }: { where: string | undefined; lastStatus: string | undefined; isOne: boolean },
  notes: Notes,
): ImportedStep {
  const source = new Markdown(file.text)
  const name = isOne ? undefined : file.path
  const front = readFrontMatter(source, notes, name)
  const id = normalId(textIn(front.value.id) ?? file.path)
  const line = front.line(['id'])
  const criteria = boxesOf(source)
  const state = stateOfTask(front, { where, lastStatus, id, file: name }, notes)
  const open = criteria.filter(({ isTicked }) => !isTicked)
  if (state.state === 'done' && open.length > 0)
    notes.contradiction(`${id} is done, but ${open.length} of ${criteria.length} criteria are not ticked`, {
      line,
      file: name,
    })
  const read = [...keys, 'assignee']
  return {
    id,
    title: textIn(front.value.title) ?? id,
    line,
    file: name,
    ...state,
    text: [keysAsText(front.value, restKeys(front.value, read)), withoutMarks(source)].filter(Boolean).join('\n\n'),
    needs: textsIn(front.value.dependencies).map(normalId),
    owner: textsIn(front.value.assignee).join(', ') || undefined,
    criteria: criteria.map(({ text, isTicked }) => `${text}${isTicked ? ' [x]' : ''}`),
  }
}

function stateOfTask(
  front: FrontMatter,
  {
    where,
    lastStatus,
    id,
    file,
  }: { where: string | undefined; lastStatus: string | undefined; id: string; file: string | undefined },
  notes: Notes,
): Pick<ImportedStep, 'state' | 'why'> {
  const status = textIn(front.value.status) ?? 'none'
  const at = { line: front.line(['status']), file }
  const isLast = lastStatus !== undefined && status.toLowerCase() === lastStatus.toLowerCase()
  const state: ImportedState = isLast ? 'done' : (stateOf(status) ?? 'unknown')
  if (state === 'unknown') notes.unknown(`${id} has the status ${quote(status)}: it may or may not be done`, at)
  if (where === 'completed' && state !== 'done')
    notes.contradiction(`${id} is in completed/, but its status is ${quote(status)}; the status decides`, at)
  // An archive is a place, not a status; but nobody is to do what is there.
  if (where === 'archive/tasks' && state !== 'done')
    return { state: 'dropped', why: `it is archived with the status ${status}` }
  return { state, why: state === 'pending' ? undefined : `its status is ${status}` }
}

/** The boxes of the criteria and of the definition of done, as the tool reads them. */
function boxesOf(source: Markdown): { text: string; isTicked: boolean; index: number }[] {
  return source.headings().flatMap((heading) => {
    if (!/^(acceptance criteria|definition of done)/i.test(heading.text)) return []
    return source.visible.slice(heading.index + 1, source.endOf(heading)).flatMap((line, offset) => {
      const [, mark, text] = /^\s*- \[([ xX])\] (?:#\d+ )?(.+)$/.exec(line) ?? []
      if (text === undefined) return []
      source.take(heading.index + 1 + offset)
      return [{ text, isTicked: mark !== ' ', index: heading.index + 1 + offset }]
    })
  })
}

const withoutMarks = (source: Markdown): string =>
  source
    .rest()
    .replace(/^<!-- (SECTION:\w+|AC|DOD):(BEGIN|END) -->\n?/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^## (Acceptance Criteria|Definition of Done)\n+(?=## |$(?![\s\S]))/gm, '')
    .trim()

/** Ids compare without case and leading zeros. */
const normalId = (id: string): string =>
  id
    .trim()
    .toLowerCase()
    .replace(/(^|[-.])0+(?=\d)/g, '$1')

const numbersOf = ({ id }: ImportedStep): number[] => (id.match(/\d+/g) ?? []).map(Number)

function byNumber(a: ImportedStep, b: ImportedStep): number {
  const [one, other] = [numbersOf(a), numbersOf(b)]
  const at = one.findIndex((number, index) => number !== other[index])
  return at < 0 ? one.length - other.length : (one[at] ?? 0) - (other[at] ?? -1)
}

/** The last of the configured statuses means done. */
function lastOf({ files }: ImportInput): string | undefined {
  const config = files.find(({ path }) => /(^|\/)config\.ya?ml$/.test(path))
  const list = /^statuses:\s*\[(.*)\]\s*$/m.exec(config?.text ?? '')?.[1]
  return (
    list
      ?.split(',')
      .at(-1)
      ?.trim()
      .replace(/^["']|["']$/g, '') || undefined
  )
}
