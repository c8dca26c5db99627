// Standard output and standard error. Node creates a stream on first use, which takes longer than most commands need to
// print. So files and pipes are written to directly, and only a terminal uses a stream.

import { fstatSync, writeSync } from 'node:fs'

/** The reader has exited, as in `git plan log | head`: not an error, and no reason to abort a step. */
const readerIsGone = new Set(['EPIPE', 'EIO', 'ENXIO', 'EBADF'])

export interface Sink {
  readonly isTTY: boolean
  readonly columns: number
  /** For live progress. */
  readonly stream: NodeJS.WriteStream
  write(text: string): void
}

export class Output implements Sink {
  readonly #descriptor: 1 | 2
  readonly #make: () => NodeJS.WriteStream
  #made: NodeJS.WriteStream | undefined
  #isDirect: boolean
  #failure: Error | undefined

  constructor(descriptor: 1 | 2, make: () => NodeJS.WriteStream) {
    this.#descriptor = descriptor
    this.#make = make
    // A terminal is a character device.
    this.#isDirect = !fstatSync(descriptor).isCharacterDevice()
  }

  get isTTY(): boolean {
    return !this.#isDirect && this.stream.isTTY
  }

  get columns(): number {
    return this.#isDirect ? 0 : this.stream.columns
  }

  /** For live progress. */
  get stream(): NodeJS.WriteStream {
    if (this.#made !== undefined) return this.#made
    this.#made = this.#make()
    this.#made.on('error', (error: Error) => this.#noteFailure(error))
    return this.#made
  }

  /** The first write error, such as a full disk. The command runs to its end and then exits with an error code. */
  get failure(): Error | undefined {
    return this.#failure
  }

  #noteFailure(error: NodeJS.ErrnoException): void {
    if (!readerIsGone.has(error.code ?? '')) this.#failure ??= error
  }

  write(text: string): void {
    // After a failed write, more text would continue in the middle of a line.
    if (this.#failure !== undefined) return
    if (!this.#isDirect) return void this.stream.write(text)
    const bytes = Buffer.from(text)
    let written = 0
    try {
      while (written < bytes.length) written += writeSync(this.#descriptor, bytes, written)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return this.#noteFailure(error as Error)
      // The descriptor is non-blocking: a stream can wait for it.
      this.#isDirect = false
      this.stream.write(bytes.subarray(written))
    }
  }

  /** Calls `act` once everything is written. */
  afterwards(act: () => void): void {
    if (this.#made === undefined) act()
    else this.#made.write('', () => act())
  }
}
