// Task Master: `.taskmaster/tasks/tasks.json`, with or without tags.

import { UnreadableSource, type ImportFormat, type ImportedState, type ImportedStep } from './format.ts'
import {
  isMap,
  keysAsList,
  keysAsText,
  listIn,
  readJson,
  restKeys,
  textIn,
  textsIn,
  tryJson,
  type Json,
} from './json.ts'
import { nameOf, Notes, quote } from './notes.ts'
import { stateOf } from './states.ts'

interface Tag {
  readonly name: string | undefined
  readonly path: readonly string[]
  readonly tasks: readonly unknown[]
  readonly metadata: unknown
}

const isTask = (value: unknown): value is Json =>
  isMap(value) && 'id' in value && ('title' in value || 'status' in value)

function tagsOf(value: unknown): Tag[] {
  if (!isMap(value)) return []
  if (Array.isArray(value.tasks))
    return [{ name: undefined, path: ['tasks'], tasks: value.tasks, metadata: value.metadata }]
  return Object.entries(value).flatMap(([name, tag]) =>
    isMap(tag) && Array.isArray(tag.tasks) && name !== 'metadata'
      ? [{ name, path: [name, 'tasks'], tasks: tag.tasks, metadata: tag.metadata }]
      : [],
  )
}

export const taskMaster: ImportFormat = {
  name: 'task-master',
  tool: 'Task Master',
  usual: '.taskmaster/tasks/tasks.json',
  recognizes({ files }) {
    const tags = files.length === 1 ? tagsOf(tryJson(files[0]!.text)) : []
    return tags.some(({ tasks }) => tasks.some(isTask)) ? 'certain' : undefined
  },
  read({ files, location }) {
    const source = readJson(files[0]!)
    const tags = tagsOf(source.value)
    const tag = tags.find(({ name }) => name === undefined || name === 'master') ?? tags[0]
    if (tag === undefined) throw new UnreadableSource('there is no list `tasks`', { line: 1 })
    const notes = new Notes()
    for (const other of tags.filter((each) => each !== tag && each.tasks.length > 0))
      notes.lost(
        `the tag ${quote(other.name ?? '')} with ${other.tasks.length} tasks is not carried over; the plan is that of ${quote(tag.name ?? '')}`,
        {
          line: source.line(other.path.slice(0, 1)),
        },
      )
    const steps = tag.tasks.flatMap((task, index): ImportedStep[] => {
      const at = [...tag.path, index]
      if (isTask(task)) return readTask(task, (...more) => source.line([...at, ...more]), notes)
      notes.lost(`entry ${index + 1} is not a task`, { line: source.line(at) })
      return []
    })
    const meta = isMap(tag.metadata) ? tag.metadata : {}
    const name = nameOf(location.replace(/(\/\.taskmaster)?\/tasks\/tasks\.json$/, ''))
    return {
      title:
        textIn(meta.projectName) ??
        `Tasks of ${name}${tag.name === undefined || tag.name === 'master' ? '' : ` (${tag.name})`}`,
      steps,
      notes: notes.all,
      prose: keysAsList(meta, restKeys(meta, [])),
    }
  },
}

type LineAt = (...path: (string | number)[]) => number | undefined

/** The subtasks, and then the task, which needs them: a task is done when its parts are. */
function readTask(task: Json, line: LineAt, notes: Notes): ImportedStep[] {
  const id = textIn(task.id) ?? ''
  const needs = textsIn(task.dependencies)
  const parts = listIn(task.subtasks).flatMap((part, index): ImportedStep[] => {
    if (!isTask(part)) {
      notes.lost(`entry ${index + 1} of the subtasks of ${id} is not a task`, { line: line('subtasks', index) })
      return []
    }
    const local = textsIn(part.dependencies).map((need) => (need.includes('.') ? need : `${id}.${need}`))
    const own = textIn(part.id) ?? String(index + 1)
    return [
      stepOf(
        part,
        own.startsWith(`${id}.`) ? own : `${id}.${own}`,
        { needs: [...needs, ...local], line: line('subtasks', index) },
        notes,
      ),
    ]
  })
  const whole = stepOf(
    task,
    id,
    { needs: [...needs, ...parts.filter(({ state }) => state !== 'dropped').map((part) => part.id)], line: line() },
    notes,
  )
  const open = parts.filter(({ state }) => state !== 'done' && state !== 'dropped')
  if (whole.state === 'done' && open.length > 0)
    notes.contradiction(`task ${id} is done, but its subtasks ${open.map((part) => part.id).join(', ')} are not`, {
      line: line(),
    })
  if (whole.state === 'pending' && parts.length > 0 && open.length === 0)
    notes.contradiction(`all subtasks of task ${id} are done, but the task is not`, { line: line() })
  return [...parts, whole]
}

function stepOf(
  task: Json,
  id: string,
  { needs, line }: { needs: readonly string[]; line: number | undefined },
  notes: Notes,
): ImportedStep {
  const status = textIn(task.status) ?? 'none'
  const state: ImportedState = stateOf(status) ?? 'unknown'
  if (stateOf(status) === undefined)
    notes.unknown(`task ${id} has the status ${quote(status)}, which is unknown`, { line })
  else if (state === 'unknown') notes.unknown(`task ${id} is ${status}: it may or may not be done`, { line })
  else if (status === 'deferred' || status === 'blocked')
    notes.lost(`task ${id} is ${status}, which has no counterpart; it is to be done`, { line })
  const read = ['id', 'title', 'status', 'dependencies', 'subtasks', 'description', 'details', 'assignee']
  return {
    id,
    title: textIn(task.title) ?? textIn(task.description)?.split('\n')[0] ?? `Task ${id}`,
    line,
    state,
    why: state === 'pending' && status === 'pending' ? undefined : `its status is ${status}`,
    text: [textIn(task.description), textIn(task.details), keysAsText(task, restKeys(task, read))]
      .filter(Boolean)
      .join('\n'),
    needs,
    owner: textIn(task.assignee),
  }
}
