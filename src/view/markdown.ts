// Text of others inside Markdown of ours, on a forge: it must not become a link, a mention, a heading, or anything that
// we seem to say.

import { singleLine } from '../plan/text/display.ts'

/** No markup, no mention, no number of an issue, no table of its own. */
export const inText = (text: string): string =>
  singleLine(text)
    .slice(0, 500)
    .replace(/[\\`*_{}[\]()<>#+!|~$^&]/g, '\\$&')
    .replaceAll('@', '@\u2060')

/**
 * The author's own Markdown as a quotation, from which no fence that is left open can break out; without what would
 * call people, load pictures, hide text, show another address than it leads to, or command the forge.
 */
export function quoted(text: string, most: number): string[] {
  const plain = text
    .trim()
    .replace(/\r\n?/g, '\n')
    .replace(/<!--[\s\S]*?(-->|$)/g, '')
    .replace(/<(?=[a-z/!?])/gi, '\\<')
    .replace(/!\[/g, '!\\[')
    .replace(/\](?=[([:])/g, ']\\')
    .replace(/(?<!\w)@(?=\w)/g, '@\u2060')
    // GitLab obeys lines such as `/merge`.
    .replace(/^(\s*)\/(?=\w)/gm, '$1\\/')
  const shown = plain.slice(0, most)
  return [...shown.split('\n'), ...(shown.length < plain.length ? ['', '… (cut here)'] : [])].map((line) =>
    `> ${line}`.trimEnd(),
  )
}

/** Lines as they are: the fence is longer than any that they hold. */
export function fenced(lines: readonly string[], language: 'text' | 'diff'): string[] {
  const longest = Math.max(2, ...lines.flatMap((line) => line.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return [`${fence}${language}`, ...lines, fence]
}

/** To be unfolded; open where it is short. `summary` is HTML of ours. */
export const folded = (summary: string, lines: readonly string[], options: { isOpen?: boolean } = {}): string[] => [
  `<details${options.isOpen === true ? ' open' : ''}><summary>${summary}</summary>`,
  '',
  ...lines,
  '',
  '</details>',
]

export const sizeOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0)

/** As many as there is room for, and how many are left. */
export function fitting(
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
