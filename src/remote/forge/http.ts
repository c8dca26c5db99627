// One request to a forge: with a limit of time and of size, again where that is safe, and with a token that never
// leaves the host of the remote.

import { setTimeout as sleep } from 'node:timers/promises'
import { PlanError } from '../../errors.ts'
import { refusal, unanswered, wrongAnswer, type Question } from './failures.ts'
import type { ForgeOptions, Limits, Place } from './forge.ts'
import { limitOf } from './rate-limit.ts'

const usual: Limits = {
  timeoutMs: 30_000,
  tries: 3,
  backOffMs: 500,
  patienceMs: 60_000,
  bodyBytes: 32 * 1024 * 1024,
  redirects: 5,
}

export interface Call {
  readonly method: string
  /** Below the API's address, or whole. */
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

/**
 * What was answered in the end; of the statuses, only those are thrown that waiting could not help: limits, and
 * failures of the forge.
 */
export type Send = (call: Call) => Promise<Answer>

const isRead = ({ method }: Call): boolean => method === 'GET' || method === 'HEAD'

// A clock for how long to wait, where the caller has no other.
export const systemClock = (): Date => new Date(Date.now())

export function makeSend(place: Place, options: ForgeOptions): Send {
  const limits = { ...usual, ...options.limits }
  const clock = options.clock ?? systemClock
  // Anything else would be quoted by what refuses to send it.
  if (options.token !== undefined && !/^[\x21-\x7e]+$/.test(options.token))
    throw new PlanError('forge', `the token for ${place.host} contains invalid characters`, {
      hint: 'remove spaces and line breaks from it',
      facts: { status: 0, host: place.host },
    })

  return async (call) => {
    const question = questionOf(place, options.token, call)
    let patience = limits.patienceMs
    for (let tried = 1; ; tried += 1) {
      const isLast = tried >= limits.tries
      const backOff = limits.backOffMs * 2 ** (tried - 1)
      let pause = backOff
      try {
        const answer = await followed(place, call, question, { ...options, limits })
        const limit = limitOf(answer, clock())
        if (limit === undefined && answer.status < 500) return answer
        const error = refusal(question, {
          status: answer.status,
          text: answer.text,
          isLimit: limit?.isLimit === true,
          until: limit?.until,
        })
        // What was refused for a limit was not carried out: it may be asked again, whatever it is.
        if (isLast || (limit?.isLimit !== true && !isRead(call))) throw error
        pause = Math.max(limit?.waitMs ?? 0, backOff)
        if (pause > patience) throw error
      } catch (error) {
        if (options.signal?.aborted === true) throw interruption(options.signal)
        if (error instanceof PlanError) throw error
        if (isLast || !isRead(call) || pause > patience) throw unanswered(question, reasonOf(error, limits), error)
      }
      patience -= pause
      await sleep(pause, undefined, options.signal === undefined ? {} : { signal: options.signal }).catch(() => {
        throw interruption(options.signal)
      })
    }
  }
}

function questionOf(place: Place, token: string | undefined, call: Call): Question {
  const { pathname } = new URL(call.url.startsWith('/') ? `${place.api}${call.url}` : call.url)
  const base = new URL(place.api).pathname.replace(/\/$/, '')
  return {
    place,
    token,
    method: call.method,
    path: pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname,
  }
}

type Settings = ForgeOptions & { readonly limits: Limits }

/**
 * Redirects are followed on the forge itself. What another origin says is not what the forge says, and it must not see
 * the token.
 */
async function followed(place: Place, call: Call, question: Question, settings: Settings): Promise<Answer> {
  const { origin } = new URL(place.api)
  let url = new URL(call.url.startsWith('/') ? `${place.api}${call.url}` : call.url)
  for (let hops = 0; hops <= settings.limits.redirects; hops += 1) {
    if (url.origin !== origin) throw wrongAnswer(question, `a redirect to ${url.origin}, which is not the forge`)
    const answer = await once(url, call, question, settings)
    const location = answer.headers.get('location')
    if (![301, 302, 303, 307, 308].includes(answer.status)) return answer
    if (location === null || !URL.canParse(location, url.href))
      throw wrongAnswer(question, `a redirect without a valid location (${answer.status})`, answer.status)
    // A repository that was renamed: to carry something out elsewhere takes a remote that says so.
    if (!isRead(call) && answer.status !== 307 && answer.status !== 308)
      throw refusal(question, {
        status: answer.status,
        text: JSON.stringify({ message: 'the repository has moved: git remote set-url' }),
      })
    url = new URL(location, url)
  }
  throw wrongAnswer(question, 'too many redirects', 302)
}

async function once(
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
      ...(token === undefined ? {} : { authorization: authorization(question.place, token) }),
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

const authorization = ({ kind }: Place, token: string): string => `${kind === 'gitea' ? 'token' : 'Bearer'} ${token}`

async function textOf(response: Response, question: Question, most: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Counted after it was unpacked: a small body may become a large one.
  for await (const chunk of response.body ?? []) {
    const bytes = chunk as Uint8Array
    size += bytes.length
    if (size > most) throw wrongAnswer(question, `more than ${most} bytes`, response.status)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function reasonOf(error: unknown, { timeoutMs }: Limits): string {
  const { name, message, cause } = error as Error
  if (name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`
  // fetch says "fetch failed", and why in its cause.
  const inner = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : undefined
  return inner === undefined ? message : `${message} (${inner})`
}

function interruption(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason
  return reason instanceof PlanError
    ? reason
    : new PlanError('interrupted', 'interrupted during a request to the forge')
}
