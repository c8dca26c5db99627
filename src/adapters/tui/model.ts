// The state of the browser, what may happen, and what it asks for. All of it is data.

import type { ListData } from '../../commands/inspect/list.ts'
import type { OutputNews } from '../../commands/inspect/running-logs.ts'
import type { StatusData } from '../../commands/inspect/status.ts'
import type { Request } from './requests.ts'

export type ListedPlan = ListData['plans'][number]
export type Step = StatusData['steps'][number]

export interface Size {
  readonly rows: number
  readonly columns: number
}

export interface OutputLine {
  readonly step: string
  readonly line: string
}

export interface Notice {
  readonly message: string
  /** What to type next. */
  readonly hint?: string
}

export interface Model {
  /** The name of the repository. */
  readonly name: string
  readonly size: Size
  /** Milliseconds, for how long a step has been running. */
  readonly now: number
  /** undefined: not read yet. */
  readonly list: ListData | undefined
  /** Also the plans that were finished long ago. */
  readonly isAll: boolean
  /** Only plans whose id or title contains it. */
  readonly filter: string
  /** Keys are letters of the filter. */
  readonly isTyping: boolean
  readonly isHelp: boolean
  /** The id of the selected plan; undefined: the first. */
  readonly plan: string | undefined
  /** The id of the plan whose steps are shown. */
  readonly opened: string | undefined
  /** undefined: not read yet. */
  readonly status: StatusData | undefined
  /** The commands that `status` suggests. */
  readonly next: readonly string[]
  /** The selected step; undefined: none was selected yet. */
  readonly step: string | undefined
  /** The last lines that the steps of the opened plan have printed since it was opened. */
  readonly output: readonly OutputLine[]
  readonly notice: Notice | undefined
}

export interface Key {
  /** As node:readline names it: `up`, `return`, `a`, `A`, `ctrl-c`. */
  readonly name: string
  /** What it types. */
  readonly text: string
}

export type Message =
  | { readonly kind: 'key'; readonly key: Key }
  | { readonly kind: 'resized'; readonly size: Size }
  | { readonly kind: 'ticked'; readonly now: number }
  | { readonly kind: 'changed'; readonly plans: readonly string[]; readonly output: readonly OutputNews[] }
  | { readonly kind: 'list-read'; readonly list: ListData }
  | { readonly kind: 'status-read'; readonly status: StatusData; readonly next: readonly string[] }
  /** Of this plan; without one, of all. */
  | { readonly kind: 'refused'; readonly plan: string | undefined; readonly notice: Notice }
  /** The browser is shown, with what has just been read. */
  | { readonly kind: 'returned' }

export type Effect =
  | { readonly kind: 'read-list'; readonly isAll: boolean }
  | { readonly kind: 'read-status'; readonly plan: string }
  /** Look for news, with the output of this plan. */
  | { readonly kind: 'watch'; readonly plan: string | undefined }
  | { readonly kind: 'perform'; readonly request: Request }
  | { readonly kind: 'suspend' }
  /** As Ctrl-C. */
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'quit' }

export const startModel = (
  { name, size, now }: Pick<Model, 'name' | 'size' | 'now'>,
  plan: string | undefined,
): Model => ({
  name,
  size,
  now,
  list: undefined,
  isAll: false,
  filter: '',
  isTyping: false,
  isHelp: false,
  plan,
  opened: plan,
  status: undefined,
  next: [],
  step: undefined,
  output: [],
  notice: undefined,
})

/** A row of the list. A plan that cannot be read has no more than an id and a message. */
export interface ListRow {
  readonly id: string
  readonly title: string
  /** undefined: it cannot be read. */
  readonly plan: ListedPlan | undefined
}

export function listRows({ list, filter }: Pick<Model, 'list' | 'filter'>): readonly ListRow[] {
  const rows: readonly ListRow[] = [
    ...(list?.plans ?? []).map((plan) => ({ id: plan.id, title: plan.title, plan })),
    ...(list?.unreadable ?? []).map(({ id, message }) => ({ id, title: message, plan: undefined })),
  ]
  const sought = filter.toLowerCase()
  return sought === '' ? rows : rows.filter(({ id, title }) => `${id} ${title}`.toLowerCase().includes(sought))
}

/** The row that keys are about; undefined: the list is empty. */
export function selectedRow(model: Model): ListRow | undefined {
  const rows = listRows(model)
  return rows.find(({ id }) => id === model.plan) ?? rows[0]
}

/** Until a person selects a step, it is the one that runs, or that the plan waits for. */
export function selectedStep({ status, step }: Model): Step | undefined {
  const steps = status?.steps ?? []
  return (
    steps.find(({ id }) => id === step) ??
    steps.find(({ seen }) => seen === 'running') ??
    steps.find(({ seen }) => ['failed', 'timeout', 'conflict', 'waiting', 'unknown'].includes(seen)) ??
    steps[0]
  )
}
