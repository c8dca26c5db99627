// A private key in output, between the lines that begin and end it. It may come in many chunks, and is told by its lines, each of which is masked.

const end = /-----END/
/** Base64 of a length that no word has, also behind the prefix of a log. */
const body = /(?=[A-Za-z0-9+/=]{0,80}[a-z])(?=[A-Za-z0-9+/=]{0,80}[A-Z])(?=[A-Za-z0-9+/=]{0,80}\d)[A-Za-z0-9+/=]{40}/
const heading = /^[\s|>]*(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset)\s*:/
const blank = /^[\s|>"'+\\,;)]*$/
/** The last line is shorter than the others, and some have a sum behind it. */
const short = /^[\s|>"'+]*[A-Za-z0-9+/=]{1,76}(?:\\n)?[\s"'+,;\\]*$/
const sum = /^\s*=[A-Za-z0-9+/]{4}\s*$/
/** What may become one of these. */
const beginning = /^[\s|>"'+\\,;)]*(?:(?:\\[nr])*[A-Za-z0-9+/=\\]*|[A-Z][A-Za-z-]{0,9}(?::.*)?|-{1,5}E?N?D?)$/
/** No line of a key is longer, but for one that is in a line as a whole. */
const longest = 8192

/** Where in a block: before the body, in it, behind its last line. */
export type Inside = 'head' | 'body' | 'last'

export interface BlockRead<I = Inside> {
  readonly secrets: readonly (readonly [from: number, to: number])[]
  /** What follows is the beginning of a line; or, where the block is left, no part of it. */
  readonly to: number
  readonly inside: I | undefined
}

/** Reads on from `from`, which is in a block. `isLast`: nothing follows the bytes. */
export function readBlock(bytes: Buffer, from: number, inside: Inside, isLast: boolean): BlockRead {
  const secrets: (readonly [number, number])[] = []
  let state = inside
  for (let at = from; ;) {
    const newline = bytes.indexOf(10, at)
    const lineEnd = newline < 0 ? bytes.length : newline
    const line = bytes.toString('latin1', at, Math.min(lineEnd, at + 2 * longest))
    const ended = end.exec(line)
    if (ended !== null) {
      const before = line.slice(0, ended.index)
      if (body.test(before) || (state !== 'head' && !blank.test(before))) secrets.push([at, at + ended.index])
      return { secrets, to: at + ended.index, inside: undefined }
    }
    if (newline < 0 && !isLast && line.length < longest) {
      const mayBe = line === '' || body.test(line) || beginning.test(line)
      return { secrets, to: at, inside: mayBe ? state : undefined }
    }
    const next = stateAfter(line, state)
    if (next === undefined) return { secrets, to: at, inside: undefined }
    if (!blank.test(line)) secrets.push([at, lineEnd])
    state = next
    if (newline < 0) return { secrets, to: lineEnd, inside: isLast ? undefined : state }
    at = newline + 1
  }
}

/** undefined: the line is no part of a key. */
function stateAfter(line: string, state: Inside): Inside | undefined {
  if (blank.test(line)) return state
  if (state === 'last') return sum.test(line) ? 'last' : undefined
  if (body.test(line)) return 'body'
  if (state === 'body') return short.test(line) ? 'last' : undefined
  return heading.test(line) ? 'head' : undefined
}
