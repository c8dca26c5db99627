// The width of text on a terminal: some characters take two columns, combining marks none.

import { eastAsianWidth } from 'get-east-asian-width'

// Fast path for nearly all text and our own symbols: the segmenter takes longer to start than a small command.
const narrow = /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff✓✗‖▸·…]*$/
// Colors have no width.
// oxlint-disable-next-line no-control-regex -- colors begin with one
const colors = /\u001b\[[0-9;]*m/g

export function widthOf(text: string): number {
  if (narrow.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes(text.replace(colors, ''))) width += graphemeWidth(segment)
  return width
}

/** Cuts text to `columns` and appends `more`. For text without colors. */
export function clip(text: string, columns: number | undefined, more = '…'): string {
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
