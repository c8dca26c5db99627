// Colours, signs and the width of the window, or none. Only the command line knows them.

import { styleText } from 'node:util'

export interface Style {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly cyan: (text: string) => string
  readonly signs: Signs
  /** Patches go to a file or a pipe as they are, to a terminal without what it would obey. */
  readonly isTerminal: boolean
  /** Of the window; undefined where lines may be as long as they are. */
  readonly columns: number | undefined
  /** Lines may be drawn again, over those before. */
  readonly canDraw: boolean
  /** Questions may be drawn, which takes more signs. */
  readonly canAsk: boolean
}

export interface Signs {
  readonly done: string
  readonly failed: string
  readonly skipped: string
  readonly waiting: string
  readonly running: string
  readonly unknown: string
  readonly blocked: string
  readonly more: string
  readonly turning: readonly string[]
}

const unicodeSigns: Signs = {
  done: '✓',
  failed: '✗',
  skipped: '-',
  waiting: '‖',
  running: '▸',
  unknown: '?',
  blocked: '·',
  more: '…',
  turning: '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'.split(''),
}

const asciiSigns: Signs = {
  done: '+',
  failed: 'x',
  skipped: '-',
  waiting: '=',
  running: '>',
  unknown: '?',
  blocked: '.',
  more: '~',
  turning: '-\\|/'.split(''),
}

const plain = (text: string): string => text

export const noStyle: Style = {
  bold: plain,
  dim: plain,
  red: plain,
  green: plain,
  yellow: plain,
  cyan: plain,
  signs: unicodeSigns,
  isTerminal: false,
  columns: undefined,
  canDraw: false,
  canAsk: false,
}

// Whether to colour was decided by us, for the stream that the text goes to: styleText would look at stdout.
const painted =
  (format: 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan') =>
  (text: string): string =>
    styleText(format, text, { validateStream: false })

const colours = {
  bold: painted('bold'),
  dim: painted('dim'),
  red: painted('red'),
  green: painted('green'),
  yellow: painted('yellow'),
  cyan: painted('cyan'),
}

type Env = Readonly<Record<string, string | undefined>>

export function styleFor(stream: { readonly isTTY?: boolean; readonly columns?: number }, options: { noColor: boolean; plain?: boolean; env: Env }): Style {
  const isUnicode = hasUnicode(options.env)
  const signs = isUnicode ? unicodeSigns : asciiSigns
  if (stream.isTTY !== true) return { ...noStyle, signs }
  const isDumb = options.env['TERM'] === 'dumb'
  const isColoured = !options.noColor && (options.env['NO_COLOR'] ?? '') === '' && !isDumb
  // A terminal that does not know its size says 0.
  const columns = stream.columns || undefined
  const canDraw = !isDumb && options.plain !== true && columns !== undefined
  return { ...noStyle, ...(isColoured ? colours : {}), signs, isTerminal: true, columns, canDraw, canAsk: canDraw && isUnicode }
}

/** As the locale says; where it says nothing, as nearly everywhere. The console of Linux has no such font. */
function hasUnicode(env: Env): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || 'UTF-8'
  return env['TERM'] !== 'linux' && /utf-?8/i.test(locale)
}
