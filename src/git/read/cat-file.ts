// One long-lived `git cat-file --batch-command`: reading an object costs a line on a pipe instead of a process.

import { PlanError } from '../../errors.ts'
import { GitChild, type ChildEnd, type ParsedAnswer } from '../command/git-child.ts'
import type { ObjectStore } from '../write/object-store.ts'
import { neededGit } from '../command/version.ts'
import type { GitRunner } from '../command/runner.ts'
import { machineErrorOf } from '../command/machine-errors.ts'

export interface GitObject {
  readonly oid: string
  readonly type: string
  readonly bytes: Buffer
}

export type ObjectInfo = Omit<GitObject, 'bytes'> & { readonly size: number }

/** `any`: a file of the user's own, of any size. */
export type SizeLimit = 'usual' | 'any'

/**
 * Limits on the size of objects, asked for before their contents. Anybody can push a branch with a file or message of
 * half a gigabyte, which would fill our memory before it could be judged. No text that we read needs to be larger, and
 * a directory of this size has a million files. Git itself still reads a commit to find its tree or parents, one at a
 * time.
 */
const maxSizes: Readonly<Record<string, number>> = { tree: 64 * 1024 * 1024 }
const maxOtherSize = 4 * 1024 * 1024

export class CatFile {
  readonly #child: GitChild
  readonly #store: ObjectStore
  #seesScratch = false

  constructor(git: GitRunner, store: ObjectStore) {
    this.#store = store
    // With `--buffer` Git sends the answers to all requests of a turn at once, instead of each in three pieces.
    this.#child = new GitChild(git, ['cat-file', '--batch-command', '--buffer'], { batchEnd: 'flush\n' })
  }

  /** undefined: there is no such object. */
  async contents(name: string, size: SizeLimit = 'usual'): Promise<GitObject | undefined> {
    const found = await this.info(name)
    if (found === undefined) return undefined
    if (size === 'usual' && found.size > (maxSizes[found.type] ?? maxOtherSize)) throw tooLarge(name, found)
    return this.#ask('contents', found.oid)
  }

  info(name: string): Promise<ObjectInfo | undefined> {
    return this.#ask('info', name)
  }

  close(): void {
    this.#child.close()
  }

  async #ask(kind: 'contents' | 'info', name: string): Promise<(GitObject & ObjectInfo) | undefined> {
    if (/[\n\0]/.test(name) || name.startsWith('-')) throw new Error(`not an object name: ${JSON.stringify(name)}`)
    // A child started before Git wrote into the scratch directory does not look there.
    if (this.#seesScratch !== this.#store.isUsedByGit) this.#child.close()
    this.#seesScratch = this.#store.isUsedByGit
    return this.#child.ask(`${kind} ${name}\n`, (bytes) => readAnswer(bytes, kind), failureOf)
  }
}

/** A line with id, type and size, then for `contents` the bytes and a newline. Any other line: no such object. */
function readAnswer(bytes: Buffer, kind: 'contents' | 'info'): ParsedAnswer<(GitObject & ObjectInfo) | undefined> {
  const end = bytes.indexOf(10)
  if (end < 0) return { needed: 0 }
  const match = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(bytes.subarray(0, end).toString())
  if (match === null) return { value: undefined, length: end + 1 }
  const [, oid = '', type = '', digits = '0'] = match
  const size = Number(digits)
  const facts = { oid, type, size }
  if (kind === 'info') return { value: { ...facts, bytes: Buffer.alloc(0) }, length: end + 1 }
  const length = end + 1 + size + 1
  if (bytes.length < length) return { needed: length }
  return { value: { ...facts, bytes: Buffer.from(bytes.subarray(end + 1, end + 1 + size)) }, length }
}

function tooLarge(name: string, { oid, type, size }: ObjectInfo): PlanError {
  const limit = (maxSizes[type] ?? maxOtherSize) / 1024 / 1024
  return new PlanError(
    'too-large',
    `${name.replace(/\^\{\w+\}$/, '')} is a ${type} of ${Math.ceil(size / 1024 / 1024)} MB; at most ${limit} MB are read`,
    {
      hint: `git cat-file -s ${oid}`,
    },
  )
}

/** In a partial clone an object may be missing; readers do not fetch it. */
function failureOf({ stderr: complaint, signal }: ChildEnd): Error {
  const trouble = machineErrorOf('cat-file', { signal, stderr: complaint })
  if (trouble !== undefined) return trouble
  if (/unknown option `batch-command'/.test(complaint))
    return new PlanError('old-git', 'this git is too old', { hint: neededGit })
  const missing = /could not fetch ([0-9a-f]{40,64})/.exec(complaint)?.[1]
  if (missing === undefined)
    return new PlanError('git-failed', `git cannot read an object: ${complaint.trim()}`, { hint: 'git fsck' })
  return new PlanError('not-fetched', `object ${missing} has not been fetched into this partial clone`, {
    hint: `git cat-file -p ${missing} >/dev/null`,
  })
}
