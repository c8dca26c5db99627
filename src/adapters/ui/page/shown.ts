// Text as the page shows it: without the colors that programs print for terminals, and with hidden characters, such as
// those that turn the direction of text around, spelled out.

import { escapeForTerminal } from '../../../plan/text/display.ts'

/** Control sequences, and the titles and links of terminals. */
// oxlint-disable-next-line no-control-regex -- these are control characters
const sequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?)/g

export const shown = (text: string): string =>
  escapeForTerminal(text.includes('\u001b') ? text.replace(sequences, '') : text, { multiline: true })

/** JSON of which no string has anything to spell out: nearly all of it, and looking once is faster than at each string. */
const isPlain = (json: string): boolean => /^[\x20-\x7e]*$/.test(json) && !/\\[ubfr]/.test(json)

/** The plan file, which a person may edit, and changes, of which only the lines on the screen are looked at. */
const untouched: ReadonlySet<string> = new Set(['text', 'diff'])

/** An answer of the server, as it is shown. */
export const shownJson = (json: string): unknown => {
  const data: unknown = JSON.parse(json)
  return json.length < 1_000_000 && isPlain(json) ? data : shownData(data)
}

export function shownData<T>(value: T, key = ''): T {
  if (typeof value === 'string') return (untouched.has(key) ? value : shown(value)) as T
  if (Array.isArray(value)) return value.map((each: unknown) => shownData(each)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shownData(each, name)])) as T
}
