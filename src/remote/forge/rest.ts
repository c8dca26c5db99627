// JSON over HTTP for the forges that are asked without a package: each answer is held against what is read of it.

import * as z from 'zod/mini'
import { checked, parsed } from './checked.ts'
import { refusal, wrongAnswer } from './failures.ts'
import type { ForgeOptions, Place } from './forge.ts'
import { makeSend, type Answer } from './http.ts'
import { mostPages, nextPage } from './pages.ts'

type Query = Readonly<Record<string, string | number | boolean | undefined>>

export interface Rest {
  get<T>(path: string, schema: z.ZodMiniType<T>): Promise<T>
  /** undefined where there is no such thing. */
  find<T>(path: string, schema: z.ZodMiniType<T>): Promise<T | undefined>
  /** Every page, by the links between them. `enough` ends it early. */
  all<T>(path: string, item: z.ZodMiniType<T>, enough?: (items: readonly T[]) => boolean): Promise<T[]>
  /**
   * Every page, by their numbers: for answers that have no links. Of those it is known only here that the last one is
   * empty.
   */
  numbered<T>(path: string, item: z.ZodMiniType<T>, enough?: (items: readonly T[]) => boolean): Promise<T[]>
  change<T>(
    method: 'POST' | 'PUT' | 'PATCH',
    path: string,
    body: Readonly<Record<string, unknown>>,
    schema: z.ZodMiniType<T>,
  ): Promise<T>
  /** The answer, whatever its status. */
  ask(method: string, path: string, body?: Readonly<Record<string, unknown>>): Promise<Answer>
}

/** A path and its query; what is undefined is left out. */
export function withQuery(path: string, query: Query): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value))
  return `${path}?${given.toString()}`
}

/** Each part as one segment of a path. */
export const segments = (...parts: readonly (string | number)[]): string =>
  parts.map((part) => `/${encodeURIComponent(part)}`).join('')

export const refused = ({ question, status, text }: Answer): Error => refusal(question, { status, text })

export function makeRest(place: Place, options: ForgeOptions): Rest {
  const send = makeSend(place, options)
  const ask: Rest['ask'] = (method, path, body) =>
    send({
      method,
      url: path,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
  const value = <T>(answer: Answer, schema: z.ZodMiniType<T>): T => {
    if (answer.status >= 300 || answer.status < 200) throw refused(answer)
    return checked(answer.question, parsed(answer.question, answer.text), schema)
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
        if (page >= mostPages) throw wrongAnswer(answer.question, `more than ${mostPages} pages`)
        url = nextPage(answer.headers.get('link'), place)
      }
      return found
    },
    numbered: async (path, item, enough = () => false) => {
      const found: z.infer<typeof item>[] = []
      for (let page = 1; ; page += 1) {
        const { items, answer } = await list(`${path}${path.includes('?') ? '&' : '?'}page=${page}&limit=50`, item)
        found.push(...items)
        const total = answer.headers.get('x-total-count')
        // A page may be empty and not the last one, where all that is on it is hidden from us.
        const isEnd =
          total === null
            ? items.length === 0
            : found.length >= Number(total) || (items.length === 0 && page * 50 >= Number(total))
        if (isEnd || enough(found)) return found
        if (page >= mostPages) throw wrongAnswer(answer.question, `more than ${mostPages} pages`)
      }
    },
  }
}
