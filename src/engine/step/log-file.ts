// A log file that is opened by its first bytes. A log that fails must not fail the step.

import { createWriteStream, type WriteStream } from 'node:fs'

export class LogFile {
  readonly #path: string
  #stream: WriteStream | undefined
  #drained: Promise<void> | undefined

  constructor(path: string) {
    this.#path = path
  }

  write(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    if (this.#stream === undefined) {
      this.#stream = createWriteStream(this.#path, { flags: 'a' })
      this.#stream.on('error', () => {})
    }
    this.#stream.write(bytes)
  }

  /** A promise if it cannot keep up: wait for it before writing more. */
  get drained(): Promise<void> | undefined {
    const stream = this.#stream
    if (stream?.writableNeedDrain !== true) return undefined
    this.#drained ??= new Promise((resolve) => {
      const done = (): void => {
        for (const event of ['drain', 'error', 'close']) stream.off(event, done)
        this.#drained = undefined
        resolve()
      }
      for (const event of ['drain', 'error', 'close']) stream.once(event, done)
    })
    return this.#drained
  }

  async end(): Promise<void> {
    await new Promise<void>((resolve) => (this.#stream === undefined ? resolve() : this.#stream.end(() => resolve())))
  }
}
