// HTML as text in which everything that is inserted is escaped, unless it is HTML itself.

import { escapeForTerminal } from '../../plan/text/display.ts'

export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | null | undefined | readonly Part[]

/** A template: `` markup`<p>${text}</p>` ``. Attributes must be quoted. */
export const markup = (parts: TemplateStringsArray, ...values: readonly Part[]): Html =>
  new Html(parts.map((part, at) => `${part}${at < values.length ? textOf(values[at]) : ''}`).join(''))

function textOf(value: Part): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value))
  return value.map(textOf).join('')
}

const entities: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Hidden characters, such as those that turn the direction of text around, are spelled out. */
export const escapeHtml = (text: string): string =>
  escapeForTerminal(text, { multiline: true }).replace(/[<>&"']/g, (character) => entities[character] ?? '')
