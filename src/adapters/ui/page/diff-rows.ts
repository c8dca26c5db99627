// A patch as rows: unified, or the two sides next to each other.

export type RowKind = 'file' | 'meta' | 'hunk' | 'same' | 'added' | 'removed'

export interface DiffRow {
  readonly kind: RowKind
  readonly text: string
  /** Line numbers; 0: none. */
  readonly old: number
  readonly new: number
  /** Index of its file. */
  readonly file: number
}

export interface DiffFile {
  readonly path: string
  readonly row: number
  readonly added: number
  readonly removed: number
}

export interface DiffRows {
  readonly rows: readonly DiffRow[]
  readonly files: readonly DiffFile[]
  /** Length of the longest line. */
  readonly columns: number
}

/** A longer line is scrolled to, and does not make every other one as wide. */
const mostColumns = 1000

export function diffRows(patch: string): DiffRows {
  const rows: DiffRow[] = []
  const files: { path: string; row: number; added: number; removed: number }[] = []
  let [old, now, oldLeft, newLeft, columns] = [0, 0, 0, 0, 0]
  let file = files.at(-1)
  const add = (kind: RowKind, text: string, before = 0, after = 0): void => {
    if (text.length > columns) columns = text.length
    rows.push({ kind, text, old: before, new: after, file: files.length - 1 })
  }
  for (let start = 0; start < patch.length;) {
    const newline = patch.indexOf('\n', start)
    const end = newline < 0 ? patch.length : newline
    const line = patch.slice(start, end)
    start = end + 1
    const mark = line.charCodeAt(0)
    // A line of a hunk may look like a header: only the counts tell.
    if (oldLeft > 0 || newLeft > 0) {
      const text = line.slice(1)
      if (mark === plus) {
        add('added', text, 0, now++)
        newLeft -= 1
        if (file !== undefined) file.added += 1
      } else if (mark === minus) {
        add('removed', text, old++, 0)
        oldLeft -= 1
        if (file !== undefined) file.removed += 1
      } else if (mark === backslash) add('meta', line)
      else {
        add('same', text, old++, now++)
        oldLeft -= 1
        newLeft -= 1
      }
      continue
    }
    const hunk = mark === at ? /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) : null
    if (hunk !== null) {
      old = Number(hunk[1])
      now = Number(hunk[3])
      oldLeft = Number(hunk[2] ?? 1)
      newLeft = Number(hunk[4] ?? 1)
      add('hunk', line)
    } else if (line.startsWith('diff --git ')) {
      file = { path: pathIn(line), row: rows.length, added: 0, removed: 0 }
      files.push(file)
      add('file', file.path)
    } else if (line.startsWith('+++ ') || line.startsWith('--- ')) {
      const path = named(line.slice(4).replace(/\t$/, ''))
      if (path !== undefined && file !== undefined) {
        file.path = path
        rows[file.row] = { ...rows[file.row]!, text: path }
      }
    } else if (!line.startsWith('index ')) add('meta', line)
  }
  return { rows, files, columns: Math.min(columns, mostColumns) }
}

const [plus, minus, at, backslash] = ['+', '-', '@', '\\'].map((mark) => mark.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
]

/** `b/src/a.ts` → `src/a.ts`; undefined: the file is not there. */
function named(name: string): string | undefined {
  const plain = name.startsWith('"') ? unquoted(name) : name
  return plain === '/dev/null' ? undefined : plain.replace(/^[ab]\//, '')
}

/** As Git quotes names with unusual characters. */
function unquoted(name: string): string {
  const bytes: number[] = []
  const inner = name.slice(1, -1)
  const encoder = new TextEncoder()
  const letters: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, a: 7, b: 8, v: 11, f: 12, '"': 34, '\\': 92 }
  for (const [part, escape] of inner.matchAll(/\\([0-7]{3}|.)|[^\\]/gsu))
    if (escape === undefined) bytes.push(...encoder.encode(part))
    else bytes.push(letters[escape] ?? Number.parseInt(escape, 8))
  return new TextDecoder().decode(new Uint8Array(bytes))
}

/** Of a file without `---` and `+++`: both names are the same. */
function pathIn(header: string): string {
  const rest = header.slice('diff --git '.length)
  if (rest.startsWith('"')) return named(/^"(?:[^"\\]|\\.)*"/.exec(rest)?.[0] ?? rest) ?? rest
  const half = (rest.length - 1) / 2
  return rest.slice(2, half) === rest.slice(half + 3) ? rest.slice(2, half) : rest
}

/** The two sides next to each other: a row has one of them, or both. */
export interface SplitRow {
  readonly left: DiffRow | undefined
  readonly right: DiffRow | undefined
}

export function splitRows(rows: readonly DiffRow[]): SplitRow[] {
  const split: SplitRow[] = []
  let removed: DiffRow[] = []
  let added: DiffRow[] = []
  const flush = (): void => {
    for (let each = 0; each < Math.max(removed.length, added.length); each += 1)
      split.push({ left: removed[each], right: added[each] })
    removed = []
    added = []
  }
  for (const row of rows) {
    if (row.kind === 'removed') {
      if (added.length > 0) flush()
      removed.push(row)
    } else if (row.kind === 'added') added.push(row)
    else {
      flush()
      split.push({ left: row, right: row })
    }
  }
  flush()
  return split
}
