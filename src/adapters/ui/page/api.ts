// Asks the server. The bodies are what `--json` of the commands prints.

import type { AttemptData } from '../../../commands/inspect/attempts.ts'
import type { DiffData, SpecDiffData } from '../../../commands/inspect/diff.ts'
import type { ListData } from '../../../commands/inspect/list.ts'
import type { LogData, OutputData } from '../../../commands/inspect/log.ts'
import type { ReportData } from '../../../view/report-data.ts'
import type { ShowData } from '../../../commands/inspect/show.ts'
import type { StatusData } from '../../../commands/inspect/status.ts'
import type { RollbackPreview } from '../../../operation/results.ts'
import type { Refusal } from '../../library/refusal.ts'
import { keyHeader } from './key.ts'
import { shown, shownJson } from './shown.ts'

interface Answered {
  readonly kind: string
  readonly exitCode: number
  readonly nextCommands?: readonly string[]
}
export type List = ListData & Answered
export type Status = StatusData & Answered
export type Show = ShowData & Answered
export type Report = ReportData & Answered
export type Log = LogData & Answered
export type Output = OutputData & Answered
export type Diff = DiffData & Answered
export type TextChanges = SpecDiffData & Answered
export type AttemptDiff = AttemptData & Answered
export type Preview = RollbackPreview & Answered
export type Done = Answered & { readonly message?: string | readonly string[]; readonly id?: string }
export type { CampaignPage as Campaign } from '../campaigns.ts'
export interface RepositoryFacts {
  readonly name: string
  /** The machine of the server. */
  readonly host: string
  readonly running: readonly string[]
}

/** What the server or a command has refused. */
class Refused extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

const refusalFrom = (message: string): Refusal => ({
  schemaVersion: 1,
  kind: 'error',
  code: 'system',
  message,
  exitCode: 5,
  hint: 'git plan ui',
})

interface Asked extends Omit<RequestInit, 'headers'> {
  readonly headers?: Readonly<Record<string, string>>
}

async function ask<T>(path: string, options: Asked): Promise<T> {
  const response = await fetch(path, { ...options, headers: { ...keyHeader, ...options.headers } }).catch(
    (error: unknown) => {
      if (options.signal?.aborted === true) throw error
      throw new Refused(refusalFrom('the server does not answer: it may have ended'))
    },
  )
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  const text = await response.text()
  const body: unknown = isJson ? shownJson(text) : shown(text)
  if (response.ok) return body as T
  throw new Refused(isJson ? (body as Refusal) : refusalFrom(String(body).trim()))
}

export const get = <T>(path: string, signal?: AbortSignal): Promise<T> =>
  ask<T>(path, signal === undefined ? {} : { signal })

export const post = <T>(path: string, request: object): Promise<T> =>
  ask<T>(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  })

export const planPath = (id: string, read: string, query: Readonly<Record<string, string>> = {}): string => {
  const asked = new URLSearchParams(query).toString()
  return `/api/plans/${encodeURIComponent(id)}/${read}${asked === '' ? '' : `?${asked}`}`
}

export const asRefusal = (error: unknown): Refusal =>
  error instanceof Refused ? error.refusal : refusalFrom(error instanceof Error ? error.message : String(error))
