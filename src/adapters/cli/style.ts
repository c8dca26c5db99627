// Colors, symbols and the width of the terminal.

import { styleText } from 'node:util'

export interface Style {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly cyan: (text: string) => string
  readonly signs: Signs
  /** Patches are printed verbatim to files and pipes, and escaped on a terminal. */
  readonly isTerminal: boolean
  /** Width of the terminal; undefined if lines are not shortened. */
  readonly columns: number | undefined
  /** Lines can be redrawn. */
  readonly canDraw: boolean
  /** Questions can be interactive, which also needs Unicode. */
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

const unstyled = (text: string): string => text

export const noStyle: Style = {
  bold: unstyled,
  dim: unstyled,
  red: unstyled,
  green: unstyled,
  yellow: unstyled,
  cyan: unstyled,
  signs: unicodeSigns,
  isTerminal: false,
  columns: undefined,
  canDraw: false,
  canAsk: false,
}

// `validateStream: false`: the caller has decided for its own stream; styleText would check stdout.
const paint =
  (format: 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan') =>
  (text: string): string =>
    styleText(format, text, { validateStream: false })

const colors = {
  bold: paint('bold'),
  dim: paint('dim'),
  red: paint('red'),
  green: paint('green'),
  yellow: paint('yellow'),
  cyan: paint('cyan'),
}

type Env = Readonly<Record<string, string | undefined>>

export function styleFor(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  options: { noColor: boolean; plain?: boolean; env: Env },
): Style {
  const isUnicode = hasUnicode(options.env)
  const signs = isUnicode ? unicodeSigns : asciiSigns
  if (stream.isTTY !== true) return { ...noStyle, signs }
  const isDumb = options.env['TERM'] === 'dumb'
  const isColored = !options.noColor && (options.env['NO_COLOR'] ?? '') === '' && !isDumb
  // 0 means that the size is unknown.
  const columns = stream.columns || undefined
  const canDraw = !isDumb && options.plain !== true && columns !== undefined
  return {
    ...noStyle,
    ...(isColored ? colors : {}),
    signs,
    isTerminal: true,
    columns,
    canDraw,
    canAsk: canDraw && isUnicode,
  }
}

/** Unicode unless the locale says otherwise. The Linux console has no font for these symbols. */
function hasUnicode(env: Env): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || 'UTF-8'
  return env['TERM'] !== 'linux' && /utf-?8/i.test(locale)
}
