// One long-lived `git cat-file --batch-command`: reading an object costs a line on a pipe instead of a process.

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { PlanError } from '../errors.ts'
import { maskTokens } from '../process/redact.ts'
import { neededGit } from './version.ts'
import type { GitRunner } from './runner.ts'
import { troubleOf } from './trouble.ts'

export interface GitObject {
  readonly oid: string
  readonly type: string
  readonly bytes: Buffer
}

interface Request {
  readonly wantsContents: boolean
  resolve(object: GitObject | undefined): void
  reject(error: Error): void
}

export class CatFile {
  readonly #git: GitRunner
  #child: ChildProcessWithoutNullStreams | undefined
  #queue: Request[] = []
  #unsent = ''
  #buffer: Buffer = Buffer.alloc(0)

  constructor(git: GitRunner) {
    this.#git = git
  }

  /** undefined: there is no such object. */
  contents(name: string): Promise<GitObject | undefined> {
    return this.#ask('contents', name)
  }

  async info(name: string): Promise<{ oid: string; type: string } | undefined> {
    return this.#ask('info', name)
  }

  close(): void {
    this.#flush()
    this.#child?.stdin.end()
    this.#child?.unref()
    this.#child = undefined
  }

  #ask(kind: 'contents' | 'info', name: string): Promise<GitObject | undefined> {
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
    this.#buffer = Buffer.alloc(0)
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
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk])
    for (let request = this.#queue[0]; request !== undefined; request = this.#queue[0]) {
      const end = this.#buffer.indexOf(10)
      if (end < 0) return
      const header = this.#buffer.subarray(0, end).toString()
      const match = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(header)
      if (match === null) {
        this.#buffer = this.#buffer.subarray(end + 1)
        this.#queue.shift()
        request.resolve(undefined)
        continue
      }
      const [, oid = '', type = '', size = '0'] = match
      const bodyEnd = end + 1 + Number(size)
      if (request.wantsContents && this.#buffer.length < bodyEnd + 1) return
      const bytes = request.wantsContents ? Buffer.from(this.#buffer.subarray(end + 1, bodyEnd)) : Buffer.alloc(0)
      this.#buffer = this.#buffer.subarray(request.wantsContents ? bodyEnd + 1 : end + 1)
      this.#queue.shift()
      request.resolve({ oid, type, bytes })
    }
  }
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
