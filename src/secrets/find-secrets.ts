// Finds secrets in a text, a file or a name: tokens, keys, passwords. `mayHoldSecrets` answers in microseconds, and where it says no nothing is found.

import { secretFile } from './file-names.ts'
import { nextPlace } from './prefilter.ts'
import { readingsOf, wideReading } from './readings.ts'
import type { Secret } from './rule.ts'

export { secretFile } from './file-names.ts'
export { readingOf } from './readings.ts'
export type { Secret } from './rule.ts'

/** Loads nothing. */
export function mayHoldSecrets(bytes: Uint8Array, path: string): boolean {
  if (secretFile(path, bytes) !== undefined || nextPlace(bytes, 0) >= 0) return true
  const wide = wideReading(bytes)
  return wide !== undefined && nextPlace(Buffer.from(wide.text, 'latin1'), 0) >= 0
}

/** What is found stands in `value`, and in no message. A file that is one by its name is the first finding, with its path as the value. */
export const findSecrets = (text: string, path: string): Promise<readonly Secret[]> => findSecretsIn(Buffer.from(text), path)

/** The same for the bytes of a file, whatever its encoding is. */
export async function findSecretsIn(bytes: Uint8Array, path: string): Promise<readonly Secret[]> {
  const { lookFor } = await import('./look.ts')
  const found: Secret[] = []
  let plain: Uint8Array = bytes
  for (const [index, { text, isPieces }] of readingsOf(bytes).entries()) {
    if (index === 0) plain = Buffer.from(text, 'latin1')
    // Where pieces were put together no line is one of the file.
    for (const each of await lookFor(text, path, { isPieces })) found.push(isPieces ? { ...each, line: 1, column: 1 } : each)
  }
  const reason = secretFile(path, plain)
  return reason === undefined ? found : [{ rule: 'file-name', message: `by its name it is ${reason}`, line: 1, column: 1, value: path }, ...found]
}

/** Whether one of these names may be a secret itself. No name goes on in the next one, as base64 does in the next line. */
export const mayBeSecrets = (names: readonly string[]): boolean => names.length > 0 && nextPlace(Buffer.from(names.join('\0')), 0) >= 0

/** The first one in a name: a token or a key, and nothing that could be a word. */
export async function secretInName(name: string): Promise<Secret | undefined> {
  const { lookFor } = await import('./look.ts')
  const [first] = await lookFor(name, '', { isPieces: true })
  return first
}
