// Finds secrets in a text: tokens, keys, passwords. `mayHoldSecrets` answers in microseconds, and where it says no `findSecrets` finds nothing.

import { secretFile } from './file-names.ts'
import { nextPlace } from './prefilter.ts'
import type { Secret } from './rule.ts'

export { secretFile } from './file-names.ts'
export type { Secret } from './rule.ts'

/** Loads nothing. */
export const mayHoldSecrets = (bytes: Uint8Array, path: string): boolean =>
  isWideText(bytes) || secretFile(path, bytes) !== undefined || nextPlace(bytes, 0) >= 0

/** What is found stands in `value`, and in no message. A file that is one by its name is the first finding, with its path as the value. */
export async function findSecrets(text: string, path: string): Promise<readonly Secret[]> {
  const plain = withoutGaps(text)
  const reason = secretFile(path, Buffer.from(plain, 'latin1'))
  const byName = reason === undefined ? [] : [{ rule: 'file-name', message: `by its name it is ${reason}`, line: 1, column: 1, value: path }]
  const { lookFor } = await import('./look.ts')
  return [...byName, ...(await lookFor(plain, path))]
}

/** UTF-16, as some editors and shells of Windows write it: half of its bytes are zero, and no rule would see a word. */
const isWideText = (bytes: Uint8Array): boolean => (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)

/** The same where it was read as if it were UTF-8: every other character is a zero. */
function withoutGaps(text: string): string {
  const pairs = text.slice(2, 256).split('')
  const zeros = (odd: number): number => pairs.filter((each, index) => index % 2 === odd && each === '\0').length * 2
  const [even, odd] = [zeros(0), zeros(1)]
  const isWide = pairs.length >= 8 && Math.max(even, odd) > pairs.length * 0.9 && Math.min(even, odd) < pairs.length * 0.1
  return isWide ? text.replaceAll('\0', '') : text
}
