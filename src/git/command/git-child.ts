// One long-lived Git process that answers on a pipe: a request costs a line instead of a process. The first request
// starts it, and so does the first one after it was closed or ended. It may cache what it has read, so close it after
// running anything that is not ours.

import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { maskTokens } from '../../secrets/mask.ts'
import type { GitCall, GitRunner } from './runner.ts'

/** How a child ended that had unanswered requests. */
export interface ChildEnd {
  readonly stderr: string
  readonly signal: string | null
}

/** An answer and its length in bytes, or the least number of bytes needed before parsing again can succeed. */
export type ParsedAnswer<T> = { readonly value: T; readonly length: number } | { readonly needed: number }

interface Request {
  /** The number of bytes consumed; undefined: the answer is incomplete. */
  read(bytes: Buffer): number | undefined
  reject(end: ChildEnd): void
}

export class GitChild {
  readonly #git: GitRunner
  readonly #args: readonly string[]
  readonly #call: GitCall
  readonly #batchEnd: string
  #conversation: Conversation | undefined

  /** `batchEnd` is written after the requests of one turn of the event loop. */
  constructor(
    git: GitRunner,
    args: readonly string[],
    { call = {}, batchEnd = '' }: { readonly call?: GitCall; readonly batchEnd?: string } = {},
  ) {
    this.#git = git
    this.#args = args
    this.#call = call
    this.#batchEnd = batchEnd
  }

  /** Answers come in the order of the requests. `failure` makes the error if Git ends without answering. */
  ask<T>(request: string, read: (bytes: Buffer) => ParsedAnswer<T>, failure: (end: ChildEnd) => Error): Promise<T> {
    if (this.#conversation?.isOver !== false)
      this.#conversation = new Conversation(this.#git.open(this.#args, this.#call), this.#batchEnd)
    return this.#conversation.ask(request, read, failure)
  }

  close(): void {
    this.#conversation?.close()
    this.#conversation = undefined
  }
}

/** One child process from start to end. */
class Conversation {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #batchEnd: string
  #queue: Request[] = []
  #unsent = ''
  /** Received bytes that are not a whole answer yet, and the number needed: chunks are concatenated only once. */
  #pieces: Buffer[] = []
  #held = 0
  #needed = 0
  #stderr = ''
  isOver = false

  constructor(child: ChildProcessWithoutNullStreams, batchEnd: string) {
    this.#child = child
    this.#batchEnd = batchEnd
    child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk))
    child.stderr.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString()))
    child.stdin.on('error', () => {})
    child.on('error', () => this.#end(null))
    child.on('close', (_, signal) => this.#end(signal))
  }

  ask<T>(request: string, read: (bytes: Buffer) => ParsedAnswer<T>, failure: (end: ChildEnd) => Error): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#queue.push({
        read: (bytes) => {
          const reading = read(bytes)
          if ('needed' in reading) {
            this.#needed = reading.needed
            return undefined
          }
          resolve(reading.value)
          return reading.length
        },
        reject: (end) => reject(failure(end)),
      })
      // All requests of one turn are sent in one write.
      if (this.#unsent === '') setImmediate(() => this.#send())
      this.#unsent += request
    })
  }

  close(): void {
    this.#send()
    this.#child.stdin.end()
    this.#child.unref()
  }

  #send(): void {
    if (this.#unsent !== '' && !this.isOver) this.#child.stdin.write(this.#unsent + this.#batchEnd)
    this.#unsent = ''
  }

  #receive(chunk: Buffer): void {
    this.#pieces.push(chunk)
    this.#held += chunk.length
    if (this.#held < this.#needed) return
    let bytes = this.#pieces.length === 1 ? chunk : Buffer.concat(this.#pieces)
    this.#needed = 0
    for (let request = this.#queue[0]; request !== undefined; request = this.#queue[0]) {
      const length = request.read(bytes)
      if (length === undefined) break
      bytes = bytes.subarray(length)
      this.#queue.shift()
    }
    this.#pieces = bytes.length === 0 ? [] : [bytes]
    this.#held = bytes.length
  }

  #end(signal: string | null): void {
    this.isOver = true
    const waiting = this.#queue
    this.#queue = []
    for (const request of waiting) request.reject({ stderr: maskTokens(this.#stderr), signal })
  }
}
