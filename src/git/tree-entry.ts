// One entry of a tree, by its name.

import type { Oid } from '../plan/values.ts'

/** As git writes them today. Names may be told apart in another way by a git that reads others. */
const modes = new Set(['40000', '100644', '100755', '120000', '160000'])

/** The name one byte a character. `odd`: the tree is not one that git makes, its order or form is another, and what it holds is git's to say. */
export function entryOf(bytes: Buffer, name: string): { readonly id: Oid; readonly isTree: boolean } | undefined | 'odd' {
  let found: { readonly id: Oid; readonly isTree: boolean } | undefined
  let before = ''
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(32, at)
    const end = bytes.indexOf(0, space + 1)
    const next = end + 21
    const mode = bytes.toString('latin1', at, space)
    const here = bytes.toString('latin1', space + 1, end)
    const isTree = mode === '40000'
    // Directories stand where they would with a slash behind their names.
    const sorted = isTree ? `${here}/` : here
    if (space < 0 || end <= space + 1 || next > bytes.length || !modes.has(mode) || sorted <= before || here.includes('/')) return 'odd'
    if (here === name && found !== undefined) return 'odd'
    if (here === name) found = { id: bytes.toString('hex', end + 1, next) as Oid, isTree }
    before = sorted
    at = next
  }
  return found
}
