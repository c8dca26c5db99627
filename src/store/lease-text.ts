// The text of a lease: which clone runs the plan with `--push`, and until when. Anybody who can push can write one, so
// nothing in it is trusted.

/** Limits of `plan.lease`, the duration of one lease, which the holder renews. */
export const shortestLeaseMs = 10_000
export const longestLeaseMs = 60 * 60_000

/** A ref cannot claim a longer lease than any run would take; twice the duration allows for clocks that differ. */
export const mostAheadMs = 2 * longestLeaseMs

export interface LeaseHolder {
  readonly holder: string
  readonly until: Date
}

/** undefined: the lease has expired, or no run would have written this text. */
export function leaseIn(text: string, now: Date): LeaseHolder | undefined {
  const { holder, until } = fieldsIn(text)
  const end = Date.parse(until)
  const isNow = end > now.getTime() && end < now.getTime() + mostAheadMs
  return isNow ? { holder: holder.slice(0, 200), until: new Date(end) } : undefined
}

export function fieldsIn(text: string): { holder: string; until: string } {
  try {
    const { holder, until } = JSON.parse(text.slice(0, 2000)) as { holder?: unknown; until?: unknown }
    return { holder: typeof holder === 'string' ? holder : '', until: typeof until === 'string' ? until : '' }
  } catch {
    return { holder: '', until: '' }
  }
}
