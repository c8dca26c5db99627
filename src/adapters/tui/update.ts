// What follows from a message: the next state, and what has to be done for it.

import { rowFor, type Deed, type Move, type Place } from './keys.ts'
import {
  listRows,
  selectedRow,
  selectedStep,
  type Effect,
  type Key,
  type Message,
  type Model,
  type OutputLine,
} from './model.ts'
import { requests, type Request, type RequestName, type Subject } from './requests.ts'

export interface Update {
  readonly model: Model
  readonly effects: readonly Effect[]
}

const same = (model: Model): Update => ({ model, effects: [] })

const outputKept = 200

export function update(model: Model, message: Message): Update {
  switch (message.kind) {
    case 'key':
      return pressed({ ...model, notice: undefined }, message.key)
    case 'resized':
      return same({ ...model, size: message.size })
    case 'ticked':
      return same({ ...model, now: message.now })
    case 'changed':
      return changed(model, message)
    case 'list-read':
      return same({ ...model, list: message.list, plan: nearest(model, message.list) })
    case 'status-read':
      return same(model.opened === message.status.id ? { ...model, status: message.status, next: message.next } : model)
    case 'refused': {
      if (message.plan !== undefined && message.plan !== model.opened) return same(model)
      // The plan that was shown is gone, or cannot be read any more.
      const isOpened = message.plan !== undefined && model.opened === message.plan
      const closed = isOpened ? close(model) : same(model)
      return { ...closed, model: { ...closed.model, notice: message.notice } }
    }
    case 'returned':
      // Who begins to watch is told the last lines again.
      return { model: { ...model, output: [] }, effects: [{ kind: 'watch', plan: model.opened }] }
  }
}

/** The selected plan; if it is gone, the one that took its place in the list. */
function nearest(model: Model, list: Model['list']): string | undefined {
  const rows = listRows({ ...model, list })
  if (model.plan === undefined || rows.some(({ id }) => id === model.plan)) return model.plan
  const at = listRows(model).findIndex(({ id }) => id === model.plan)
  return rows[Math.min(at, rows.length - 1)]?.id
}

function changed(model: Model, { plans, output }: Extract<Message, { kind: 'changed' }>): Update {
  const lines: readonly OutputLine[] = output.flatMap(({ step, text }) =>
    text
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => ({ step, line })),
  )
  return {
    model: lines.length === 0 ? model : { ...model, output: [...model.output, ...lines].slice(-outputKept) },
    effects: [
      ...(plans.length === 0 ? [] : [{ kind: 'read-list' as const, isAll: model.isAll }]),
      ...(model.opened !== undefined && plans.includes(model.opened)
        ? [{ kind: 'read-status' as const, plan: model.opened }]
        : []),
    ],
  }
}

function pressed(model: Model, key: Key): Update {
  if (key.name === 'ctrl-c') return { model, effects: [{ kind: 'interrupt' }] }
  if (model.isTyping) return typed(model, key)
  const place: Place = model.opened === undefined ? 'plans' : 'plan'
  const row = rowFor(key.name, place)
  // Any key leaves the help.
  if (model.isHelp) return same({ ...model, isHelp: false })
  return row === undefined
    ? same({ ...model, notice: { message: 'This key does nothing here; ? lists the keys' } })
    : perform(model, row.deed)
}

/** A letter of the filter. */
function typed(model: Model, { name, text }: Key): Update {
  if (name === 'escape') return same({ ...model, filter: '', isTyping: false })
  if (name === 'return' || name === 'enter') return same({ ...model, isTyping: false })
  if (name === 'up' || name === 'down') return perform({ ...model, isTyping: false }, { kind: 'move', move: name })
  if (name === 'backspace') return same({ ...model, filter: [...model.filter].slice(0, -1).join('') })
  return same(/^[^\p{Cc}\p{Cf}]+$/u.test(text) ? { ...model, filter: `${model.filter}${text}` } : model)
}

function perform(model: Model, deed: Deed): Update {
  switch (deed.kind) {
    case 'move':
      return same(moved(model, deed.move))
    case 'open':
      return open(model)
    case 'back':
      return model.opened === undefined ? same({ ...model, filter: '' }) : close(model)
    case 'filter':
      return same({ ...model, isTyping: true, filter: '' })
    case 'all': {
      const isAll = !model.isAll
      return { model: { ...model, isAll }, effects: [{ kind: 'read-list', isAll }] }
    }
    case 'help':
      return same({ ...model, isHelp: true })
    case 'refresh':
      return { model: { ...model, output: [] }, effects: reread(model) }
    case 'request':
      return request(model, deed.name)
    default:
      return { model, effects: [{ kind: deed.kind }] }
  }
}

const reread = ({ isAll, opened }: Model): Effect[] => [
  { kind: 'read-list', isAll },
  ...(opened === undefined ? [] : [{ kind: 'read-status' as const, plan: opened }]),
  { kind: 'watch', plan: opened },
]

function open(model: Model): Update {
  const row = selectedRow(model)
  if (row === undefined) return same(model)
  const opened = { ...model, plan: row.id, opened: row.id, status: undefined, next: [], step: undefined, output: [] }
  return {
    model: opened,
    effects: [
      { kind: 'read-status', plan: row.id },
      { kind: 'watch', plan: row.id },
    ],
  }
}

const close = (model: Model): Update => ({
  model: { ...model, opened: undefined, status: undefined, next: [], step: undefined, output: [] },
  effects: [{ kind: 'watch', plan: undefined }],
})

function moved(model: Model, move: Move): Model {
  const ids = model.opened === undefined ? listRows(model) : (model.status?.steps ?? [])
  const current = model.opened === undefined ? selectedRow(model) : selectedStep(model)
  const at = ids.findIndex(({ id }) => id === current?.id)
  const page = Math.max(1, model.size.rows - 10)
  const to = { up: at - 1, down: at + 1, 'page-up': at - page, 'page-down': at + page, first: 0, last: ids.length }[
    move
  ]
  const id = ids[Math.max(0, Math.min(ids.length - 1, to))]?.id
  return model.opened === undefined ? { ...model, plan: id } : { ...model, step: id }
}

function request(model: Model, name: RequestName): Update {
  const subject = subjectOf(model)
  if (subject === undefined) return same({ ...model, notice: { message: 'There is no plan here' } })
  const asked: Request | undefined = requests[name](subject)
  return asked === undefined
    ? same({
        ...model,
        notice: { message: name === 'rollback' ? 'Select a step that is done, or B' : 'There is no step' },
      })
    : name === 'delete' && model.opened !== undefined
      ? // The plan may be gone afterwards.
        { model: close(model).model, effects: [...close(model).effects, { kind: 'perform', request: asked }] }
      : { model, effects: [{ kind: 'perform', request: asked }] }
}

function subjectOf(model: Model): Subject | undefined {
  const { opened, status } = model
  if (opened === undefined) {
    const row = selectedRow(model)
    return row === undefined ? undefined : { plan: row.id, known: row.plan ?? {}, step: undefined }
  }
  const step = selectedStep(model)
  return {
    plan: opened,
    known: status ?? {},
    step: step === undefined ? undefined : { id: step.id, isDone: step.status === 'done' },
  }
}
