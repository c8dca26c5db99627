// Manual pages: Markdown → roff by marked-man, with what it does not know how to say.
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import markedMan from 'marked-man'
import { loadReference } from './reference.mjs'

// The marked that marked-man brings: it is no dependency of ours.
const { Marked } = createRequire(import.meta.resolve('marked-man'))('marked')

const entities = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&', nbsp: '\u00a0' }

/** A line that began with one of these would be a request. */
const escaped = (html) =>
  html
    .replace(/&(lt|gt|quot|#39|amp|nbsp);/g, (_, name) => entities[name])
    .replace(/\\/g, '\\e')
    .replace(/-/g, '\\-')
    .replace(/\u00a0/g, '\\~')
    .replace(/^(['.])/gm, '\\&$1')

const cellEnd = '\u0000'

/** Returns false where marked-man does it well. */
const renderer = (version) => ({
  // No date: the same source gives the same page on every day. Words are neither stretched nor broken, since many of
  // them are there to be typed.
  heading(_text, level, raw) {
    if (level !== 1) return false
    const [, name, summary] = /^(\S+) -- (.*)$/.exec(raw)
    const title = `.TH ${escaped(name.toUpperCase())} 1 "" "git\\-plan ${version}" "Git Plan Manual"`
    return `${title}\n.nh\n.ad l\n.SH NAME\n${escaped(name)} \\- ${escaped(summary)}\n`
  },
  text: (text) => escaped(text),
  codespan: (text) => `\\fB${escaped(text)}\\fR`,
  code: (text) => `.P\n.RS 4\n.nf\n${escaped(text).replace(/^$/gm, '.sp')}\n.fi\n.RE\n`,
  // Boxes of text are hard to read on a terminal: the first cell is a term, the others are what it means.
  table: (_header, body) => body,
  tablerow(content) {
    const [term, ...meaning] = content.split(cellEnd).slice(0, -1)
    return term === undefined ? '' : `.TP\n${term}\n${meaning.join(' ')}\n`
  },
  tablecell: (content, { header }) => (header ? '' : `${content.trim()}${cellEnd}`),
})

/** Where a reader is not told the encoding, only ASCII is safe. */
const ascii = (text) =>
  text.replace(
    /[^\0-\x7f]/gu,
    (character) => `\\[u${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )

export async function writeManual(directory, version) {
  const { manualPages } = await loadReference()
  const marked = new Marked(markedMan, { breaks: false, renderer: renderer(version) })
  mkdirSync(directory, { recursive: true })
  for (const { name, markdown } of manualPages()) {
    const roff = ascii(marked.parse(markdown)).replace(/\n{2,}/g, '\n')
    writeFileSync(`${directory}/${name}.1`, roff)
  }
}
