// How wide text is on a terminal: letters of some scripts take two columns, marks none.

import { eastAsianWidth } from 'get-east-asian-width'

// Nearly all text, our own signs included: no tables, no segmenter, which takes longer to start than a small command.
const narrow = /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff✓✗‖▸·…]*$/
// Colours count for nothing, and are put on before or after.
// oxlint-disable-next-line no-control-regex -- colours begin with one
const colours = /\u001b\[[0-9;]*m/g

export function widthOf(text: string): number {
  if (narrow.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes(text.replace(colours, ''))) width += graphemeWidth(segment)
  return width
}

/** No wider than `columns`; what is cut off is marked. For text without colours. */
export function clipped(text: string, columns: number | undefined, more = '…'): string {
  if (columns === undefined || widthOf(text) <= columns) return text
  let kept = ''
  let width = widthOf(more)
  for (const { segment } of graphemes(text)) {
    width += widthOf(segment)
    if (width > columns) break
    kept += segment
  }
  return columns < 1 ? '' : `${kept}${more}`
}

const graphemes = (text: string): Iterable<{ readonly segment: string }> => new Intl.Segmenter().segment(text)

function graphemeWidth(segment: string): number {
  const code = segment.codePointAt(0) ?? 0
  if (/^[\p{Cc}\p{Cf}\p{M}]/u.test(segment)) return 0
  return /\p{Emoji_Presentation}|\u{fe0f}/u.test(segment) ? 2 : eastAsianWidth(code)
}
