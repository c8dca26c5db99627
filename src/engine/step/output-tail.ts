// The end of what a command printed, which most often says why it failed.

import { Redactor, type KnownValues } from '../../secrets/mask.ts'

const mostBytes = 16 * 1024
const mostLines = 20

/** Secrets are masked as they pass: of what is cut in the middle nobody could tell that it is one. */
export class OutputTail {
  readonly #redactors: Record<'stdout' | 'stderr', Redactor>
  #bytes = Buffer.alloc(0)

  constructor(secrets: KnownValues) {
    this.#redactors = { stdout: new Redactor(secrets), stderr: new Redactor(secrets) }
  }

  push(chunk: Uint8Array, stream: 'stdout' | 'stderr'): undefined {
    this.#keep(this.#redactors[stream].push(chunk))
  }

  /** Nothing may be pushed after it. */
  end(): string {
    for (const stream of ['stdout', 'stderr'] as const) this.#keep(this.#redactors[stream].end())
    return this.#bytes.toString('utf8').trimEnd().split('\n').slice(-mostLines).join('\n')
  }

  #keep(bytes: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]).subarray(-mostBytes)
  }
}
