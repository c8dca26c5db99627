// Embeds untrusted text in our Markdown on a forge: it must not become a link, a mention, a heading, or anything that
// we seem to say.

import { singleLine } from '../plan/text/display.ts'

/** Escapes markup, mentions, issue references and table syntax. */
export const escapeMarkdown = (text: string): string =>
  singleLine(text)
    .slice(0, 500)
    .replace(/[\\`*_{}[\]()<>#+!|~$^&]/g, '\\$&')
    .replaceAll('@', '@\u2060')

/**
 * The author's Markdown as a quotation that an open fence cannot break out of. Neutralises everything that would
 * mention people, load images, hide text, disguise a link, or command the forge.
 */
export function quoteMarkdown(text: string, most: number): string[] {
  const plain = text
    .trim()
    .replace(/\r\n?/g, '\n')
    .replace(/<!--[\s\S]*?(-->|$)/g, '')
    .replace(/<(?=[a-z/!?])/gi, '\\<')
    .replace(/!\[/g, '!\\[')
    .replace(/\](?=[([:])/g, ']\\')
    .replace(/(?<!\w)@(?=\w)/g, '@\u2060')
    // GitLab executes lines such as `/merge`.
    .replace(/^(\s*)\/(?=\w)/gm, '$1\\/')
  const shown = plain.slice(0, most)
  return [...shown.split('\n'), ...(shown.length < plain.length ? ['', '… (cut here)'] : [])].map((line) =>
    `> ${line}`.trimEnd(),
  )
}

/** Verbatim lines, in a fence that is longer than any inside them. */
export function fenced(lines: readonly string[], language: 'text' | 'diff'): string[] {
  const longest = Math.max(2, ...lines.flatMap((line) => line.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return [`${fence}${language}`, ...lines, fence]
}

/** A collapsible section. `summary` is trusted HTML. */
export const collapsible = (
  summary: string,
  lines: readonly string[],
  options: { isOpen?: boolean } = {},
): string[] => [
  `<details${options.isOpen === true ? ' open' : ''}><summary>${summary}</summary>`,
  '',
  ...lines,
  '',
  '</details>',
]

export const sizeOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0)

/** As many lines as fit, and the number of lines left. */
export function fitLines(
  lines: readonly string[],
  room: number,
): { readonly shown: readonly string[]; readonly left: number } {
  let size = 0
  const shown: string[] = []
  for (const line of lines) {
    size += line.length + 1
    if (size > room) break
    shown.push(line)
  }
  return { shown, left: lines.length - shown.length }
}
