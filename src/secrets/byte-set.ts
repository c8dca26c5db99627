// Sets of bytes, written as in the brackets of a regular expression, without escapes. Made by hand: thousands of tests of a pattern would take longer than a step does.

const made = new Map<string, Uint8Array>()

/** 1 for each byte that is in the set. */
export function byteSet(set: string): Uint8Array {
  const known = made.get(set)
  if (known !== undefined) return known
  const isNot = set.startsWith('^')
  const bytes = new Uint8Array(256).fill(isNot ? 1 : 0)
  for (let at = isNot ? 1 : 0; at < set.length; at += 1) {
    const isRange = set[at + 1] === '-' && at + 2 < set.length
    bytes.fill(isNot ? 0 : 1, set.charCodeAt(at), set.charCodeAt(isRange ? at + 2 : at) + 1)
    if (isRange) at += 2
  }
  made.set(set, bytes)
  return bytes
}
