// Reads unified diffs: of one file for `edit`, of several for `patch`, with the extended headers of Git.

import { escapeForTerminal } from './display.ts'
import { hunkHeader, readHunk, type Hunk } from './read-hunk.ts'

/** The changes of one file. `from` is undefined for a new file, `to` for a deleted one. */
export interface FilePatch {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly isRename: boolean
  /** The mode after the patch, if the patch sets it. */
  readonly executable: boolean | undefined
  readonly hunks: readonly Hunk[]
  /** Line of the patch where this file begins. */
  readonly line: number
}

export interface PatchProblem {
  readonly ok: false
  readonly message: string
  /** Line of the patch. */
  readonly line: number
}

export type ReadPatch = { readonly ok: true; readonly files: readonly FilePatch[] } | PatchProblem

interface Draft {
  readonly line: number
  old?: string
  fresh?: string
  renameFrom?: string
  renameTo?: string
  isNew?: true
  isDeleted?: true
  mode?: string
  readonly hunks: Hunk[]
}

const none = '/dev/null'

/** Header lines between `diff --git` and the hunks. A text: why the patch is refused. */
const headers: readonly (readonly [RegExp, (draft: Draft, value: string) => string | void])[] = [
  [/^--- ([^\t]+)/, (draft, name) => void (draft.old = unquote(name))],
  [/^\+\+\+ ([^\t]+)/, (draft, name) => void (draft.fresh = unquote(name))],
  [/^rename from (.+)/, (draft, name) => void (draft.renameFrom = unquote(name))],
  [/^rename to (.+)/, (draft, name) => void (draft.renameTo = unquote(name))],
  [/^(?:new file|new) mode (\d+)/, (draft, mode) => void (draft.mode = mode)],
  [/^(?:old mode|deleted file mode|index|similarity index|dissimilarity index) (.*)/, () => {}],
  [/^(copy) from /, () => 'it copies a file; use `create`'],
  [/^(copy) to /, () => {}],
  [/^(Binary files|GIT binary patch)/, () => 'it changes a binary file; use `run`'],
]

/** `recount`: the numbers of lines in the headers of hunks may be wrong, as with `git apply --recount`. */
export function readPatch(text: string, { recount = false }: { readonly recount?: boolean } = {}): ReadPatch {
  const lines = text.replace(/\r\n/g, '\n').replace(/\n$/, '').split('\n')
  const drafts: Draft[] = []
  const begin = (line: number): Draft => {
    const draft: Draft = { line, hunks: [] }
    drafts.push(draft)
    return draft
  }
  let at = 0
  while (at < lines.length) {
    const line = lines[at]!
    const draft = drafts.at(-1)
    if (hunkHeader.test(line)) {
      const { hunks } = draft ?? begin(at + 1)
      const hunk = readHunk(lines, at, { recount, name: `hunk ${hunks.length + 1}` })
      if (!hunk.ok) return hunk
      hunks.push(hunk.hunk)
      at = hunk.end
      continue
    }
    const refused = line === '' ? undefined : readHeader(line, () => draft ?? begin(at + 1), begin, at + 1)
    if (refused !== undefined) return { ok: false, message: refused, line: at + 1 }
    at++
  }
  const files: FilePatch[] = []
  for (const draft of drafts) {
    const file = toFile(draft)
    if (typeof file === 'string') return { ok: false, message: file, line: draft.line }
    files.push(file)
  }
  return files.length === 0 ? { ok: false, message: 'the diff has no hunks', line: 1 } : { ok: true, files }
}

function readHeader(
  line: string,
  current: () => Draft,
  begin: (line: number) => Draft,
  at: number,
): string | undefined {
  if (line.startsWith('diff ')) {
    const draft = begin(at)
    const names = gitNames(line.slice('diff --git '.length))
    if (line.startsWith('diff --git ') && names !== undefined) {
      draft.old = unquote(names[0])
      draft.fresh = unquote(names[1])
    }
    return undefined
  }
  const [pattern, take] = headers.find(([each]) => each.test(line)) ?? []
  if (pattern === undefined || take === undefined)
    return `line ${at} of the diff belongs to no hunk and is not a header`
  // Without a line `diff`, the next file begins with `---`.
  const last = current()
  const draft = last.hunks.length > 0 ? begin(at) : last
  if (line.startsWith('new file mode ')) draft.isNew = true
  if (line.startsWith('deleted file mode ')) draft.isDeleted = true
  return take(draft, pattern.exec(line)?.[1] ?? '') ?? undefined
}

/** The names after `diff --git`, if they are quoted or the same: those of a rename stand in lines of their own. */
function gitNames(text: string): readonly [string, string] | undefined {
  const quoted = /^("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")$/.exec(text)
  if (quoted !== null) return [quoted[1] ?? '', quoted[2] ?? '']
  const half = (text.length - 1) / 2
  const [old, fresh] = [text.slice(0, half), text.slice(half + 1)]
  return Number.isInteger(half) && old.slice(1) === fresh.slice(1) ? [old, fresh] : undefined
}

function toFile(draft: Draft): FilePatch | string {
  const [old, fresh] = withoutPrefixes(draft.old, draft.fresh)
  const isRename = draft.renameFrom !== undefined || draft.renameTo !== undefined
  const from = draft.isNew === true || old === none ? undefined : (draft.renameFrom ?? old)
  const to = draft.isDeleted === true || fresh === none ? undefined : (draft.renameTo ?? fresh)
  const { hunks, line, mode } = draft
  if (mode !== undefined && mode !== '100644' && mode !== '100755')
    return `it makes a ${mode === '120000' ? 'symlink' : `file of mode ${mode}`}; use \`run\``
  const executable = mode === undefined ? undefined : mode === '100755'
  if (isRename && (from === undefined || to === undefined)) return 'a rename needs `rename from` and `rename to`'
  if (from !== undefined && to !== undefined && from !== to && !isRename)
    return `it names ${escapeForTerminal(from)} and ${escapeForTerminal(to)}; a rename needs \`rename from\` and \`rename to\``
  if (hunks.length === 0 && from === to && executable === undefined) return 'the diff has no hunks'
  return { from, to, isRename, executable, hunks, line }
}

/** Git writes `a/` and `b/` before the names. Two names that begin alike have no such prefix. */
function withoutPrefixes(
  old: string | undefined,
  fresh: string | undefined,
): readonly [string | undefined, string | undefined] {
  const initial = (name: string | undefined): string => /^[ab](?=\/)/.exec(name ?? '')?.[0] ?? ''
  const isAlike = initial(old) === initial(fresh)
  const strip = (name: string | undefined): string | undefined => (isAlike ? name : name?.replace(/^[ab]\//, ''))
  return [strip(old), strip(fresh)]
}

const escapes: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, a: 7, b: 8, f: 12, v: 11, '"': 34, '\\': 92 }

/** Git quotes names with unusual characters as C does. */
function unquote(name: string): string {
  if (!/^".*"$/.test(name)) return name
  const bytes = [...name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/g)].flatMap(([, octal, letter, rest]) =>
    octal === undefined
      ? rest === undefined
        ? [escapes[letter ?? ''] ?? 63]
        : [...new TextEncoder().encode(rest)]
      : [Number.parseInt(octal, 8)],
  )
  return new TextDecoder().decode(new Uint8Array(bytes))
}
