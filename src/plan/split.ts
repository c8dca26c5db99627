// The plan file as bytes → front matter and prose. The only importer of gray-matter, which is fenced in: it evaluates
// `---js` fences, caches without options and ends the front matter at any line that begins with `---`. We split ourselves, and refuse
// every file that it would split differently.

import matter from 'gray-matter'
import type { Finding } from './finding.ts'

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

export type SplitResult = { readonly ok: true; readonly split: Split } | { readonly ok: false; readonly findings: Finding[] }

export function splitPlanFile(bytes: Uint8Array): SplitResult {
  if (bytes.byteLength > maxFileBytes) return refuse('too-large', `the file has ${bytes.byteLength} bytes; at most ${maxFileBytes} are read`, 1)
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return refuse('bad-encoding', 'the file begins with a byte order mark', 1, 'save it as UTF-8 without a byte order mark')
  }
  const nul = bytes.indexOf(0)
  if (nul >= 0) return refuse('bad-encoding', 'the file holds a NUL byte', lineAt(bytes, nul))
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
  let line = 2
  for (let start = matterStart; start < text.length; line++) {
    const feed = text.indexOf('\n', start)
    const end = feed < 0 ? text.length : feed
    const content = text.slice(start, feed > start && text[feed - 1] === '\r' ? feed - 1 : end)
    if (content === '---') {
      const split: Split = {
        text,
        matter: text.slice(matterStart, start),
        matterStart,
        matterEnd: start,
        prose: feed < 0 ? '' : text.slice(feed + 1),
        eol: opening[1] === '\r\n' ? '\r\n' : '\n',
      }
      return agreesWithGrayMatter(split) ? { ok: true, split } : refuse('bad-fence', 'the front matter cannot be told from the prose', 1)
    }
    if (content.startsWith('---')) {
      return refuse(
        'bad-fence',
        'a line in the front matter begins with `---` and is not the closing fence',
        line,
        'the closing fence is exactly `---`; indent the line if it is text',
      )
    }
    if (content.includes('\r')) return refuse('bad-fence', 'a carriage return stands alone in the front matter', line, 'end lines with LF or CRLF')
    start = feed < 0 ? text.length : feed + 1
  }
  return refuse('bad-fence', 'the front matter has no closing fence', Math.max(line - 1, 1), 'end the front matter with a line that is exactly `---`')
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

function agreesWithGrayMatter(split: Split): boolean {
  try {
    const ours = squeezed(split.matter)
    const theirs = matter(split.text.slice(0, split.matterStart) + ours + split.text.slice(split.matterEnd), options)
    // Theirs begins with the end of the opening fence's line and lacks its own last line feed.
    return `${theirs.matter}\n` === split.eol + ours && theirs.content === split.prose
  } catch {
    return false
  }
}

// gray-matter looks for comments with an expression that takes the square of a run of blanks; a mebibyte of them would take minutes.
const squeezed = (text: string): string =>
  text.replace(/\s{256,}/g, (run) => (run.includes('\n') ? (run.endsWith('\n') ? (run.endsWith('\r\n') ? '\r\n' : '\n') : '\n ') : ' '))

function lineAt(bytes: Uint8Array, offset: number): number {
  let line = 1
  for (let index = 0; index < offset; index++) if (bytes[index] === 10) line++
  return line
}

function refuse(rule: string, message: string, line: number, advice?: string): SplitResult {
  return { ok: false, findings: [{ rule, severity: 'error', message, line, column: 1, ...(advice ? { advice } : {}) }] }
}
