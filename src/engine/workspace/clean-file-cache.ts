// Files that were looked through for secrets and held none, as they were then: what has not changed since is not looked
// through again in the same step.

import { lstatSync } from 'node:fs'
import { stampOf } from '../../git/write/durable-fs.ts'
import { onDisk, type RawPath } from '../../git/read/raw-path.ts'

/** Clocks of file systems go in steps: a file that was changed so shortly before may change again and look the same. */
const tickMs = 40

export class CleanFileCache {
  #tip = ''
  readonly #stamps = new Map<RawPath, string>()

  /** To be asked before the file is read. undefined: it has not changed since it was found clean. */
  lookAt(root: string, path: RawPath, tip: string): { readonly isClean: () => void } | undefined {
    if (tip !== this.#tip) this.#stamps.clear()
    this.#tip = tip
    const place = onDisk(root, path)
    const now = Date.now()
    const stamp = stampOf(place, lstatSync)
    if (stamp !== undefined && this.#stamps.get(path) === stamp) return undefined
    return {
      isClean: () => {
        const changedMs = lstatSync(place, { throwIfNoEntry: false })?.ctimeMs
        if (
          stamp !== undefined &&
          changedMs !== undefined &&
          changedMs < now - tickMs &&
          stampOf(place, lstatSync) === stamp
        )
          this.#stamps.set(path, stamp)
      },
    }
  }
}
