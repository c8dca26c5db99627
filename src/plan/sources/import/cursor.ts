// Cursor: `.cursor/plans/name_<8 hex>.plan.md`, to-dos in the front matter, or at the end of older files.

import { UnreadableSource, type ImportFormat, type ImportedStep } from './format.ts'
import { boxSteps } from './checklist.ts'
import { readFrontMatter, type FrontMatter } from './front-matter.ts'
import { freeSteps } from './heading-steps.ts'
import { isMap, keysAsList, keysAsText, listIn, restKeys, textIn, textsIn } from './json.ts'
import { Markdown, splitMarks } from './markdown.ts'
import { nameOf, Notes, quote } from './notes.ts'
import { stateOf } from './states.ts'

export const cursor: ImportFormat = {
  name: 'cursor',
  tool: 'Cursor',
  usual: '.cursor/plans/<name>.plan.md',
  recognizes({ files, location }) {
    const file = files[0]
    if (files.length !== 1 || file === undefined || !/\.(md|mdc)$/i.test(file.path)) return undefined
    if (/\/\.cursor\/plans\//.test(location) || /\.plan\.md$/i.test(location)) return 'certain'
    const { front = [] } = new Markdown(file.text)
    return front.some((line) => line.startsWith('todos:')) ? 'certain' : undefined
  },
  read({ files, location }) {
    const source = new Markdown(files[0]!.text)
    const notes = new Notes()
    const front = readFrontMatter(source, notes)
    const todos = listIn(front.value.todos).flatMap((todo, index) => readTodo(todo, index, front, notes))
    const heading = source.headings().find(({ text }) => /^to-?dos?$/i.test(text))
    const steps =
      todos.length > 0
        ? todos
        : heading !== undefined
          ? boxSteps(source, { from: heading.index, to: source.endOf(heading) }, notes)
          : freeSteps(source, notes)
    if (steps.length === 0) throw new UnreadableSource('it has no to-dos and no numbered headings', { line: 1 })
    if (todos.length === 0 && heading === undefined)
      notes.unknown('there are no to-dos, so the plan is its text, which has no state', { line: front.line(['todos']) })
    if (heading !== undefined && todos.length === 0) source.take(heading.index)
    const title = source.headings().find(({ level }) => level === 1)
    return {
      title:
        textIn(front.value.name) ??
        (title === undefined ? nameOf(location).replace(/_[0-9a-f]{8}$/, '') : splitMarks(title.text).title),
      steps,
      notes: notes.all,
      prose: [keysAsList(front.value, restKeys(front.value, ['name', 'todos'])), source.rest()]
        .filter(Boolean)
        .join('\n\n'),
    }
  },
}

function readTodo(todo: unknown, index: number, front: FrontMatter, notes: Notes): ImportedStep[] {
  const line = front.line(['todos', index])
  if (!isMap(todo)) {
    notes.lost(`entry ${index + 1} of \`todos\` is not a to-do`, { line })
    return []
  }
  const id = textIn(todo.id) ?? `todo ${index + 1}`
  const status = textIn(todo.status)
  const state = status === undefined ? 'pending' : (stateOf(status) ?? 'unknown')
  if (state === 'unknown') notes.unknown(`${id} is ${quote(status ?? '')}: it may or may not be done`, { line })
  const needs = textsIn(todo.dependencies)
  return [
    {
      id,
      title: textIn(todo.content) ?? id,
      line,
      state,
      why: state === 'pending' ? undefined : `its status is ${status}`,
      text: keysAsText(todo, restKeys(todo, ['id', 'content', 'status', 'dependencies'])),
      needs: needs.length === 0 ? undefined : needs,
    },
  ]
}
