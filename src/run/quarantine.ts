// Secrets among what is about to be committed or saved: found before git sees a file, and moved to a directory that only this user can read. What the
// checkpoint held already is not found again.

import type { Stats } from 'node:fs'
import { chmod, open, readFile, readlink, rm } from 'node:fs/promises'
import { PlanError } from '../errors.ts'
import { Inside } from '../git/inside.ts'
import { isPlain } from '../git/plain-files.ts'
import { onDisk, rawList, shown, type RawPath } from '../git/raw-path.ts'
import { treeMode } from '../git/tree-text.ts'
import type { Step } from '../plan/plan.ts'
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

/** What is found again and again is made again and again: by something that is still at work. */
const mostRounds = 3

/** Looks through files before they are stored. What a step made is taken out of the work tree; what a person made stays there, and the command is refused. */
export class SecretGuard {
  readonly #session: Session
  readonly #step: Step | undefined
  readonly #isOfPerson: boolean
  readonly taken: FoundSecret[] = []
  #rounds = 0
  /** Where they are now. */
  place: string | undefined

  /** `step`: which one made it, or on whose behalf it is saved. */
  constructor(session: Session, step: Step | undefined, { isOfPerson = false } = {}) {
    this.#session = session
    this.#step = step
    this.#isOfPerson = isOfPerson
  }

  /** True: something was taken out of the work tree, so look again. */
  async takes(paths: Iterable<RawPath>): Promise<boolean> {
    if (this.#isOfPerson) return refuseSecrets(this.#session, this.#step, paths).then(() => false)
    const found = await newSecrets(this.#session, this.#step, paths)
    if (found.length === 0) return false
    const { place, dir, id } = this.#session
    this.#rounds += 1
    if (this.#rounds > mostRounds)
      throw new PlanError('cannot-save', `a secret comes back as often as it is taken out of the work tree: ${describeSecrets(found)}`, {
        hint: `end what writes it, then: git plan resume ${id}`,
      })
    if (this.place === undefined) {
      this.place = await dir.newAside(`quarantine-${this.#step?.id ?? 'run'}`)
      await chmod(this.place, 0o700)
    }
    const taken = found.map(({ path }) => path)
    await place.moveAside(taken, this.place)
    await this.#putBack(taken)
    this.taken.push(...found)
    return true
  }

  /** What the checkpoint has there: that a file is in quarantine does not mean that the step has deleted it. */
  async #putBack(taken: readonly RawPath[]): Promise<void> {
    const { objects, at, place } = this.#session
    const tipTree = await objects.treeOf(at.tip)
    const index = await place.indexOf(at.tip)
    const tracked: RawPath[] = []
    for (const path of taken) if ((await objects.entryIn(tipTree, path)) !== undefined) tracked.push(path)
    try {
      if (tracked.length > 0) await place.repo.git.run(['checkout-index', '-z', '--stdin'], { index, input: rawList(tracked), ok: [0, 1, 128] })
    } finally {
      await rm(index, { force: true })
    }
  }

  /** Where a command has committed what was taken, HEAD still has it, and git would look for it. */
  async withoutTaken(paths: readonly RawPath[]): Promise<readonly RawPath[]> {
    if (this.taken.length === 0) return paths
    const taken = new Set(this.taken.map(({ path }) => path))
    const there = new Set(await this.#session.place.present([...taken]))
    return paths.filter((path) => !taken.has(path) || there.has(path))
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
    hint: `take it out, and keep it in the environment or in a file that git ignores; then: git plan resume ${session.id} with the same options`,
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
  const files: { readonly path: RawPath; readonly facts: Stats }[] = []
  const gone: RawPath[] = []
  // Where the branch moved under a step, a path can be there twice: gone from the index, and untracked.
  for (const path of new Set(paths)) {
    const at = await inside.look(path)
    if (at.kind !== 'there') gone.push(path)
    else if (at.facts.isFile() || at.facts.isSymbolicLink()) files.push({ path, facts: at.facts })
  }
  const found: FoundSecret[] = []
  let moved: Promise<readonly string[]> | undefined
  for (const { path, facts } of files) {
    const old = { own: () => oldText(session, path), moved: () => (moved ??= oldTexts(session, gone)) }
    const secret = await secretIn(session, path, facts, old).catch((error: unknown) => {
      throw unreadable(error, path, session)
    })
    if (secret !== undefined) found.push({ path, ...secret })
  }
  return found
}

function unreadable(error: unknown, path: RawPath, { id }: Session): unknown {
  if (!['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return error
  return new PlanError('cannot-save', `${shown(path)} cannot be read, so it can be neither looked through nor saved`, {
    hint: `chmod u+r ${JSON.stringify(shown(path))}; then: git plan resume ${id}`,
  })
}

/** What the checkpoint holds at the path itself, and at those that are gone: a file that was moved brings nothing new. */
interface Old {
  readonly own: () => Promise<string | undefined>
  readonly moved: () => Promise<readonly string[]>
}

/** As it lies in the work tree: what is stored through a filter is another text. */
async function oldText(session: Session, path: RawPath): Promise<string | undefined> {
  const { objects, repo, place, at } = session
  const entry = await objects.entryIn(await objects.treeOf(at.tip), path)
  if (entry === undefined || entry.mode === treeMode || entry.mode === '160000') return undefined
  if (entry.mode === '120000' || (await isPlain(place.repo, path))) return (await repo.readBlob(entry.id, 'any'))?.toString('utf8')
  const { stdout } = await place.repo.git.run(['cat-file', '--filters', `--path=${shown(path)}`, entry.id], { ok: [0, 1, 128] })
  return stdout.toString('utf8')
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

async function secretIn(session: Session, path: RawPath, facts: Stats, old: Old): Promise<Omit<FoundSecret, 'path'> | undefined> {
  const name = shown(path)
  const file = onDisk(session.place.root, path)
  const { size } = facts
  if (facts.isSymbolicLink()) return secretInText(await readlink(file, { encoding: 'buffer' }), name, old)
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
