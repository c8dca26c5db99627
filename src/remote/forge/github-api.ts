// GitHub through octokit's request, which knows the routes and their parameters; our own HTTP sends them.

import { request as octokit } from '@octokit/request'
import * as z from 'zod/mini'
import { validate } from './checked.ts'
import { refusal, wrongAnswer } from './failures.ts'
import type { ForgeOptions, ForgeRepository } from './forge.ts'
import { makeSend, type Answer } from './http.ts'
import { maxPages, nextPage } from './pages.ts'

type Parameters = Readonly<Record<string, unknown>>

export interface GitHubApi {
  /**
   * `route` as in GitHub's documentation: `GET /repos/{owner}/{repo}/pulls`. Owner and repo are filled in if the route
   * names them.
   */
  ask<T>(route: string, parameters: Parameters, schema: z.ZodMiniType<T>): Promise<T>
  /** Returns undefined if the answer is the expected one. */
  askUnless<T>(
    isExpected: (answer: Answer) => boolean,
    route: string,
    parameters: Parameters,
    schema: z.ZodMiniType<T>,
  ): Promise<T | undefined>
  all<T>(route: string, parameters: Parameters, item: z.ZodMiniType<T>): Promise<T[]>
  graphql<T>(query: string, variables: Parameters, schema: z.ZodMiniType<T>): Promise<T>
}

export const repositoryRoute = '/repos/{owner}/{repo}'

export const hasStatus =
  (...statuses: readonly number[]) =>
  ({ status }: Answer): boolean =>
    statuses.includes(status)

interface RawAnswer {
  readonly answer: Answer
  readonly data: unknown
}

export function makeGitHubApi(forgeRepo: ForgeRepository, options: ForgeOptions): GitHubApi {
  const send = makeSend(forgeRepo, options)
  const silent = (): void => undefined
  const request = octokit.defaults({
    baseUrl: forgeRepo.api,
    headers: { 'user-agent': 'git-plan', accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
  })

  const fetchAnswer = async (route: string, parameters: Parameters): Promise<RawAnswer> => {
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
      // If the route does not name them, octokit would send them in the query.
      const ours = route.includes('{owner}') ? { owner: forgeRepo.owner, repo: forgeRepo.name } : {}
      const heard: { readonly data: unknown } = await request(route, {
        ...ours,
        ...parameters,
        request: { fetch, log: { debug: silent, info: silent, warn: silent, error: silent } },
      })
      if (answer !== undefined) return { answer, data: heard.data }
    } catch (error) {
      // octokit wraps errors of our own HTTP, and also throws for error statuses, which are handled here.
      if (failure !== undefined || answer === undefined) throw failure ?? error
      if (answer.status >= 400) return { answer, data: undefined }
      throw wrongAnswer(answer.question, `${answer.status}`, answer.status)
    }
    throw new Error(`octokit answered ${route} without asking`)
  }

  const value = <T>({ answer, data }: RawAnswer, schema: z.ZodMiniType<T>): T => {
    const { status, text, question } = answer
    if (status >= 300) throw refusal(question, { status, text })
    return validate(question, data, schema)
  }

  const ask: GitHubApi['ask'] = async (route, parameters, schema) => value(await fetchAnswer(route, parameters), schema)
  return {
    ask,
    askUnless: async (isExpected, route, parameters, schema) => {
      const heard = await fetchAnswer(route, parameters)
      return isExpected(heard.answer) ? undefined : value(heard, schema)
    },
    all: async (route, parameters, item) => {
      let heard = await fetchAnswer(route, { ...parameters, per_page: 100 })
      const found = value(heard, z.array(item))
      for (let page = 2, next = nextPage(heard.answer.headers.get('link'), forgeRepo); next !== undefined; page += 1) {
        if (page > maxPages) throw wrongAnswer(heard.answer.question, `more than ${maxPages} pages`)
        heard = await fetchAnswer(`GET ${next}`, {})
        found.push(...value(heard, z.array(item)))
        next = nextPage(heard.answer.headers.get('link'), forgeRepo)
      }
      return found
    },
    // On GitHub Enterprise GraphQL is beside /v3, not below it.
    graphql: (query, variables, schema) =>
      ask(`POST ${forgeRepo.api.replace(/\/v3$/, '')}/graphql`, { query, variables }, schema),
  }
}
