// One request to a forge, with a limit on time and size, retried where that is safe. The token never leaves the host of
// the remote.

import { setTimeout as sleep } from 'node:timers/promises'
import { PlanError } from '../../errors.ts'
import { refusal, noAnswerError, wrongAnswer, type Question } from './failures.ts'
import type { ForgeOptions, Limits, ForgeRepository } from './forge.ts'
import { limitOf } from './rate-limit.ts'

const defaultLimits: Limits = {
  timeoutMs: 30_000,
  tries: 3,
  backOffMs: 500,
  patienceMs: 60_000,
  bodyBytes: 32 * 1024 * 1024,
  redirects: 5,
}

export interface Call {
  readonly method: string
  /** Relative to the API's address, or absolute. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly question: Question
}

/** Returns the final answer. Throws for rate limits and for server errors that retries did not resolve. */
export type Send = (call: Call) => Promise<Answer>

const isRead = ({ method }: Call): boolean => method === 'GET' || method === 'HEAD'

// The clock for waiting, if the caller provides none.
export const systemClock = (): Date => new Date(Date.now())

export function makeSend(forgeRepo: ForgeRepository, options: ForgeOptions): Send {
  const limits = { ...defaultLimits, ...options.limits }
  const clock = options.clock ?? systemClock
  // fetch would quote an invalid token in its error message.
  if (options.token !== undefined && !/^[\x21-\x7e]+$/.test(options.token))
    throw new PlanError('forge', `the token for ${forgeRepo.host} contains invalid characters`, {
      hint: 'remove spaces and line breaks from it',
      facts: { status: 0, host: forgeRepo.host },
    })

  return async (call) => {
    const question = questionOf(forgeRepo, options.token, call)
    let patience = limits.patienceMs
    for (let tried = 1; ; tried += 1) {
      const isLast = tried >= limits.tries
      const backOff = limits.backOffMs * 2 ** (tried - 1)
      let pause = backOff
      try {
        const answer = await followRedirects(forgeRepo, call, question, { ...options, limits })
        const limit = limitOf(answer, clock())
        if (limit === undefined && answer.status < 500) return answer
        const error = refusal(question, {
          status: answer.status,
          text: answer.text,
          isLimit: limit?.isLimit === true,
          until: limit?.until,
        })
        // A request refused by a rate limit was not carried out, so any request may be repeated.
        if (isLast || (limit?.isLimit !== true && !isRead(call))) throw error
        pause = Math.max(limit?.waitMs ?? 0, backOff)
        if (pause > patience) throw error
      } catch (error) {
        if (options.signal?.aborted === true) throw interruption(options.signal)
        if (error instanceof PlanError) throw error
        if (isLast || !isRead(call) || pause > patience) throw noAnswerError(question, reasonOf(error, limits), error)
      }
      patience -= pause
      await sleep(pause, undefined, options.signal === undefined ? {} : { signal: options.signal }).catch(() => {
        throw interruption(options.signal)
      })
    }
  }
}

function questionOf(forgeRepo: ForgeRepository, token: string | undefined, call: Call): Question {
  const { pathname } = new URL(call.url.startsWith('/') ? `${forgeRepo.api}${call.url}` : call.url)
  const base = new URL(forgeRepo.api).pathname.replace(/\/$/, '')
  return {
    forgeRepo,
    token,
    method: call.method,
    path: pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname,
  }
}

type Settings = ForgeOptions & { readonly limits: Limits }

/**
 * Follows redirects within the forge's origin only. Another origin does not speak for the forge and must not see the
 * token.
 */
async function followRedirects(
  forgeRepo: ForgeRepository,
  call: Call,
  question: Question,
  settings: Settings,
): Promise<Answer> {
  const { origin } = new URL(forgeRepo.api)
  let url = new URL(call.url.startsWith('/') ? `${forgeRepo.api}${call.url}` : call.url)
  for (let hops = 0; hops <= settings.limits.redirects; hops += 1) {
    if (url.origin !== origin) throw wrongAnswer(question, `a redirect to ${url.origin}, which is not the forge`)
    const answer = await sendOnce(url, call, question, settings)
    const location = answer.headers.get('location')
    if (![301, 302, 303, 307, 308].includes(answer.status)) return answer
    if (location === null || !URL.canParse(location, url.href))
      throw wrongAnswer(question, `a redirect without a valid location (${answer.status})`, answer.status)
    // The repository was renamed: a write to the new one needs a remote that names it.
    if (!isRead(call) && answer.status !== 307 && answer.status !== 308)
      throw refusal(question, {
        status: answer.status,
        text: JSON.stringify({ message: 'the repository has moved: git remote set-url' }),
      })
    url = new URL(location, url)
  }
  throw wrongAnswer(question, 'too many redirects', 302)
}

async function sendOnce(
  url: URL,
  call: Call,
  question: Question,
  { token, limits, signal, ...options }: Settings,
): Promise<Answer> {
  const send = options.fetch ?? globalThis.fetch
  const timeout = AbortSignal.timeout(limits.timeoutMs)
  const response = await send(url, {
    method: call.method,
    headers: {
      'user-agent': 'git-plan',
      accept: 'application/json',
      ...call.headers,
      ...(token === undefined ? {} : { authorization: authorization(question.forgeRepo, token) }),
    },
    body: call.body ?? null,
    redirect: 'manual',
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  })
  return {
    status: response.status,
    headers: response.headers,
    text: await textOf(response, question, limits.bodyBytes),
    question,
  }
}

const authorization = ({ kind }: ForgeRepository, token: string): string =>
  `${kind === 'gitea' ? 'token' : 'Bearer'} ${token}`

async function textOf(response: Response, question: Question, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Counted after decompression: a small body may expand to a large one.
  for await (const chunk of response.body ?? []) {
    const bytes = chunk as Uint8Array
    size += bytes.length
    if (size > maxBytes) throw wrongAnswer(question, `more than ${maxBytes} bytes`, response.status)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function reasonOf(error: unknown, { timeoutMs }: Limits): string {
  const { name, message, cause } = error as Error
  if (name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`
  // fetch only says "fetch failed"; the reason is in the cause.
  const inner = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : undefined
  return inner === undefined ? message : `${message} (${inner})`
}

function interruption(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason
  return reason instanceof PlanError
    ? reason
    : new PlanError('interrupted', 'interrupted during a request to the forge')
}
