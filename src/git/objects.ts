// Writing objects. Nothing here moves a ref (but that of the notes) or touches a work tree; `flush` makes what was written survive a power loss, and comes
// before any ref is moved to it.

import { open, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PlanError } from '../errors.ts'
import type { Oid } from '../plan/values.ts'
import { onDisk, type RawPath } from './raw-path.ts'
import type { Repository } from './repository.ts'

export class ObjectWriter {
  readonly #repo: Repository
  /** What was written before this command began is not ours to make durable. A margin, for file systems with coarse times. */
  #flushedUpTo = Date.now() - 5000

  constructor(repo: Repository) {
    this.#repo = repo
  }

  /** With a path: through the filters that `git add` would use there. */
  async blob(bytes: Uint8Array, path?: string): Promise<Oid> {
    const filters = path === undefined ? ['--no-filters'] : [`--path=${path}`]
    return (await this.#repo.git.text(['hash-object', '-w', '--stdin', ...filters], { input: bytes })) as Oid
  }

  /** Files of the work tree as they are, without filters, in one go. */
  async rawFiles(paths: readonly RawPath[]): Promise<Oid[]> {
    // The list is by lines, and a line that begins with a quote is unquoted: such names go by themselves.
    const plain = paths.filter((path) => !path.includes('\n') && !path.startsWith('"'))
    const input = Buffer.from(plain.map((path) => `${path}\n`).join(''), 'latin1')
    const answer = plain.length === 0 ? '' : await this.#repo.git.text(['hash-object', '-w', '--no-filters', '--stdin-paths'], { input })
    const ids = new Map(answer.split('\n').map((id, at) => [plain[at], id as Oid]))
    const blobs: Oid[] = []
    for (const path of paths) blobs.push(ids.get(path) ?? (await this.blob(await readFile(onDisk(this.#repo.root, path)))))
    return blobs
  }

  /** Signed where the user's configuration says that commits are. */
  async commit(parts: { tree: Oid; parents: readonly Oid[]; message: string }): Promise<Oid> {
    const signing = await this.#signingArgs()
    const args = ['commit-tree', ...signing, ...parts.parents.flatMap((parent) => ['-p', parent]), '-F', '-', parts.tree]
    const answer = await this.#repo.git.run(args, { input: parts.message, ok: [0, 1, 128] })
    if (answer.code === 0) return answer.stdout.toString().trim() as Oid
    throw commitFailure(answer.stderr, { isSigning: signing.length > 0 })
  }

  async tag(parts: { object: Oid; name: string; message: string; tagger: string }): Promise<Oid> {
    const text = `object ${parts.object}\ntype commit\ntag ${parts.name}\ntagger ${parts.tagger}\n\n${parts.message}`
    return (await this.#repo.git.text(['mktag'], { input: text })) as Oid
  }

  /** `Name <mail> seconds zone`, as commits have it. Refuses where the user has no identity. */
  async committer(): Promise<string> {
    const answer = await this.#repo.git.run(['var', 'GIT_COMMITTER_IDENT'], { ok: [0, 1, 128] })
    if (answer.code !== 0) throw noIdentity(answer.stderr)
    return answer.stdout.toString().trim()
  }

  /** The tree with one file put in its place, or taken out. */
  async treeWith(tree: Oid, path: string, blob: Oid | undefined): Promise<Oid> {
    return (await this.#edit(tree, path.split('/'), blob)) ?? this.emptyTree()
  }

  async emptyTree(): Promise<Oid> {
    return this.#repo.once('empty tree', async () => (await this.#repo.git.text(['mktree'], { input: '' })) as Oid)
  }

  /** Puts bytes as they are into the notes of a commit, after making both durable. What went wrong, if anything: a note is not worth a step. */
  async note(ref: string, commit: Oid, bytes: Uint8Array): Promise<string | undefined> {
    const blob = await this.blob(bytes)
    await this.flush()
    const answer = await this.#repo.git.run(['notes', `--ref=${ref}`, 'add', '-f', '-C', blob, commit], { ok: [0, 1, 128] })
    return answer.code === 0 ? undefined : answer.stderr.trim()
  }

  /** Git syncs the files it writes; the directories that name them are ours to sync. */
  async flush(): Promise<void> {
    const objects = join(this.#repo.commonDir, 'objects')
    const began = Date.now()
    const names = (await readdir(objects)).filter((name) => /^([0-9a-f]{2}|pack)$/.test(name))
    for (const directory of [...names.map((name) => join(objects, name)), objects]) {
      const facts = await stat(directory).catch(() => undefined)
      if (facts !== undefined && facts.mtimeMs >= this.#flushedUpTo) await syncPath(directory)
    }
    // A clock that is behind the file system's must not hide a change: leave a margin.
    this.#flushedUpTo = began - 2000
  }

  async #edit(tree: Oid | undefined, parts: readonly string[], blob: Oid | undefined): Promise<Oid | undefined> {
    const [name = '', ...below] = parts
    const wanted = Buffer.from(name).toString('latin1')
    const entries = tree === undefined ? [] : await this.#entries(tree)
    const old = entries.find((entry) => entry.slice(entry.indexOf('\t') + 1) === wanted)
    const kept = entries.filter((entry) => entry !== old)
    const subtree = old?.startsWith('040000 tree ') === true ? (old.split(/[ \t]/)[2] as Oid) : undefined
    const child = below.length > 0 ? await this.#edit(subtree, below, blob) : blob
    if (child !== undefined) kept.push(`${below.length > 0 ? '040000 tree' : '100644 blob'} ${child}\t${wanted}`)
    if (kept.length === 0) return undefined
    const input = Buffer.from(kept.map((entry) => `${entry}\0`).join(''), 'latin1')
    return (await this.#repo.git.text(['mktree', '-z', '--missing'], { input })) as Oid
  }

  /** As `git ls-tree -z` would print them, from the object itself: no process. */
  async #entries(tree: Oid): Promise<string[]> {
    const object = await this.#repo.readObject(tree)
    if (object === undefined) throw new Error(`${tree} is missing`)
    const idLength = this.#repo.objectFormat === 'sha256' ? 32 : 20
    const entries: string[] = []
    for (let at = 0; at < object.bytes.length;) {
      const end = object.bytes.indexOf(0, at)
      const [mode = '', ...words] = object.bytes.toString('latin1', at, end).split(' ')
      const id = object.bytes.toString('hex', end + 1, end + 1 + idLength)
      const type = mode === '40000' ? 'tree' : mode === '160000' ? 'commit' : 'blob'
      entries.push(`${mode.padStart(6, '0')} ${type} ${id}\t${words.join(' ')}`)
      at = end + 1 + idLength
    }
    return entries
  }

  #signingArgs(): Promise<readonly string[]> {
    return this.#repo.once('commit.gpgsign', async () => {
      const answer = await this.#repo.git.run(['config', '--type=bool', '--get', 'commit.gpgsign'], { ok: [0, 1] })
      return answer.stdout.toString().trim() === 'true' ? ['-S'] : []
    })
  }
}

export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function commitFailure(stderr: string, { isSigning }: { isSigning: boolean }): PlanError {
  if (/ident|user\.email|user\.name|tell me who you are/i.test(stderr)) return noIdentity(stderr)
  // The signing program speaks for itself, in its own words: "Couldn't load public key".
  if (isSigning && !/^fatal: .*(object|write)/m.test(stderr)) {
    return new PlanError('preflight', `the commit could not be signed: ${stderr.trim().split('\n').at(-1)}`, {
      hint: 'make `git commit -S --allow-empty -m test` work, or: git config commit.gpgsign false',
    })
  }
  return new PlanError('git-failed', `git commit-tree failed: ${stderr.trim()}`)
}

function noIdentity(stderr: string): PlanError {
  return new PlanError('no-identity', 'git does not know who you are', {
    hint: 'git config user.name "Your Name" && git config user.email you@example.com',
    facts: { git: stderr.trim().split('\n')[0] },
  })
}
