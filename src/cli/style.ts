// Colours, or none. Only the command line knows them.

import { styleText } from 'node:util'

export interface Style {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly cyan: (text: string) => string
  /** Patches go to a file or a pipe as they are, to a terminal without what it would obey. */
  readonly isTerminal: boolean
}

const plain = (text: string): string => text

export const noStyle: Style = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain, isTerminal: false }

// Whether to colour was decided by us, for the stream that the text goes to: styleText would look at stdout.
const painted =
  (format: 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan') =>
  (text: string): string =>
    styleText(format, text, { validateStream: false })

const colours: Style = {
  bold: painted('bold'),
  dim: painted('dim'),
  red: painted('red'),
  green: painted('green'),
  yellow: painted('yellow'),
  cyan: painted('cyan'),
  isTerminal: true,
}

export function styleFor(stream: { readonly isTTY?: boolean }, options: { noColor: boolean; env: Readonly<Record<string, string | undefined>> }): Style {
  if (stream.isTTY !== true) return noStyle
  const isColoured = !options.noColor && (options.env['NO_COLOR'] ?? '') === '' && options.env['TERM'] !== 'dumb'
  return isColoured ? colours : { ...noStyle, isTerminal: true }
}
