// What --json prints. Characters that a terminal would hide or obey are written as escapes, which JSON allows everywhere in its strings.

import type { CommandResult } from '../commands/context.ts'
import { masked } from '../secrets/masked.ts'
import { maskTokens } from '../secrets/mask.ts'
import type { RunEvent } from '../run/events.ts'

const hidden = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

export const jsonLine = (value: object): string =>
  `${JSON.stringify(value).replace(hidden, (character) => Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''))}\n`

export const resultAsJson = (result: CommandResult): string =>
  result.each === undefined ? resultLine(result) : result.each.map((data) => resultLine({ ...result, data })).join('')

/** One look at all of it; text by text where something is found, since JSON has to stay JSON, or where it may hide behind a control character. */
export function maskedAsJson(result: CommandResult): string {
  const text = resultAsJson(result)
  return maskTokens(text) === text && !/\\(?:u00|[br])/.test(text) ? text : resultAsJson(masked(result))
}

const resultLine = (result: CommandResult): string =>
  jsonLine({ schemaVersion: 1, kind: result.kind, ...result.data, ...(result.next === undefined ? {} : { nextCommands: result.next }) })

export const eventAsJson = (event: RunEvent, at: Date): string => jsonLine({ schemaVersion: 1, at: at.toISOString(), ...event })
