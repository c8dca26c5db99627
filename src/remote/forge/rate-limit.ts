// Detects rate limits and outages, and when they end. GitHub uses 403 or 429, GitLab 429, each with its own headers.

interface Limit {
  /** True for a rate limit; false if the forge is unavailable and says for how long. */
  readonly isLimit: boolean
  readonly until: Date | undefined
  readonly waitMs: number | undefined
}

export function limitOf(
  answer: { readonly status: number; readonly headers: Headers; readonly text: string },
  now: Date,
): Limit | undefined {
  const { status, headers } = answer
  const after = retryAfter(headers.get('retry-after'), now)
  const isUsedUp = (headers.get('x-ratelimit-remaining') ?? headers.get('ratelimit-remaining')) === '0'
  const isLimit =
    status === 429 ||
    (status === 403 && (isUsedUp || after !== undefined || /secondary rate limit|abuse detection/i.test(answer.text)))
  if (!isLimit)
    return status >= 500 && after !== undefined ? { isLimit, until: after, waitMs: msUntil(after, now) } : undefined
  if (after !== undefined) return { isLimit, until: after, waitMs: msUntil(after, now) }
  const reset = atSeconds(headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset'))
  // One second more than stated: the clocks may differ.
  if (reset !== undefined && (isUsedUp || status === 429))
    return { isLimit, until: reset, waitMs: msUntil(reset, now) + 1000 }
  // GitHub asks to wait at least a minute if it does not say how long.
  return { isLimit, until: undefined, waitMs: status === 403 ? 60_000 : undefined }
}

const msUntil = (time: Date, now: Date): number => Math.max(0, time.getTime() - now.getTime())

/** Parses seconds or a date. */
function retryAfter(value: string | null, now: Date): Date | undefined {
  if (value === null) return undefined
  if (/^\d{1,9}$/.test(value.trim())) return new Date(now.getTime() + Number(value) * 1000)
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : new Date(time)
}

const atSeconds = (value: string | null): Date | undefined =>
  value !== null && /^\d{1,11}$/.test(value.trim()) ? new Date(Number(value) * 1000) : undefined
