// Adds a block of lines to a text file of the user, between two comments, and removes it again.

const begin = '# git plan agents install: begin'
const end = '# git plan agents install: end'

const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

/** The line break before the block is part of it: the file need not end with one. */
export function insertBlock(given: string, block: string): string {
  const text = removeBlock(given)
  const lines = ['', begin, ...block.trimEnd().split('\n'), end, '']
  return `${text}${lines.slice(text === '' ? 1 : 0).join(eolOf(given))}`
}

export function removeBlock(text: string): string {
  const found = findBlock(text)
  return found === undefined ? text : text.slice(0, found.from) + text.slice(found.to)
}

/** The lines of the block; undefined: there is none. */
export function readBlock(text: string): string | undefined {
  const found = findBlock(text)
  if (found === undefined) return undefined
  const lines = text.slice(found.from, found.to).trim().split(/\r?\n/)
  return `${lines.slice(1, -1).join('\n')}\n`
}

function findBlock(text: string): { readonly from: number; readonly to: number } | undefined {
  const found = new RegExp(`(?:^|\\r?\\n)${begin}\\r?\\n[\\s\\S]*?(?<=\\n)${end}(?:\\r?\\n|$)`).exec(text)
  return found === null ? undefined : { from: found.index, to: found.index + found[0].length }
}
