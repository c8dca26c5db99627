// Secrets among what is about to be committed or saved: found before git sees a file, and moved to a directory that only this user can read. What the
// checkpoint held already is not found again.

import { chmod, open, readFile } from 'node:fs/promises'
import { PlanError } from '../errors.ts'
import { Inside } from '../git/inside.ts'
import { onDisk, shown, type RawPath } from '../git/raw-path.ts'
import { treeMode, type TreeFile } from '../git/tree-text.ts'
import type { Step } from '../plan/plan.ts'
import type { Oid } from '../plan/values.ts'
import { findSecrets, mayHoldSecrets } from '../secrets/find-secrets.ts'
import type { Session } from './session.ts'

/** The rule that a step has to allow. */
const secretRule = 'secret'

export interface FoundSecret {
  readonly path: RawPath
  /** What it is, without it. */
  readonly what: string
  readonly line: number | undefined
}

/** Looks through files before they are stored. What it has found is out of the work tree, or the command is refused. */
export class SecretGuard {
  readonly #session: Session
  readonly #step: Step | undefined
  readonly taken: FoundSecret[] = []
  /** Where they are now. */
  place: string | undefined

  /** For what a step made, and for whatever else is saved on behalf of one. */
  constructor(session: Session, step: Step | undefined) {
    this.#session = session
    this.#step = step
  }

  /** True: something was taken out of the work tree, so look again. */
  async takes(paths: Iterable<RawPath>): Promise<boolean> {
    const found = await newSecrets(this.#session, this.#step, paths)
    if (found.length === 0) return false
    const { place, dir } = this.#session
    if (this.place === undefined) {
      this.place = await dir.newAside(`quarantine-${this.#step?.id ?? 'run'}`)
      await chmod(this.place, 0o700)
    }
    await place.moveAside(
      found.map(({ path }) => path),
      this.place,
    )
    this.taken.push(...found)
    return true
  }

  /** A tree in which what was taken is as the checkpoint has it: that a file is in quarantine does not mean that the step has deleted it. */
  async withTaken(tree: Oid): Promise<Oid> {
    const { objects, at } = this.#session
    const tipTree = await objects.treeOf(at.tip)
    const back = new Map<RawPath, TreeFile>()
    for (const { path } of this.taken) {
      const entry = await objects.entryIn(tipTree, path)
      if (entry !== undefined && entry.mode !== treeMode) back.set(path, { mode: entry.mode, oid: entry.id })
    }
    return back.size === 0 ? tree : objects.treeWithAll(tree, back)
  }

  get message(): string {
    return `it would commit a secret: ${describeSecrets(this.taken)}; moved to ${this.place ?? ''}`
  }
}

/** For what a person made: it stays where it is, and nothing is stored. */
export async function refuseSecrets(session: Session, step: Step | undefined, paths: Iterable<RawPath>): Promise<void> {
  const found = await newSecrets(session, step, paths)
  if (found.length === 0) return
  throw new PlanError('not-allowed', `your changes hold a secret: ${describeSecrets(found)}`, {
    hint: 'take it out, and keep it in the environment or in a file that git ignores; then once more',
    facts: { secrets: found.map(({ path, what, line }) => ({ path: shown(path), what, line })) },
  })
}

export const describeSecrets = (found: readonly FoundSecret[]): string =>
  found
    .slice(0, 5)
    .map(({ path, what, line }) => `${shown(path)}${line === undefined ? '' : `:${line}`} (${what})`)
    .join(', ') + (found.length > 5 ? ` and ${found.length - 5} more` : '')

/** None where they are not looked for, or the step asks to accept them. */
export async function newSecrets(session: Session, step: Step | undefined, paths: Iterable<RawPath>): Promise<FoundSecret[]> {
  if (!session.settings.secrets || step?.allow.includes(secretRule) === true) return []
  const inside = new Inside(session.place.root)
  const files: { readonly path: RawPath; readonly size: number }[] = []
  const gone: RawPath[] = []
  for (const path of paths) {
    const at = await inside.look(path)
    if (at.kind === 'there' && at.facts.isFile()) files.push({ path, size: at.facts.size })
    else if (at.kind !== 'there') gone.push(path)
  }
  const found: FoundSecret[] = []
  let moved: Promise<readonly string[]> | undefined
  for (const { path, size } of files) {
    const old = { own: () => oldText(session, path), moved: () => (moved ??= oldTexts(session, gone)) }
    const secret = await secretIn(session, path, size, old)
    if (secret !== undefined) found.push({ path, ...secret })
  }
  return found
}

/** What the checkpoint holds at the path itself, and at those that are gone: a file that was moved brings nothing new. */
interface Old {
  readonly own: () => Promise<string | undefined>
  readonly moved: () => Promise<readonly string[]>
}

/** A name with a line end cannot be asked for; what is in it counts as new. */
async function oldText(session: Session, path: RawPath): Promise<string | undefined> {
  const name = shown(path)
  return name.includes('\n') ? undefined : (await session.repo.readBlob(`${session.at.tip}:${name}`))?.toString('utf8')
}

/** Where more is gone, something else than a move has happened. */
const mostGone = 1000

async function oldTexts(session: Session, paths: readonly RawPath[]): Promise<readonly string[]> {
  const texts: string[] = []
  for (const path of paths.slice(0, mostGone)) texts.push((await oldText(session, path)) ?? '')
  return texts
}

/** What is longer is looked at piece by piece. */
const pieceBytes = 16 * 1024 * 1024
/** No token is longer than this: pieces overlap by as much. */
const overlap = 16 * 1024

async function secretIn(session: Session, path: RawPath, size: number, old: Old): Promise<Omit<FoundSecret, 'path'> | undefined> {
  const name = shown(path)
  const file = onDisk(session.place.root, path)
  if (size <= pieceBytes) return secretInText(await readFile(file), name, old)
  const handle = await open(file)
  try {
    const piece = Buffer.alloc(pieceBytes)
    for (let at = 0; at < size; at += pieceBytes - overlap) {
      const { bytesRead } = await handle.read(piece, 0, pieceBytes, at)
      const secret = await secretInText(piece.subarray(0, bytesRead), name, old)
      if (secret !== undefined) return { ...secret, line: at === 0 ? secret.line : undefined }
    }
    return undefined
  } finally {
    await handle.close()
  }
}

async function secretInText(bytes: Buffer, name: string, old: Old): Promise<Omit<FoundSecret, 'path'> | undefined> {
  if (!mayHoldSecrets(bytes, name)) return undefined
  const text = bytes.toString('utf8')
  const secrets = await findSecrets(text, name)
  if (secrets.length === 0) return undefined
  const own = await old.own()
  const added = secrets.filter(({ rule, value }) => (rule === 'file-name' ? own === undefined : own?.includes(value) !== true))
  if (added.length === 0) return undefined
  const moved = await old.moved()
  const first = added.find(({ rule, value }) => !moved.some((each) => (rule === 'file-name' ? each === text : each.includes(value))))
  return first === undefined ? undefined : { what: first.message, line: first.line }
}
