// Splits a plan file into front matter and prose. The only importer of gray-matter, which needs care: it evaluates
// `---js` fences, caches when called without options, and ends the front matter at any line that begins with `---`. So
// both fences must be exactly `---`.

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
  /** The text after the line of the closing fence. */
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
  const file = matter(text.slice(0, matterStart) + text.slice(matterStart).replace(longBlanks, maskBlanks), options)
  // gray-matter returns the front matter with the newline of the opening fence, and without the newline before the
  // closing fence.
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
const refusedEngine = { parse: refuseEngine, stringify: refuseEngine }
const options = {
  language: 'yaml',
  delimiters: '---',
  engines: {
    yaml: { parse: () => ({}), stringify: refuseEngine },
    json: refusedEngine,
    javascript: refusedEngine,
    js: refusedEngine,
    toml: refusedEngine,
    coffee: refusedEngine,
  },
}

// gray-matter searches for comments with an expression that is quadratic in a run of blanks: a mebibyte of them would
// take minutes. Only the split position matters here, so the middle of a long run may be anything of the same length;
// its ends stay, because they may hold the newlines around a fence.
const longBlanks = /\s{256,}/g
const maskBlanks = (run: string): string => run.slice(0, 2) + 'x'.repeat(run.length - 4) + run.slice(-2)

const feedsIn = (text: string): number => text.split('\n').length - 1

function lineAt(bytes: Uint8Array, offset: number): number {
  let line = 1
  for (let index = 0; index < offset; index++) if (bytes[index] === 10) line++
  return line
}

function refuse(rule: string, message: string, line: number, advice?: string): SplitResult {
  return { ok: false, findings: [{ rule, severity: 'error', message, line, column: 1, ...(advice ? { advice } : {}) }] }
}
