// Computes the texts that the files of an agent would have after an installation or an uninstallation. Nothing is
// written here, and one file that stands in the way stops all of it.

import { PlanError } from '../../../errors.ts'
import { singleLine } from '../../../plan/text/display.ts'
import { readToml } from '../../../plan/text/toml.ts'
import { quoteIfNeeded } from '../../../process/shell-words.ts'
import type { PieceState } from '../agent-status.ts'
import { isServer, serverCommand, type BlockPiece, type FilePiece, type JsonPiece, type Piece } from './pieces.ts'
import { insertBlock, readBlock, removeBlock } from './splice-block.ts'
import { insertEntry, newFile, readEntries, removeEntries, replaceEntry, type Spliced } from './splice-json.ts'
import { readTarget } from './target-file.ts'
import { authorOf } from './texts.ts'

export interface FileChange {
  readonly file: string
  /** undefined: there is no file. */
  readonly before: string | undefined
  readonly after: string | undefined
}

export interface FoundPiece {
  readonly piece: Piece
  readonly state: PieceState
  /** Why the file cannot be used. */
  readonly problem?: string
}

export async function inspectPiece(top: string, piece: Piece): Promise<FoundPiece> {
  try {
    return { piece, ...(await stateOf(piece, readTarget(top, piece.file))) }
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    return { piece, state: 'broken', problem: error.message }
  }
}

type State = Omit<FoundPiece, 'piece'>

function stateOf(piece: Piece, text: string | undefined): State | Promise<State> {
  if (text === undefined) return { state: 'missing' }
  if (piece.kind === 'json') return jsonState(piece, text)
  if (piece.kind === 'block') return blockState(piece, text)
  return fileState(piece, text)
}

function jsonState({ entry, isOurs, problemIn }: JsonPiece, text: string): State {
  const problem = problemIn?.(text)
  if (problem !== undefined) return { state: 'broken', problem }
  const read = readEntries(text, entry.path, entry.isElement === true)
  if ('problem' in read) return { state: 'broken', problem: read.problem }
  const ours = read.values.filter(isOurs)
  if (ours.length === 0)
    return entry.isElement === true || read.values.length === 0 ? { state: 'missing' } : foreignState(read.values[0])
  // What the user has set beside the command, such as a timeout, stays.
  return { state: ours.some((value) => commandIn(value) === commandIn(entry.value)) ? 'installed' : 'outdated' }
}

/** The commands in an entry. */
function commandIn(value: unknown): string {
  if (typeof value !== 'object' || value === null) return ''
  return Object.entries(value)
    .map(([key, each]) => (typeof each === 'string' && /^(command|bash)$/.test(key) ? each : commandIn(each)))
    .join('')
}

async function blockState({ block, table }: BlockPiece, text: string): Promise<State> {
  const problem = await tomlProblem(text)
  if (problem !== undefined) return { state: 'broken', problem }
  const found = readBlock(text)
  if (found !== undefined) return { state: found === block ? 'installed' : 'outdated' }
  const there = table.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined),
    await readToml(text),
  )
  if (there === undefined) return { state: 'missing' }
  return isServer(there) ? { state: 'yours' } : foreignState(there)
}

/** An agent would call what it starts, as if it were git plan. */
const foreignState = (value: unknown): State => ({
  state: 'foreign',
  problem: `its MCP server git-plan is another program: ${singleLine(serverCommand(value)).slice(0, 100) || 'none'}`,
})

async function tomlProblem(text: string): Promise<string | undefined> {
  try {
    await readToml(text.replace(/^\uFEFF/, ''))
    return undefined
  } catch (error) {
    return `it is not valid TOML: ${(error as Error).message.split('\n')[0]}`
  }
}

async function fileState({ text: expected }: FilePiece, text: string): Promise<State> {
  const own = await expected()
  if (text === own) return { state: 'installed' }
  // JSON has no room for a checksum: a file of another version looks like one that was edited.
  return {
    state:
      authorOf(text) === 'ours' ? 'outdated' : authorOf(text) === 'other' && !mentionsUs(text) ? 'yours' : 'changed',
  }
}

