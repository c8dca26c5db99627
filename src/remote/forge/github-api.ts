// GitHub through octokit's request: it knows routes and their parameters, and sends them through our own HTTP.

import { request as octokit } from '@octokit/request'
import * as z from 'zod/mini'
import { checked } from './checked.ts'
import { refusal, wrongAnswer } from './failures.ts'
import type { ForgeOptions, Place } from './forge.ts'
import { makeSend, type Answer } from './http.ts'
import { mostPages, nextPage } from './pages.ts'

type Parameters = Readonly<Record<string, unknown>>

export interface GitHubApi {
  /**
   * `route` as in GitHub's documentation: `GET /repos/{owner}/{repo}/pulls`. Owner and repo are ours where it names
   * them.
   */
  ask<T>(route: string, parameters: Parameters, schema: z.ZodMiniType<T>): Promise<T>
  /** undefined where the answer is this one. */
  askUnless<T>(
    isExpected: (answer: Answer) => boolean,
    route: string,
    parameters: Parameters,
    schema: z.ZodMiniType<T>,
  ): Promise<T | undefined>
  all<T>(route: string, parameters: Parameters, item: z.ZodMiniType<T>): Promise<T[]>
  graphql<T>(query: string, variables: Parameters, schema: z.ZodMiniType<T>): Promise<T>
}

export const aRepository = '/repos/{owner}/{repo}'

export const hasStatus =
  (...statuses: readonly number[]) =>
  ({ status }: Answer): boolean =>
    statuses.includes(status)

interface Heard {
  readonly answer: Answer
  readonly data: unknown
}

export function makeGitHubApi(place: Place, options: ForgeOptions): GitHubApi {
  const send = makeSend(place, options)
  const silent = (): void => undefined
  const request = octokit.defaults({
    baseUrl: place.api,
    headers: { 'user-agent': 'git-plan', accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
  })

  const hear = async (route: string, parameters: Parameters): Promise<Heard> => {
    let answer: Answer | undefined
    let failure: unknown
    const fetch = async (
      url: string,
      init: { method: string; headers: Record<string, string>; body?: string },
    ): Promise<Response> => {
      try {
        answer = await send({ method: init.method, url, headers: init.headers, body: init.body })
      } catch (error) {
        failure = error
        throw error
      }
      const { status, text, headers } = answer
      return new Response([204, 205, 304].includes(status) ? null : text, { status, headers })
    }
    try {
      // Where a route does not name them, they would be sent as part of the query.
      const ours = route.includes('{owner}') ? { owner: place.owner, repo: place.name } : {}
      const heard: { readonly data: unknown } = await request(route, {
        ...ours,
        ...parameters,
        request: { fetch, log: { debug: silent, info: silent, warn: silent, error: silent } },
      })
      if (answer !== undefined) return { answer, data: heard.data }
    } catch (error) {
      // octokit wraps what our own HTTP throws; an answer that says no it throws as well, and that is judged here.
      if (failure !== undefined || answer === undefined) throw failure ?? error
      if (answer.status >= 400) return { answer, data: undefined }
      throw wrongAnswer(answer.question, `${answer.status}`, answer.status)
    }
    throw new Error(`octokit answered ${route} without asking`)
  }

  const value = <T>({ answer, data }: Heard, schema: z.ZodMiniType<T>): T => {
    const { status, text, question } = answer
    if (status >= 300) throw refusal(question, { status, text })
    return checked(question, data, schema)
  }

  const ask: GitHubApi['ask'] = async (route, parameters, schema) => value(await hear(route, parameters), schema)
  return {
    ask,
    askUnless: async (isExpected, route, parameters, schema) => {
      const heard = await hear(route, parameters)
      return isExpected(heard.answer) ? undefined : value(heard, schema)
    },
    all: async (route, parameters, item) => {
      let heard = await hear(route, { ...parameters, per_page: 100 })
      const found = value(heard, z.array(item))
      for (let page = 2, next = nextPage(heard.answer.headers.get('link'), place); next !== undefined; page += 1) {
        if (page > mostPages) throw wrongAnswer(heard.answer.question, `more than ${mostPages} pages`)
        heard = await hear(`GET ${next}`, {})
        found.push(...value(heard, z.array(item)))
        next = nextPage(heard.answer.headers.get('link'), place)
      }
      return found
    },
    // On GitHub Enterprise it is beside the third version, not below it.
    graphql: (query, variables, schema) =>
      ask(`POST ${place.api.replace(/\/v3$/, '')}/graphql`, { query, variables }, schema),
  }
}
