// Standard output and standard error. Node makes a stream of each at its first use, with all that belongs to streams: that takes longer than to say what most
// commands have to say. So files and pipes are written to directly, as Node itself does it in the end, and only a terminal is a stream.

import { fstatSync, writeSync } from 'node:fs'

/** `git plan log | head` ends the pipe early, a closed terminal takes nothing any more: no error, and no reason to leave a step half done. */
const nobodyListens = new Set(['EPIPE', 'EIO', 'ENXIO', 'EBADF'])

/** What the program writes to. */
export interface Sink {
  readonly isTTY: boolean
  readonly columns: number
  /** For those who draw. */
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
    // What is no device is no terminal.
    this.#isDirect = !fstatSync(descriptor).isCharacterDevice()
  }

  get isTTY(): boolean {
    return !this.#isDirect && this.stream.isTTY
  }

  get columns(): number {
    return this.#isDirect ? 0 : this.stream.columns
  }

  /** For those who draw. */
  get stream(): NodeJS.WriteStream {
    if (this.#made !== undefined) return this.#made
    this.#made = this.#make()
    this.#made.on('error', (error: Error) => this.#noteFailure(error))
    return this.#made
  }

  /** Why not everything could be written, such as a full disk. The command goes on to its end; the exit code says so. */
  get failure(): Error | undefined {
    return this.#failure
  }

  #noteFailure(error: NodeJS.ErrnoException): void {
    if (!nobodyListens.has(error.code ?? '')) this.#failure ??= error
  }

  write(text: string): void {
    // What came later would be appended to half a line.
    if (this.#failure !== undefined) return
    if (!this.#isDirect) return void this.stream.write(text)
    const bytes = Buffer.from(text)
    let written = 0
    try {
      while (written < bytes.length) written += writeSync(this.#descriptor, bytes, written)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return this.#noteFailure(error as Error)
      // Somebody has said that it does not wait: a stream knows how to.
      this.#isDirect = false
      this.stream.write(bytes.subarray(written))
    }
  }

  /** Once all of it is out. */
  afterwards(act: () => void): void {
    if (this.#made === undefined) act()
    else this.#made.write('', () => act())
  }
}
