// The plan file as bytes → front matter and prose. The only importer of gray-matter, which is fenced in: it evaluates
// `---js` fences, caches without options and ends the front matter at any line that begins with `---`. So the first
// line and the closing one must be exactly `---`.

import matter from 'gray-matter'
import type { Finding } from '../model/finding.ts'

export const maxFileBytes = 1024 * 1024

export interface Split {
  readonly text: string
  readonly matter: string
  /** Offset in `text` of the line after the opening fence. */
  readonly matterStart: number
  /** Offset in `text` of the closing fence. */
  readonly matterEnd: number
  /** What follows the line of the closing fence. */
  readonly prose: string
  readonly eol: '\n' | '\r\n'
}

export type SplitResult =
  | { readonly ok: true; readonly split: Split }
  | { readonly ok: false; readonly findings: Finding[] }

export function splitPlanFile(bytes: Uint8Array): SplitResult {
  if (bytes.byteLength > maxFileBytes)
    return refuse('too-large', `the file has ${bytes.byteLength} bytes; at most ${maxFileBytes} are read`, 1)
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return refuse(
      'bad-encoding',
      'the file begins with a byte order mark',
      1,
      'save it as UTF-8 without a byte order mark',
    )
  }
  const nul = bytes.indexOf(0)
  if (nul >= 0) return refuse('bad-encoding', 'the file contains a NUL byte', lineAt(bytes, nul))
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return refuse('bad-encoding', 'the file is not valid UTF-8', 1, 'save it as UTF-8')
  }
  return splitText(text)
}

function splitText(text: string): SplitResult {
  const opening = /^---(\r?\n)/.exec(text)
  if (!opening) {
    return refuse(
      'bad-fence',
      `the first line is not exactly \`---\`${text.startsWith('---') ? '; nothing may follow the three dashes' : ''}`,
      1,
      'begin the file with a line that is exactly `---`, then the front matter, then `---` again',
    )
  }
  const matterStart = opening[0].length
  const file = matter(text.slice(0, matterStart) + text.slice(matterStart).replace(longBlanks, masked), options)
  // It gives the front matter with the end of the opening line, and without the line feed that is before the closing
  // fence.
  const matterEnd = '---'.length + file.matter.length + 1
  const inner = text.slice(matterStart, matterEnd)
  const lonely = /\r(?!\n)/.exec(inner)
  if (lonely)
    return refuse(
      'bad-fence',
      'the front matter contains a carriage return without a line feed',
      2 + feedsIn(inner.slice(0, lonely.index)),
      'end lines with LF or CRLF',
    )
  if (matterEnd > text.length) {
    const lines = feedsIn(text) + (text.endsWith('\n') ? 0 : 1)
    return refuse(
      'bad-fence',
      'the front matter has no closing fence',
      lines,
      'end the front matter with a line that is exactly `---`',
    )
  }
  const proseStart = text.length - file.content.length
  const isClosed = proseStart === text.length ? /^---(\r?\n)?$/ : /^---\r?\n$/
  if (!isClosed.test(text.slice(matterEnd, proseStart))) {
    return refuse(
      'bad-fence',
      'a line in the front matter begins with `---` and is not the closing fence',
      2 + feedsIn(inner),
      'the closing fence is exactly `---`; indent the line if it is text',
    )
  }
  const eol = opening[1] === '\r\n' ? '\r\n' : '\n'
  return { ok: true, split: { text, matter: inner, matterStart, matterEnd, prose: text.slice(proseStart), eol } }
}

const refuseEngine = (): never => {
  throw new Error('only YAML front matter is read')
}
const closed = { parse: refuseEngine, stringify: refuseEngine }
const options = {
  language: 'yaml',
  delimiters: '---',
  engines: {
    yaml: { parse: () => ({}), stringify: refuseEngine },
    json: closed,
    javascript: closed,
    js: closed,
    toml: closed,
    coffee: closed,
  },
}

// gray-matter looks for comments with an expression that takes the square of a run of blanks; a mebibyte of them would
// take minutes. Only where it splits is of interest: between the ends of lines around a fence there can be anything of
// the same length.
const longBlanks = /\s{256,}/g
const masked = (run: string): string => run.slice(0, 2) + 'x'.repeat(run.length - 4) + run.slice(-2)

const feedsIn = (text: string): number => text.split('\n').length - 1

function lineAt(bytes: Uint8Array, offset: number): number {
  let line = 1
  for (let index = 0; index < offset; index++) if (bytes[index] === 10) line++
  return line
}

function refuse(rule: string, message: string, line: number, advice?: string): SplitResult {
  return { ok: false, findings: [{ rule, severity: 'error', message, line, column: 1, ...(advice ? { advice } : {}) }] }
}
