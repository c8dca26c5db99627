// Human-readable times, durations and counts.

/** `850ms`, `1.2s`, `3m 05s`, `2h 10m`, `4d 3h`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))}ms`
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds.toFixed(1)}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m ${String(Math.floor(seconds % 60)).padStart(2, '0')}s`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${hours}h ${String(minutes % 60).padStart(2, '0')}m`
  return `${Math.floor(hours / 24)}d ${hours % 24}h`
}

/** For a running step: whole seconds, since fractions would flicker. */
export const elapsed = (ms: number): string => (ms < 60_000 ? `${Math.floor(ms / 1000)}s` : duration(ms))

/** `2025-11-16 01:31` in UTC, from ISO 8601. */
export const moment = (instant: string | null | undefined): string =>
  instant ? `${instant.slice(0, 10)} ${instant.slice(11, 16)}` : ''

export const short = (oid: string | null | undefined): string => (oid ?? '').slice(0, 7)

export const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
