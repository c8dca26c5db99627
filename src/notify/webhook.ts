// Posts a body to a webhook, signed as https://www.standardwebhooks.com describes it, and repeated while the server
// has trouble.

import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Post {
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

const tries = 3
const backOffMs = 400

/** The receiver computes the signature again, and refuses an old timestamp. A key `whsec_...` is in base64. */
export function signatureHeaders(
  body: string,
  { id, at, secret }: { readonly id: string; readonly at: Date; readonly secret: string | undefined },
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp }
  if (secret === undefined) return headers
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret)
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { ...headers, 'webhook-signature': `v1,${signature}` }
}

/** Returns what went wrong; never with the address, which may be a secret. */
export async function post({ url, body, headers, timeoutMs, signal }: Post): Promise<string | undefined> {
  const deadline = AbortSignal.timeout(timeoutMs)
  const limit = AbortSignal.any([signal, deadline])
  for (let tried = 1; ; tried += 1) {
    const problem = await postOnce(url, { body, headers, signal: limit })
    if (problem === undefined || !problem.isPassing) return problem?.text
    if (tried >= tries || limit.aborted) return deadline.aborted ? 'no answer in time' : problem.text
    await sleep(backOffMs * 2 ** (tried - 1), undefined, { signal: limit }).catch(() => {})
    if (limit.aborted) return problem.text
  }
}

interface Problem {
  readonly text: string
  /** It may work in a moment. */
  readonly isPassing: boolean
}

async function postOnce(
  url: string,
  { body, headers, signal }: Pick<Post, 'body' | 'headers' | 'signal'>,
): Promise<Problem | undefined> {
  try {
    const answer = await globalThis.fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
      // The body and its signature are for this address alone.
      redirect: 'manual',
      signal,
    })
    await answer.body?.cancel()
    if (answer.ok) return undefined
    const { status } = answer
    return { text: `HTTP ${status}`, isPassing: status >= 500 || status === 408 || status === 429 }
  } catch (error) {
    const { cause, name } = error as Error & { readonly cause?: { readonly code?: string } }
    return { text: cause?.code ?? name, isPassing: true }
  }
}
