// What the server says without being asked. There is one stream for the page; a page that nobody sees has none.

import type { RunNews } from '../runs.ts'
import { keyQuery } from './key.ts'
import { shown, shownData } from './shown.ts'

export interface OutputLines {
  readonly plan: string
  readonly step: string
  readonly attempt: number
  readonly text: string
}

export interface LiveNews {
  /** undefined: anything may have changed. */
  readonly changed?: readonly string[]
  readonly output?: OutputLines
  readonly run?: RunNews
  readonly isConnected?: boolean
}

const listeners = new Set<(news: LiveNews) => void>()
const tell = (news: LiveNews): void => {
  for (const listener of listeners) listener(news)
}

let stream: EventSource | undefined
let plan: string | undefined

export function listen(listener: (news: LiveNews) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** `id`: the plan whose output is wanted. */
export function follow(id: string | undefined): void {
  if (stream !== undefined && id === plan) return
  plan = id
  connect()
}

function connect(): void {
  stream?.close()
  stream = undefined
  if (document.hidden) return
  const source = new EventSource(
    `/api/live?${keyQuery}${plan === undefined ? '' : `&plan=${encodeURIComponent(plan)}`}`,
  )
  stream = source
  const on = (name: string, show: (data: unknown) => LiveNews): void =>
    source.addEventListener(name, (event) => tell(show(JSON.parse((event as MessageEvent<string>).data))))
  source.addEventListener('open', () => tell({ isConnected: true }))
  source.addEventListener('error', () => tell({ isConnected: false }))
  on('plans', (data) => data as { changed: readonly string[] })
  on('output', (data) => {
    const output = data as OutputLines
    return { output: { ...output, text: shown(output.text) } }
  })
  on('run', (data) => ({ run: shownData(data as RunNews) }))
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden) connect()
  else {
    connect()
    // What has happened meanwhile was not heard.
    tell({})
  }
})
