// The output of a step: masked, shown live, saved whole in a log file, and its beginning and end in a note on the
// commit.

import { Redactor } from '../../secrets/mask.ts'
import type { Worker } from '../run/worker.ts'
import { LogFile } from './log-file.ts'

const noteLimit = 64 * 1024

export class StepOutput {
  readonly #log: LogFile
  readonly #redactors: Record<'stdout' | 'stderr', Redactor>
  readonly #show: (text: string, stream: 'stdout' | 'stderr') => void
  #head: Buffer[] = []
  #headLength = 0
  #tail: Buffer[] = []
  #tailLength = 0
  #total = 0

  constructor(worker: Worker, step: string, attempt: number) {
    const { known, dir } = worker.run
    this.#log = new LogFile(dir.file('logs', `${step}-${attempt}.log`))
    this.#redactors = { stdout: new Redactor(known), stderr: new Redactor(known) }
    this.#show = (text, stream) => worker.emit({ kind: 'output', step, stream, text })
  }

  /** Adds output that has been shown and logged before. */
  keep(bytes: Uint8Array): void {
    this.#hold(Buffer.from(bytes))
  }

  /** Returns a promise if the log cannot keep up: wait for it before pushing more. */
  push(chunk: Uint8Array, stream: 'stdout' | 'stderr'): Promise<void> | undefined {
    this.#keep(this.#redactors[stream].push(chunk), stream)
    return this.#log.drained
  }

  async end(): Promise<void> {
    for (const stream of ['stdout', 'stderr'] as const) this.#keep(this.#redactors[stream].end(), stream)
    await this.#log.end()
  }

  /** The beginning and end of the output, for the note. */
  note(): Buffer {
    const left = this.#total - this.#headLength - this.#tailLength
    const gap =
      left > 0 ? [Buffer.from(`\n[… ${left} bytes left out; the whole output was in the log of the run …]\n`)] : []
    return Buffer.concat([...this.#head, ...gap, ...this.#tail])
  }

  mask(text: string): string {
    return this.#redactors.stdout.text(text)
  }

  #keep(bytes: Buffer, stream: 'stdout' | 'stderr'): void {
    if (bytes.length === 0) return
    this.#log.write(bytes)
    this.#show(bytes.toString(), stream)
    this.#hold(bytes)
  }

  #hold(bytes: Buffer): void {
    this.#total += bytes.length
    let rest = bytes
    if (this.#headLength < noteLimit / 2) {
      const taken = rest.subarray(0, noteLimit / 2 - this.#headLength)
      this.#head.push(Buffer.from(taken))
      this.#headLength += taken.length
      rest = rest.subarray(taken.length)
    }
    if (rest.length === 0) return
    this.#tail.push(Buffer.from(rest))
    this.#tailLength += rest.length
    while (this.#tailLength > noteLimit / 2) {
      const first = this.#tail[0] ?? Buffer.alloc(0)
      const surplus = Math.min(first.length, this.#tailLength - noteLimit / 2)
      if (surplus === first.length) this.#tail.shift()
      else this.#tail[0] = first.subarray(surplus)
      this.#tailLength -= surplus
    }
  }
}
