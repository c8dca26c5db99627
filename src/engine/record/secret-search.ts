// Searches files for secrets before they are stored: their names, their contents and their filtered form; for shapes of
// secrets and for values that the plan declares as secrets. Secrets that the checkpoint already contains do not count.

import type { Stats } from 'node:fs'
import { open, readFile, readlink } from 'node:fs/promises'
import { PlanError } from '../../errors.ts'
import { NoFollowStat } from '../../git/worktree/no-follow-stat.ts'
import { isUnfiltered } from '../../git/worktree/unfiltered-files.ts'
import { onDisk, rawPath, shown, type RawPath } from '../../git/read/raw-path.ts'
import { storedForms } from '../../git/write/stored-form.ts'
import { treeMode } from '../../git/read/tree-text.ts'
import type { Step } from '../../plan/model/plan.ts'
import type { KnownValues } from '../../secrets/mask.ts'
import {
  findSecretsIn,
  mayBeSecrets,
  mostSecrets,
  readingOf,
  secretInName,
  type Secret,
} from '../../secrets/find-secrets.ts'
import type { Worker } from '../run/worker.ts'

/** The rule that a step can `allow`. */
const secretRule = 'secret'

export interface FoundSecret {
  readonly path: RawPath
  /** A description without the secret itself. */
  readonly what: string
  readonly line?: number | undefined
  /** The path for display, masked: a name can be a secret itself. */
  readonly shown: string
}

type Finding = Pick<FoundSecret, 'what' | 'line'>

/** The description of every declared value. */
const declaredMessage = 'the value of a declared secret'

interface File {
  readonly path: RawPath
  readonly facts: Stats
}

/** Empty if the search is off or the step allows secrets. */
export async function newSecrets(
  worker: Worker,
  step: Step | undefined,
  paths: Iterable<RawPath>,
): Promise<FoundSecret[]> {
  if (!worker.run.settings.secrets || step?.allow.includes(secretRule) === true) return []
  const noFollow = new NoFollowStat(worker.workspace.tree.root)
  const files: File[] = []
  const gone: RawPath[] = []
  // If the branch moved during a step, a path can occur twice: deleted from the index, and untracked.
  for (const path of new Set(paths)) {
    const at = await noFollow.stat(path)
    if (at.kind !== 'there') gone.push(path)
    else if (at.facts.isFile() || at.facts.isSymbolicLink()) files.push({ path, facts: at.facts })
  }
  const found = await secretsInNames(worker, files, gone)
  const old = new CheckpointTexts(worker, gone)
  for (const file of files) {
    if (found.has(file.path)) continue
    const check = worker.workspace.cleanFiles.check(worker.workspace.tree.root, file.path, worker.at.tip)
    if (check === undefined) continue
    const secret = await secretIn(worker, file, old).catch((error: unknown) => {
      throw unreadableError(error, file.path, worker.run.id)
    })
    if (secret === undefined) check.isClean()
    else found.set(file.path, secret)
  }
  const others = files
    .filter(({ path, facts }) => !found.has(path) && facts.isFile() && facts.size <= pieceBytes)
    .map(({ path }) => path)
  for (const [path, bytes] of others.length === 0
    ? []
    : await storedForms(worker.workspace.tree.repo, others, worker.workspace.dir.path)) {
    const secret = await secretInBytes(worker, bytes, shown(path), old.of(path, 'stored'))
    if (secret !== undefined) found.set(path, { what: `${secret.what}, after a filter` })
  }
  return files.flatMap(({ path }) => {
    const finding = found.get(path)
    return finding === undefined ? [] : [{ path, ...finding, shown: worker.run.mask(shown(path)) }]
  })
}

