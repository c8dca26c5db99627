// Times and names as the page shows them.

import { duration } from '../../../view/duration.ts'

export { duration, elapsed } from '../../../view/duration.ts'

/** `5m`, `3h`, `2d`: how long ago. */
export function age(instant: string | null | undefined, now: number): string {
  if (instant === null || instant === undefined) return ''
  const ms = Math.max(0, now - Date.parse(instant))
  if (ms < 60_000) return 'just now'
  return `${duration(ms).split(' ')[0] ?? ''} ago`
}

const clock = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

export const moment = (instant: string | null | undefined): string =>
  instant === null || instant === undefined ? '' : clock.format(new Date(instant))

export const short = (oid: string | null | undefined): string => (oid ?? '').slice(0, 8)

/** `Ada <ada@example.com>` → `Ada` */
export const person = (by: string): string => by.replace(/\s*<[^>]*>$/, '')

export const bytes = (size: number): string =>
  size < 1000
    ? `${size} B`
    : size < 1_000_000
      ? `${(size / 1000).toFixed(0)} kB`
      : `${(size / 1_000_000).toFixed(1)} MB`

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`