const mentionsUs = (text: string): boolean => /"git-plan"|git plan guard/.test(text)

/** The changes that install these pieces. Throws if a file stands in the way. */
export const planInstall = (top: string, pieces: readonly Piece[]): Promise<FileChange[]> =>
  planChanges(top, pieces, async (piece, text) => {
    const { state, problem } = await stateOf(piece, text)
    if (problem !== undefined) throw unusable(piece.file, problem)
    if (state === 'installed' || (state === 'yours' && piece.kind !== 'file')) return text
    if (state === 'yours' || state === 'changed')
      throw unusable(
        piece.file,
        state === 'yours' ? 'git plan did not write it' : 'it was edited since git plan wrote it',
      )
    const after = await installed(piece, text)
    await refuseInvalid(piece, after)
    return after
  })

/** The changes that remove these pieces. What was edited by hand is left alone. */
export const planUninstall = (top: string, pieces: readonly Piece[]): Promise<FileChange[]> =>
  planChanges(top, pieces, async (piece, text) => {
    if (text === undefined) return undefined
    if (piece.kind === 'file') {
      const { state } = await fileState(piece, text)
      return state === 'installed' || state === 'outdated' ? undefined : text
    }
    if (piece.kind === 'block') return removeBlock(text) === '' ? undefined : removeBlock(text)
    const left = removeEntries(text, piece.entry, piece.isOurs)
    if ('problem' in left) throw unusable(piece.file, left.problem)
    return left.text !== text && left.text === baseText(piece) ? undefined : left.text
  })

const baseText = ({ base = {} }: JsonPiece): string | undefined => {
  const entries = Object.entries(base).map(([name, value]) => ({ path: [name], value }))
  return entries.length === 0 ? undefined : newFile(entries)
}

async function installed(piece: Piece, text: string | undefined): Promise<string> {
  if (piece.kind === 'file') return piece.text()
  if (piece.kind === 'block') return insertBlock(text ?? '', piece.block)
  const { entry, base = {}, isOurs } = piece
  if (text === undefined)
    return newFile([...Object.entries(base).map(([name, value]) => ({ path: [name], value })), entry])
  const spliced: Spliced = readsOurs(text, piece) ? replaceEntry(text, entry, isOurs) : insertEntry(text, entry)
  if ('problem' in spliced) throw new PlanError('path-refused', `${piece.file}: ${spliced.problem}`)
  return spliced.text
}

function readsOurs(text: string, { entry, isOurs }: JsonPiece): boolean {
  const read = readEntries(text, entry.path, entry.isElement === true)
  return 'values' in read && read.values.some(isOurs)
}

/** The whole file, as its agent will read it. */
async function refuseInvalid(piece: Piece, after: string): Promise<void> {
  const problem =
    piece.kind === 'json' ? piece.problemIn?.(after) : piece.kind === 'block' ? await tomlProblem(after) : undefined
  if (problem !== undefined) throw unusable(piece.file, `with the entry ${problem}`)
}

async function planChanges(
  top: string,
  pieces: readonly Piece[],
  change: (piece: Piece, text: string | undefined) => Promise<string | undefined>,
): Promise<FileChange[]> {
  const before = new Map<string, string | undefined>()
  const after = new Map<string, string | undefined>()
  for (const piece of pieces) {
    if (!before.has(piece.file)) before.set(piece.file, readTarget(top, piece.file))
    const text = after.has(piece.file) ? after.get(piece.file) : before.get(piece.file)
    after.set(piece.file, await change(piece, text))
  }
  return [...before].map(([file, text]) => ({ file, before: text, after: after.get(file) }))
}

const unusable = (file: string, problem: string): PlanError =>
  new PlanError('path-refused', `${file} was not changed: ${problem}`, {
    hint:
      problem.startsWith('git plan did not') || problem.startsWith('it was edited')
        ? `mv ${quoteIfNeeded(file)} ${quoteIfNeeded(`${file}.old`)}`
        : `correct it, then: git plan agents status`,
  })
