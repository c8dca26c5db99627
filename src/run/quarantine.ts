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
  const found: FoundSecret[] = []
  for (const path of paths) {
    const at = await inside.look(path)
    if (at.kind !== 'there' || !at.facts.isFile()) continue
    const secret = await secretIn(session, path, at.facts.size)
    if (secret !== undefined) found.push({ path, ...secret })
  }
  return found
}

/** What is longer is looked at piece by piece. */
const pieceBytes = 16 * 1024 * 1024
/** No token is longer than this: pieces overlap by as much. */
const overlap = 16 * 1024

async function secretIn(session: Session, path: RawPath, size: number): Promise<Omit<FoundSecret, 'path'> | undefined> {
  const name = shown(path)
  const file = onDisk(session.place.root, path)
  // A name with a line end cannot be asked for; what is in it counts as new.
  const before = async (): Promise<Buffer | undefined> => (name.includes('\n') ? undefined : session.repo.readBlob(`${session.at.tip}:${name}`))
  if (size <= pieceBytes) return secretInText(await readFile(file), name, before)
  const handle = await open(file)
  try {
    const piece = Buffer.alloc(pieceBytes)
    for (let at = 0; at < size; at += pieceBytes - overlap) {
      const { bytesRead } = await handle.read(piece, 0, pieceBytes, at)
      const secret = await secretInText(piece.subarray(0, bytesRead), name, before)
      if (secret !== undefined) return { ...secret, line: at === 0 ? secret.line : undefined }
    }
    return undefined
  } finally {
    await handle.close()
  }
}

async function secretInText(bytes: Buffer, name: string, before: () => Promise<Buffer | undefined>): Promise<Omit<FoundSecret, 'path'> | undefined> {
  if (!mayHoldSecrets(bytes, name)) return undefined
  const secrets = await findSecrets(bytes.toString('utf8'), name)
  if (secrets.length === 0) return undefined
  const old = (await before())?.toString('utf8')
  const added = secrets.find(({ rule, value }) => (rule === 'file-name' ? old === undefined : old?.includes(value) !== true))
  return added === undefined ? undefined : { what: added.message, line: added.line }
}
