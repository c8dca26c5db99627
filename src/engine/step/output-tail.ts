// The end of a command's output, which usually says why it failed.

import { Redactor, type KnownValues } from '../../secrets/mask.ts'

const maxBytes = 16 * 1024
const maxLines = 20

/** Masks secrets as they arrive: one that is cut in half could not be recognized. */
export class OutputTail {
  readonly #redactors: Record<'stdout' | 'stderr', Redactor>
  #bytes = Buffer.alloc(0)

  constructor(secrets: KnownValues) {
    this.#redactors = { stdout: new Redactor(secrets), stderr: new Redactor(secrets) }
  }

  push(chunk: Uint8Array, stream: 'stdout' | 'stderr'): undefined {
    this.#keep(this.#redactors[stream].push(chunk))
  }

  /** Nothing may be pushed afterwards. */
  end(): string {
    for (const stream of ['stdout', 'stderr'] as const) this.#keep(this.#redactors[stream].end())
    return this.#bytes.toString('utf8').trimEnd().split('\n').slice(-maxLines).join('\n')
  }

  #keep(bytes: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]).subarray(-maxBytes)
  }
}
