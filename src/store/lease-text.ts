// What a lease says: who runs the plan with `--push`, and until when. Anybody who can push can write one, so it is
// read with care.

/** For a quarter of an hour at a time. */
export const leaseMs = 15 * 60_000

export interface LeaseHolder {
  readonly holder: string
  readonly until: Date
}

/** undefined: it has expired, or it is nothing that a run would have written. */
export function leaseIn(text: string, now: Date): LeaseHolder | undefined {
  const { holder, until } = fieldsIn(text)
  const end = Date.parse(until)
  // Nobody holds a plan for longer than a lease, whatever a ref says; twice that, for clocks that differ.
  const isNow = end > now.getTime() && end < now.getTime() + 2 * leaseMs
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
