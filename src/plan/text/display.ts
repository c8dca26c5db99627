// Characters that are invisible, or that make a terminal show something else.

// Cc control, Cf format (bidi overrides, zero-width, byte order mark, tags), Zl and Zp line separators, Cs lone
// surrogates. Compiled on use: an expression with Unicode classes costs a millisecond even if unused, which is much for
// a small command.
const hidden = (): RegExp => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
// Nearly all text: skips the Unicode expression.
const visible = /^[\x20-\x7e]*$/

/** Hidden characters are refused in ids, titles, paths and branch names. */
export const hasHidden = (text: string): boolean => !visible.test(text) && hidden().test(text)

/** One line without hidden characters, for values derived from free text. */
export const singleLine = (text: string): string => withoutHidden(text.replace(/\s+/g, ' ')).replace(/ +/g, ' ').trim()

/** The first name, and the number of the others. */
export const andMore = ([first = '', ...more]: readonly string[]): string =>
  more.length === 0 ? first : `${first} and ${more.length} more`

/** `1 match`, `2 matches`. */
export const count = (number: number, noun: string): string =>
  `${number} ${number === 1 ? noun : noun.endsWith('ch') ? `${noun}es` : `${noun}s`}`

export const firstTen = (all: readonly string[]): string =>
  all.length > 10 ? `${all.slice(0, 10).join(', ')} and ${all.length - 10} more` : all.join(', ')

const withoutHidden = (text: string): string => (visible.test(text) ? text : text.replace(hidden(), ''))

/**
 * Makes untrusted text safe for a terminal: hidden and control characters are spelled out. `multiline` keeps line feeds
 * and tabs.
 */
export function escapeForTerminal(text: string, options: { multiline?: boolean } = {}): string {
  if (visible.test(text)) return text
  const lines = options.multiline ? text.replace(/\r\n/g, '\n') : text
  return lines.replace(hidden(), (character) =>
    options.multiline && (character === '\n' || character === '\t') ? character : spellOut(character),
  )
}

function spellOut(character: string): string {
  if (character === '\n') return '\\n'
  if (character === '\r') return '\\r'
  if (character === '\t') return '\\t'
  const code = character.codePointAt(0) ?? 0
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
}
