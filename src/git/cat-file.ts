// One long-lived `git cat-file --batch-command`: reading an object costs a line on a pipe instead of a process.

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { PlanError } from '../errors.ts'
import { maskTokens } from '../secrets/mask.ts'
import { neededGit } from './version.ts'
import type { GitRunner } from './runner.ts'
import { troubleOf } from './trouble.ts'

export interface GitObject {
  readonly oid: string
  readonly type: string
  readonly bytes: Buffer
}

export type ObjectInfo = Omit<GitObject, 'bytes'> & { readonly size: number }

/** `any`: a file of the user's own, which is as large as it is. */
export type MostSize = 'usual' | 'any'

/**
 * What is in a branch that somebody has pushed is read, and git lets it be of any size: a file or message of half a gigabyte would take our memory before anybody could judge it. So the
 * size is asked for first. Git itself reads a commit where it has to find its tree or parents, one at a time. No text that we read has a right to be larger; a directory of this size has
 * a million files.
 */
const most: Readonly<Record<string, number>> = { tree: 64 * 1024 * 1024 }
const mostOthers = 4 * 1024 * 1024

interface Request {
  readonly wantsContents: boolean
  resolve(object: (GitObject & ObjectInfo) | undefined): void
  reject(error: Error): void
}

export class CatFile {
  readonly #git: GitRunner
  #child: ChildProcessWithoutNullStreams | undefined
  #queue: Request[] = []
  #unsent = ''
  /** What came and is no whole answer yet, and how much an answer needs: pieces are put together once. */
  #pieces: Buffer[] = []
  #held = 0
  #needed = 0

  constructor(git: GitRunner) {
    this.#git = git
  }

  /** undefined: there is no such object. */
  async contents(name: string, size: MostSize = 'usual'): Promise<GitObject | undefined> {
    const found = await this.info(name)
    if (found === undefined) return undefined
    if (size === 'usual' && found.size > (most[found.type] ?? mostOthers)) throw tooLarge(name, found)
    return this.#ask('contents', found.oid)
  }

  info(name: string): Promise<ObjectInfo | undefined> {
    return this.#ask('info', name)
  }

  close(): void {
    this.#flush()
    this.#child?.stdin.end()
    this.#child?.unref()
    this.#child = undefined
  }

  #ask(kind: 'contents' | 'info', name: string): Promise<(GitObject & ObjectInfo) | undefined> {
    if (/[\n\0]/.test(name) || name.startsWith('-')) return Promise.reject(new Error(`not an object name: ${JSON.stringify(name)}`))
    return new Promise((resolve, reject) => {
      this.#queue.push({ wantsContents: kind === 'contents', resolve, reject })
      this.#send(`${kind} ${name}\n`)
    })
  }

  /** What is asked in one turn is one write, and one answer: git would otherwise send each in three pieces. */
  #send(line: string): void {
    this.#start()
    if (this.#unsent === '') setImmediate(() => this.#flush())
    this.#unsent += line
  }

  #flush(): void {
    if (this.#unsent !== '') this.#child?.stdin.write(`${this.#unsent}flush\n`)
    this.#unsent = ''
  }

  #start(): ChildProcessWithoutNullStreams {
    if (this.#child !== undefined) return this.#child
    const child = spawn('git', this.#git.commandLine(['cat-file', '--batch-command', '--buffer']), {
      cwd: this.#git.cwd,
      env: this.#git.environment(),
      stdio: 'pipe',
      detached: true,
    })
    this.#child = child
    this.#keep(Buffer.alloc(0), 0)
    let complaint = ''
    child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()))
    child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk))
    child.stdin.on('error', () => {})
    const ended = (signal: string | null): void => {
      // One that was closed has nothing to say about the questions of the next.
      if (this.#child !== child) return
      this.#child = undefined
      // What waits is told so, and not asked of the next one.
      this.#unsent = ''
      const waiting = this.#queue
      this.#queue = []
      for (const request of waiting) request.reject(failureOf(complaint, signal))
    }
    child.on('error', () => ended(null))
    child.on('close', (_, signal) => ended(signal))
    return child
  }

  #receive(chunk: Buffer): void {
    this.#pieces.push(chunk)
    this.#held += chunk.length
    if (this.#held < this.#needed) return
    let buffer = this.#pieces.length === 1 ? chunk : Buffer.concat(this.#pieces)
    for (let request = this.#queue[0]; request !== undefined; request = this.#queue[0]) {
      const end = buffer.indexOf(10)
      if (end < 0) break
      const match = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(buffer.subarray(0, end).toString())
      const [, oid = '', type = '', length = '0'] = match ?? []
      const size = Number(length)
      const wantsContents = request.wantsContents && match !== null
      const after = wantsContents ? end + 1 + size + 1 : end + 1
      if (buffer.length < after) return this.#keep(buffer, after)
      const bytes = wantsContents ? Buffer.from(buffer.subarray(end + 1, end + 1 + size)) : Buffer.alloc(0)
      buffer = buffer.subarray(after)
      this.#queue.shift()
      request.resolve(match === null ? undefined : { oid, type, size, bytes })
    }
    this.#keep(buffer, 0)
  }

  #keep(rest: Buffer, needed: number): void {
    this.#pieces = rest.length === 0 ? [] : [rest]
    this.#held = rest.length
    this.#needed = needed
  }
}

function tooLarge(name: string, { oid, type, size }: ObjectInfo): PlanError {
  const limit = (most[type] ?? mostOthers) / 1024 / 1024
  return new PlanError('too-large', `${name.replace(/\^\{\w+\}$/, '')} is a ${type} of ${Math.ceil(size / 1024 / 1024)} MB; at most ${limit} MB are read`, {
    hint: `git cat-file -s ${oid}`,
  })
}

/** In a partial clone an object may be known by name only; readers do not fetch it. */
function failureOf(heard: string, signal: string | null): Error {
  const complaint = maskTokens(heard)
  const trouble = troubleOf('cat-file', { signal, stderr: complaint })
  if (trouble !== undefined) return trouble
  if (/unknown option `batch-command'/.test(complaint)) return new PlanError('old-git', 'this git is too old', { hint: neededGit })
  const missing = /could not fetch ([0-9a-f]{40,64})/.exec(complaint)?.[1]
  if (missing === undefined) return new PlanError('git-failed', `git cannot read an object: ${complaint.trim()}`, { hint: 'git fsck' })
  return new PlanError('not-fetched', `object ${missing} has not been fetched into this partial clone`, { hint: `git cat-file -p ${missing} >/dev/null` })
}
