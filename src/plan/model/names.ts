// Ids and titles that a plan file omits.

import { mayBeSecrets } from '../../secrets/find-secrets.ts'
import { singleLine } from '../text/display.ts'
import { titleProblem } from '../file/text-problems.ts'
import { isId } from './ids.ts'

/**
 * Ids and titles are never derived from text that may hold a token: an id is lowercase, where masking would not
 * recognise the token.
 */
export const areNameable = (texts: readonly string[]): boolean => !mayBeSecrets(texts)

/** A valid id from any text; `fallback` if no usable character is left. */
export const slug = (text: string, fallback: string): string =>
  areNameable([text]) ? slugOf(text, fallback) : fallback

/** The same for text that passed `areNameable`. */
export function slugOf(text: string, fallback: string): string {
  const words = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
  const short = words.replace(/^-+/, '').slice(0, 50).replace(/-+$/, '')
  if (short === '') return fallback
  return isId(short) ? short : isId(`${fallback}-${short}`) ? `${fallback}-${short}` : fallback
}

/** The id, with the first free number from 2 if it is taken. */
export function uniqueId(id: string, taken: ReadonlySet<string>): string {
  if (!taken.has(id)) return id
  for (let number = 2; ; number++) if (!taken.has(`${id}-${number}`)) return `${id}-${number}`
}

/** A valid title from any text; undefined if no usable character is left. */
export const titleFrom = (text: string): string | undefined => (areNameable([text]) ? titleOf(text) : undefined)

/** The same for text that passed `areNameable`. */
export function titleOf(text: string): string | undefined {
  const line = singleLine(text)
  const short = line.length > 100 ? `${singleLine(line.slice(0, 99))}…` : line
  return titleProblem(short) === undefined ? short : undefined
}

/** The first Markdown heading outside code blocks, as a title. */
export function headingOf(prose: string): string | undefined {
  let fence: string | undefined
  for (const line of prose.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark && !fence) fence = mark
    else if (fence && mark && mark[0] === fence[0] && mark.length >= fence.length) fence = undefined
    if (mark || fence) continue
    // Cut before removing the closing marks: that expression is not linear.
    const heading = /^ {0,3}#{1,6}[ \t]+(.*)$/.exec(line)?.[1]?.slice(0, 300).trim()
    const title = heading === undefined ? undefined : titleFrom(heading.replace(/(^|[ \t])#+$/, ''))
    if (title !== undefined) return title
  }
  return undefined
}

/** `.plans/add-limits.md` → `add-limits`. */
export const idFromFile = (file: string): string =>
  slug((file.split(/[\\/]/).at(-1) ?? '').replace(/\.(md|markdown)$/i, ''), 'plan')
