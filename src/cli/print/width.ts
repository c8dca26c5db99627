// How wide text is on a terminal: letters of some scripts take two columns, marks none.

import stringWidth from 'string-width'

export const widthOf = (text: string): number => stringWidth(text)

/** No wider than `columns`; what is cut off is marked. For text without colours. */
export function clipped(text: string, columns: number | undefined, more = '…'): string {
  if (columns === undefined || widthOf(text) <= columns) return text
  let kept = ''
  let width = widthOf(more)
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += widthOf(segment)
    if (width > columns) break
    kept += segment
  }
  return columns < 1 ? '' : `${kept}${more}`
}
