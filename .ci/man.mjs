// Converts manual pages from Markdown to roff with marked-man, and renders what it does not support.
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import markedMan from 'marked-man'
import { loadReference } from './reference.mjs'

// The marked that marked-man depends on: it is not a dependency of ours.
const { Marked } = createRequire(import.meta.resolve('marked-man'))('marked')

const entities = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&', nbsp: '\u00a0' }

/** A line that begins with `.` or `'` would be a roff request. */
const escaped = (html) =>
  html
    .replace(/&(lt|gt|quot|#39|amp|nbsp);/g, (_, name) => entities[name])
    .replace(/\\/g, '\\e')
    .replace(/-/g, '\\-')
    .replace(/\u00a0/g, '\\~')
    .replace(/^(['.])/gm, '\\&$1')

const cellEnd = '\u0000'

/** A renderer returns false where marked-man's own output is good. */
const renderer = (version) => ({
  // No date, so that the same source always gives the same page. No justification and no hyphenation, since many words
  // are there to be typed.
  heading(_text, level, raw) {
    if (level !== 1) return false
    const [, name, summary] = /^(\S+) -- (.*)$/.exec(raw)
    const title = `.TH ${escaped(name.toUpperCase())} 1 "" "git\\-plan ${version}" "Git Plan Manual"`
    return `${title}\n.nh\n.ad l\n.SH NAME\n${escaped(name)} \\- ${escaped(summary)}\n`
  },
  text: (text) => escaped(text),
  codespan: (text) => `\\fB${escaped(text)}\\fR`,
  code: (text) => `.P\n.RS 4\n.nf\n${escaped(text).replace(/^$/gm, '.sp')}\n.fi\n.RE\n`,
  // Table borders are hard to read on a terminal: the first cell becomes a term, the others its description.
  table: (_header, body) => body,
  tablerow(content) {
    const [term, ...meaning] = content.split(cellEnd).slice(0, -1)
    return term === undefined ? '' : `.TP\n${term}\n${meaning.join(' ')}\n`
  },
  tablecell: (content, { header }) => (header ? '' : `${content.trim()}${cellEnd}`),
})

/** A reader may not know the encoding, so only ASCII is safe. */
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