function unreadableError(error: unknown, path: RawPath, id: string): unknown {
  if (!['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return error
  return new PlanError('cannot-save', `${shown(path)} cannot be read, so it can be neither searched nor saved`, {
    hint: `chmod u+r ${JSON.stringify(shown(path))} && git plan resume ${id}`,
  })
}

/** Not new if the same part of a name exists at the checkpoint, for example as a directory. */
async function secretsInNames(
  worker: Worker,
  files: readonly File[],
  gone: readonly RawPath[],
): Promise<Map<RawPath, Finding>> {
  const found = new Map<RawPath, Finding>()
  const mayBe = mayBeSecrets(files.map(({ path }) => path))
  if (!mayBe && worker.run.known.needles.length === 0) return found
  const tipTree = await worker.workspace.objects.treeOf(worker.at.tip)
  for (const { path } of files) {
    const shaped = mayBe ? await secretInName(path) : undefined
    const values = worker.run.known
      .formsIn(shown(path))
      .map(({ form }) => ({ message: declaredMessage, value: rawPath(form) }))
    for (const { message, value } of shaped === undefined ? values : [...values, shaped]) {
      if (gone.some((each) => each.includes(value))) continue
      const end = path.indexOf('/', path.indexOf(value) + value.length)
      const named = (end < 0 ? path : path.slice(0, end)) as RawPath
      if ((await worker.workspace.objects.entryIn(tipTree, named)) === undefined)
        found.set(path, { what: `its name: ${message}` })
    }
  }
  return found
}

/** The checkpoint's text at the path itself and at deleted paths: a moved file brings nothing new. */
interface OldTexts {
  readonly own: () => Promise<string | undefined>
  readonly moved: () => Promise<readonly string[]>
}

/** More deleted files than this are not a move. */
const maxGone = 1000

class CheckpointTexts {
  readonly #worker: Worker
  readonly #gone: readonly RawPath[]
  readonly #moved: { tree?: Promise<readonly string[]>; stored?: Promise<readonly string[]> } = {}

  constructor(worker: Worker, gone: readonly RawPath[]) {
    this.#worker = worker
    this.#gone = gone.slice(0, maxGone)
  }

  /** In the form of the work tree or as stored: a filter makes them differ. */
  of(path: RawPath, form: 'tree' | 'stored'): OldTexts {
    return { own: () => this.#text(path, form), moved: () => (this.#moved[form] ??= this.#texts(form)) }
  }

  async #text(path: RawPath, form: 'tree' | 'stored'): Promise<string | undefined> {
    const { at, workspace } = this.#worker
    const { objects, repo } = workspace
    const entry = await objects.entryIn(await objects.treeOf(at.tip), path)
    if (entry === undefined || entry.mode === treeMode || entry.mode === '160000') return undefined
    if (form === 'stored' || entry.mode === '120000' || (await isUnfiltered(repo, path))) {
      const bytes = await repo.readBlob(entry.id, 'any')
      return bytes === undefined ? undefined : readingOf(bytes)
    }
    const { stdout } = await repo.git.run(['cat-file', '--filters', `--path=${shown(path)}`, entry.id], {
      ok: [0, 1, 128],
    })
    return readingOf(stdout)
  }

  async #texts(form: 'tree' | 'stored'): Promise<readonly string[]> {
    const texts: string[] = []
    for (const path of this.#gone) texts.push((await this.#text(path, form)) ?? '')
    return texts
  }
}

/** Larger files are searched in pieces. */
const pieceBytes = 16 * 1024 * 1024
/** Pieces overlap by this much; no token is longer. */
const overlap = 16 * 1024

async function secretIn(worker: Worker, { path, facts }: File, old: CheckpointTexts): Promise<Finding | undefined> {
  const name = shown(path)
  const file = onDisk(worker.workspace.tree.root, path)
  const { size } = facts
  const texts = old.of(path, 'tree')
  if (facts.isSymbolicLink()) return secretInBytes(worker, await readlink(file, { encoding: 'buffer' }), name, texts)
  if (size <= pieceBytes) return secretInBytes(worker, await readFile(file), name, texts)
  const handle = await open(file)
  try {
    const piece = Buffer.alloc(pieceBytes)
    for (let at = 0; at < size; at += pieceBytes - overlap) {
      const { bytesRead } = await handle.read(piece, 0, pieceBytes, at)
      const secret = await secretInBytes(worker, piece.subarray(0, bytesRead), name, texts)
      if (secret !== undefined) return { ...secret, line: at === 0 ? secret.line : undefined }
    }
    return undefined
  } finally {
    await handle.close()
  }
}

async function secretInBytes(
  { run: { known } }: Worker,
  bytes: Buffer,
  name: string,
  old: OldTexts,
): Promise<Finding | undefined> {
  const secrets = [...declaredIn(known, bytes), ...(await findSecretsIn(bytes, name))]
  if (secrets.length === 0) return undefined
  const text = readingOf(bytes)
  const own = await old.own()
  if (own === text) return undefined
  const added = secrets.filter(({ rule, value }) =>
    rule === 'file-name' ? own === undefined : own?.includes(value) !== true,
  )
  // With more secrets than are examined, it is unknown which are new.
  if (added.length === 0) return secrets.length < mostSecrets ? undefined : { what: `${mostSecrets} secrets or more` }
  const moved = await old.moved()
  if (moved.includes(text)) return undefined
  const first = added.find(({ rule, value }) => rule === 'file-name' || !moved.some((each) => each.includes(value)))
  return first === undefined ? undefined : { what: first.message, line: first.line }
}

function declaredIn(known: KnownValues, bytes: Buffer): Omit<Secret, 'column'>[] {
  if (known.needles.length === 0) return []
  const text = readingOf(bytes)
  return known.formsIn(text).map(({ form, at }) => ({
    rule: 'declared',
    message: declaredMessage,
    value: form,
    line: text.slice(0, at).split('\n').length,
  }))
}
