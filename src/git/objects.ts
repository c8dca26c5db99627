// Writing objects. Nothing here moves a ref (but that of the notes) or touches a work tree; `flush` makes what was written survive a power loss, and comes
// before any ref is moved to it.

import { statSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PlanError } from '../errors.ts'
import type { Oid } from '../plan/values.ts'
import { syncPath } from './disk.ts'
import { writeLoose } from './loose-objects.ts'
import { onDisk, type RawPath } from './raw-path.ts'
import type { Repository } from './repository.ts'

export class ObjectWriter {
  readonly #repo: Repository
  /** What was written before this command began is not ours to make durable. A margin, for file systems with coarse times. */
  readonly #since = Date.now() - 5000
  /** Directories as they were when they were synced. */
  readonly #synced = new Map<string, { readonly mtime: bigint; readonly entries: number }>()

  constructor(repo: Repository) {
    this.#repo = repo
  }

  /** With a path: through the filters that `git add` would use there. */
  async blob(bytes: Uint8Array, path?: string): Promise<Oid> {
    if (path === undefined) return this.#write('blob', bytes)
    return (await this.#repo.git.text(['hash-object', '-w', '--stdin', `--path=${path}`], { input: bytes })) as Oid
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
    const settings = await this.#settings()
    const text = settings.isSigning || settings.isShared || parts.message.includes('\0') ? undefined : await this.#commitText(parts)
    if (text !== undefined) return this.#write('commit', Buffer.from(text))
    const signing = settings.isSigning ? ['-S'] : []
    const args = ['commit-tree', ...signing, ...parts.parents.flatMap((parent) => ['-p', parent]), '-F', '-', parts.tree]
    const answer = await this.#repo.git.run(args, { input: parts.message, ok: [0, 1, 128] })
    if (answer.code === 0) return answer.stdout.toString().trim() as Oid
    throw commitFailure(answer.stderr, settings)
  }

  async tag(parts: { object: Oid; name: string; message: string; tagger: string }): Promise<Oid> {
    const text = `object ${parts.object}\ntype commit\ntag ${parts.name}\ntagger ${parts.tagger}\n\n${parts.message}`
    return (await this.#repo.git.text(['mktag'], { input: text })) as Oid
  }

  /** `Name <mail> seconds zone`, as commits have it. Refuses where the user has no identity. */
  committer(): Promise<string> {
    return this.#ident('COMMITTER')
  }

  /** The tree with one file put in its place, or taken out. */
  async treeWith(tree: Oid, path: string, blob: Oid | undefined): Promise<Oid> {
    return (await this.#edit(tree, path.split('/'), blob)) ?? this.emptyTree()
  }

  async emptyTree(): Promise<Oid> {
    return this.#write('tree', new Uint8Array())
  }

  /** Puts bytes as they are into the notes of a commit, after making both durable. What went wrong, if anything: a note is not worth a step. */
  async note(ref: string, commit: Oid, bytes: Uint8Array): Promise<string | undefined> {
    const blob = await this.blob(bytes)
    await this.flush()
    try {
      await this.#repo.git.run(['notes', `--ref=${ref}`, 'add', '-f', '-C', blob, commit])
      return undefined
    } catch (error) {
      // Git that was ended leaves a lock: the intent has to stay open, or nobody could tell whose it is.
      if (!(error instanceof PlanError) || error.code === 'system') throw error
      return error.message
    }
  }

  /** Git syncs the files it writes; the directories that name them are ours to sync. */
  async flush(): Promise<void> {
    const objects = join(this.#repo.commonDir, 'objects')
    const names = (await readdir(objects)).filter((name) => /^([0-9a-f]{2}|pack)$/.test(name))
    for (const directory of [...names.map((name) => join(objects, name)), objects]) await this.#syncDirectory(directory)
  }

  /** A directory that is gone meanwhile names nothing of ours. */
  async #syncDirectory(directory: string): Promise<void> {
    // Not awaited: there are 256 of them, and the way to another thread and back takes ten times as long as the question.
    const facts = statSync(directory, { bigint: true, throwIfNoEntry: false })
    if (facts === undefined || facts.mtimeMs < this.#since) return
    const was = this.#synced.get(directory)
    // Two changes can fall into one tick of the file system's clock: the number of names tells them apart.
    const entries = await readdir(directory).then(
      (all) => all.length,
      () => 0,
    )
    if (was?.mtime === facts.mtimeNs && was.entries === entries) return
    await syncPath(directory).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    })
    this.#synced.set(directory, { mtime: facts.mtimeNs, entries })
  }

  async #edit(tree: Oid | undefined, parts: readonly string[], blob: Oid | undefined): Promise<Oid | undefined> {
    const [name = '', ...below] = parts
    const wanted = Buffer.from(name).toString('latin1')
    const entries = tree === undefined ? [] : await this.#entries(tree)
    const old = entries.find((entry) => entry.name === wanted)
    const kept = entries.filter((entry) => entry !== old)
    const child = below.length > 0 ? await this.#edit(old?.mode === treeMode ? old.id : undefined, below, blob) : blob
    if (child !== undefined) kept.push({ mode: below.length > 0 ? treeMode : '100644', name: wanted, id: child })
    if (kept.length === 0) return undefined
    const lines = kept.toSorted(byName).map(({ mode, name: each, id }) => Buffer.concat([Buffer.from(`${mode} ${each}\0`, 'latin1'), Buffer.from(id, 'hex')]))
    return this.#write('tree', Buffer.concat(lines))
  }

  async #entries(tree: Oid): Promise<TreeEntry[]> {
    const object = await this.#repo.readObject(tree)
    if (object === undefined) throw new Error(`${tree} is missing`)
    const idLength = this.#repo.objectFormat === 'sha256' ? 32 : 20
    const entries: TreeEntry[] = []
    for (let at = 0; at < object.bytes.length;) {
      const end = object.bytes.indexOf(0, at)
      const [mode = '', ...words] = object.bytes.toString('latin1', at, end).split(' ')
      entries.push({ mode, name: words.join(' '), id: object.bytes.toString('hex', end + 1, end + 1 + idLength) as Oid })
      at = end + 1 + idLength
    }
    return entries
  }

