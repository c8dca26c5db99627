// Files in which the secret search found nothing, by stamp: an unchanged file is not searched again in the same step.

import { lstatSync } from 'node:fs'
import { stampOf } from '../../git/write/durable-fs.ts'
import { onDisk, type RawPath } from '../../git/read/raw-path.ts'

/** File timestamps have a coarse resolution: a file changed this recently may change again and keep its stamp. */
const tickMs = 40

export class CleanFileCache {
  #tip = ''
  readonly #stamps = new Map<RawPath, string>()

  /** Call before reading the file. undefined: unchanged since it was found clean. */
  check(root: string, path: RawPath, tip: string): { readonly isClean: () => void } | undefined {
    if (tip !== this.#tip) this.#stamps.clear()
    this.#tip = tip
    const file = onDisk(root, path)
    const now = Date.now()
    const stamp = stampOf(file, lstatSync)
    if (stamp !== undefined && this.#stamps.get(path) === stamp) return undefined
    return {
      isClean: () => {
        const changedMs = lstatSync(file, { throwIfNoEntry: false })?.ctimeMs
        if (
          stamp !== undefined &&
          changedMs !== undefined &&
          changedMs < now - tickMs &&
          stampOf(file, lstatSync) === stamp
        )
          this.#stamps.set(path, stamp)
      },
    }
  }
}
