// The output of --json. Invisible and control characters are escaped, as JSON allows in any string.

import type { CommandResult } from '../../operation/context.ts'
import { maskValues } from '../../secrets/masked.ts'
import { maskTokens } from '../../secrets/mask.ts'
import type { RunEvent } from '../../engine/run/events.ts'

const hidden = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

export const jsonLine = (value: object): string =>
  `${JSON.stringify(value).replace(hidden, (character) => Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''))}\n`

export const resultAsJson = (result: CommandResult): string =>
  result.each === undefined ? resultLine(result) : result.each.map((data) => resultLine({ ...result, data })).join('')

/**
 * Scans the whole line once. If it contains a token, or a control character that may hide one, each text is masked
 * separately, so that the JSON stays valid.
 */
export function resultAsMaskedJson(result: CommandResult): string {
  const text = resultAsJson(result)
  return maskTokens(text) === text && !/\\(?:u00|[br])/.test(text) ? text : resultAsJson(maskValues(result))
}

const resultLine = (result: CommandResult): string =>
  jsonLine({
    schemaVersion: 1,
    kind: result.kind,
    ...result.data,
    ...(result.next === undefined ? {} : { nextCommands: result.next }),
  })

export const eventAsJson = (event: RunEvent, at: Date): string =>
  jsonLine({ schemaVersion: 1, at: at.toISOString(), ...event })
