// One long-lived git that answers on a pipe: a question costs a line instead of a process. It is started by the first
// question, and by the first one after it was closed or has ended. It may remember what it has read: close it after a
// process that is not ours.

import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { maskTokens } from '../../secrets/mask.ts'
import type { GitCall, GitRunner } from './runner.ts'

/** How a child ended that still owed answers. */
export interface ChildEnd {
  readonly stderr: string
  readonly signal: string | null
}

/**
 * An answer and how many bytes it took; or how many bytes there have to be at least before another look is worth it.
 */
export type Reading<T> = { readonly value: T; readonly length: number } | { readonly needed: number }

interface Question {
  /** How many bytes it took, where the answer is whole. */
  read(bytes: Buffer): number | undefined
  reject(end: ChildEnd): void
}

export class GitChild {
  readonly #git: GitRunner
  readonly #args: readonly string[]
  readonly #call: GitCall
  readonly #batchEnd: string
  #conversation: Conversation | undefined

  /** `batchEnd` is written after the questions of one turn. */
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

  /**
   * Answers come in the order of the questions. `failure` says what it means that git has ended instead of answering.
   */
  ask<T>(question: string, read: (bytes: Buffer) => Reading<T>, failure: (end: ChildEnd) => Error): Promise<T> {
    if (this.#conversation?.isOver !== false)
      this.#conversation = new Conversation(this.#git.open(this.#args, this.#call), this.#batchEnd)
    return this.#conversation.ask(question, read, failure)
  }

  close(): void {
    this.#conversation?.close()
    this.#conversation = undefined
  }
}

/** One child from its start to its end. */
class Conversation {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #batchEnd: string
  #queue: Question[] = []
  #unsent = ''
  /** What came and is not a whole answer yet, and how much is needed: pieces are put together once. */
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

  ask<T>(question: string, read: (bytes: Buffer) => Reading<T>, failure: (end: ChildEnd) => Error): Promise<T> {
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
      // The questions of one turn are one write.
      if (this.#unsent === '') setImmediate(() => this.#send())
      this.#unsent += question
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
    for (let question = this.#queue[0]; question !== undefined; question = this.#queue[0]) {
      const length = question.read(bytes)
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
    for (const question of waiting) question.reject({ stderr: maskTokens(this.#stderr), signal })
  }
}