  /** Without a process, unless the files have to get the rights that `core.sharedRepository` asks for. */
  async #write(type: 'blob' | 'tree' | 'commit', bytes: Uint8Array): Promise<Oid> {
    if ((await this.#settings()).isShared)
      return (await this.#repo.git.text(['hash-object', '-w', '-t', type, '--stdin', '--no-filters'], { input: bytes })) as Oid
    return writeLoose({ directory: join(this.#repo.commonDir, 'objects'), format: this.#repo.objectFormat }, type, bytes)
  }

  /** Undefined where git has to do it: a name that is not UTF-8 is repaired there. */
  async #commitText({ tree, parents, message }: { tree: Oid; parents: readonly Oid[]; message: string }): Promise<string | undefined> {
    const [author, committer] = await Promise.all([this.#ident('AUTHOR'), this.#ident('COMMITTER')])
    if (/\ufffd/.test(`${author}${committer}`)) return undefined
    const headers = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`), `author ${author}`, `committer ${committer}`]
    return `${headers.join('\n')}\n\n${message}`
  }

  /** Git says who and in which zone, once; the time is that of the commit, unless the environment fixes it. */
  async #ident(role: 'AUTHOR' | 'COMMITTER'): Promise<string> {
    const asked = await this.#repo.once(`ident ${role}`, async () => {
      const answer = await this.#repo.git.run(['var', `GIT_${role}_IDENT`], { ok: [0, 1, 128] })
      if (answer.code !== 0) throw /invalid date/i.test(answer.stderr) ? badDate(role, answer.stderr) : noIdentity(answer.stderr)
      return answer.stdout.toString().replace(/\n$/, '')
    })
    const isFixed = (this.#repo.git.env[`GIT_${role}_DATE`] ?? '') !== ''
    return isFixed ? asked : asked.replace(/ \d+ ([+-]\d{4})$/, ` ${Math.floor(Date.now() / 1000)} $1`)
  }

  /** What makes more of a commit than its text. */
  async #settings(): Promise<WriteSettings> {
    // By branch: `includeIf "onbranch:…"` may say other things on that of a plan.
    return this.#repo.once(`settings of objects on ${await this.#repo.headBranch()}`, async () => {
      const wanted = '^(commit\\.gpgsign|core\\.sharedrepository)$'
      const answer = await this.#repo.git.run(['config', '--null', '--get-regexp', wanted], { ok: [0, 1] })
      // The last one counts. A key without `=` is true.
      const values = new Map(
        answer.stdout
          .toString()
          .split('\0')
          .map((entry) => [entry.split('\n')[0] ?? '', entry.split('\n')[1] ?? 'true']),
      )
      // What is not plainly off is left to git, which knows all the ways to say it.
      const isOff = (value: string | undefined): boolean => value === undefined || ['', 'false', 'no', 'off', '0', 'umask'].includes(value.toLowerCase())
      return {
        isSigning: !isOff(values.get('commit.gpgsign')),
        isShared: !isOff(values.get('core.sharedrepository')),
      }
    })
  }
}

interface WriteSettings {
  readonly isSigning: boolean
  readonly isShared: boolean
}

/** The name one byte a character, as in a RawPath. */
interface TreeEntry {
  readonly mode: string
  readonly name: string
  readonly id: Oid
}

const treeMode = '40000'

/** By bytes, directories as if their name ended with a slash: the order that git demands. */
function byName(a: TreeEntry, b: TreeEntry): number {
  const [left, right] = [a, b].map(({ name, mode }) => (mode === treeMode ? `${name}/` : name)) as [string, string]
  return left < right ? -1 : left > right ? 1 : 0
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

function badDate(role: string, stderr: string): PlanError {
  return new PlanError('usage', `GIT_${role}_DATE is no date that git can read: ${stderr.trim().replace(/^fatal: /, '')}`, { hint: `unset GIT_${role}_DATE` })
}

function noIdentity(stderr: string): PlanError {
  return new PlanError('no-identity', 'git does not know who you are', {
    hint: 'git config user.name "Your Name" && git config user.email you@example.com',
    facts: { git: stderr.trim().split('\n')[0] },
  })
}
