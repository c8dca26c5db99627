// JSON over HTTP for the forges without a client package; every answer is validated.

import * as z from 'zod/mini'
import { parseJson, validate } from './checked.ts'
import { refusal, wrongAnswer } from './failures.ts'
import type { ForgeOptions, ForgeRepository } from './forge.ts'
import { makeSend, type Answer } from './http.ts'
import { maxPages, nextPage } from './pages.ts'

type Query = Readonly<Record<string, string | number | boolean | undefined>>

export interface Rest {
  get<T>(path: string, schema: z.ZodMiniType<T>): Promise<T>
  /** Returns undefined for a 404. */
  find<T>(path: string, schema: z.ZodMiniType<T>): Promise<T | undefined>
  /** Reads every page by following the links. `enough` stops early. */
  all<T>(path: string, item: z.ZodMiniType<T>, enough?: (items: readonly T[]) => boolean): Promise<T[]>
  /** Reads every page by number, for answers without links: without a total count, only an empty page marks the end. */
  numbered<T>(path: string, item: z.ZodMiniType<T>, enough?: (items: readonly T[]) => boolean): Promise<T[]>
  change<T>(
    method: 'POST' | 'PUT' | 'PATCH',
    path: string,
    body: Readonly<Record<string, unknown>>,
    schema: z.ZodMiniType<T>,
  ): Promise<T>
  /** Returns the answer with any status. */
  ask(method: string, path: string, body?: Readonly<Record<string, unknown>>): Promise<Answer>
}

/** Appends the query to the path; undefined values are left out. */
export function withQuery(path: string, query: Query): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value))
  return `${path}?${given.toString()}`
}

/** Encodes each part as one path segment. */
export const segments = (...parts: readonly (string | number)[]): string =>
  parts.map((part) => `/${encodeURIComponent(part)}`).join('')

export const refusalError = ({ question, status, text }: Answer): Error => refusal(question, { status, text })

export function makeRest(forgeRepo: ForgeRepository, options: ForgeOptions): Rest {
  const send = makeSend(forgeRepo, options)
  const ask: Rest['ask'] = (method, path, body) =>
    send({
      method,
      url: path,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
  const value = <T>(answer: Answer, schema: z.ZodMiniType<T>): T => {
    if (answer.status >= 300 || answer.status < 200) throw refusalError(answer)
    return validate(answer.question, parseJson(answer.question, answer.text), schema)
  }
  const list = async <T>(path: string, item: z.ZodMiniType<T>): Promise<{ items: T[]; answer: Answer }> => {
    const answer = await ask('GET', path)
    return { items: value(answer, z.array(item)), answer }
  }

  return {
    ask,
    get: async (path, schema) => value(await ask('GET', path), schema),
    find: async (path, schema) => {
      const answer = await ask('GET', path)
      return answer.status === 404 ? undefined : value(answer, schema)
    },
    change: async (method, path, body, schema) => value(await ask(method, path, body), schema),
    all: async (path, item, enough = () => false) => {
      const found: z.infer<typeof item>[] = []
      for (let url: string | undefined = path, page = 1; url !== undefined; page += 1) {
        const { items, answer }: Awaited<ReturnType<typeof list<z.infer<typeof item>>>> = await list(url, item)
        found.push(...items)
        if (enough(found)) return found
        if (page >= maxPages) throw wrongAnswer(answer.question, `more than ${maxPages} pages`)
        url = nextPage(answer.headers.get('link'), forgeRepo)
      }
      return found
    },
    numbered: async (path, item, enough = () => false) => {
      const found: z.infer<typeof item>[] = []
      for (let page = 1; ; page += 1) {
        const { items, answer } = await list(`${path}${path.includes('?') ? '&' : '?'}page=${page}&limit=50`, item)
        found.push(...items)
        const total = answer.headers.get('x-total-count')
        // A page may be empty without being the last if all of its entries are hidden from us.
        const isEnd =
          total === null
            ? items.length === 0
            : found.length >= Number(total) || (items.length === 0 && page * 50 >= Number(total))
        if (isEnd || enough(found)) return found
        if (page >= maxPages) throw wrongAnswer(answer.question, `more than ${maxPages} pages`)
      }
    },
  }
}
