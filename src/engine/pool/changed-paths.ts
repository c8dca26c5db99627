// Paths that steps have changed. Two steps of a wave that change the same path are in conflict, even if both write the
// same: nothing is merged.

import { shown, type RawPath } from '../../git/read/raw-path.ts'
import type { TreeChange } from '../../git/read/tree-text.ts'

/** These files decide what Git stores of the others. */
const ruleFiles = /(^|\/)\.git(attributes|ignore|modules)$/

export class ChangedPaths {
  readonly #files = new Set<RawPath>()
  readonly #directories = new Set<string>()
  #rules: RawPath | undefined

  add(changes: readonly TreeChange[]): void {
    for (const { path } of changes) {
      this.#files.add(path)
      for (const directory of directoriesOf(path)) this.#directories.add(directory)
      if (ruleFiles.test(path)) this.#rules ??= path
    }
  }

  /** Why these changes cannot be put on top of the paths: one of them, or a file with rules. undefined: they can. */
  conflictWith(changes: readonly TreeChange[]): RawPath | undefined {
    if (this.#rules !== undefined && changes.length > 0) return this.#rules
    const isTouched = (path: RawPath): boolean =>
      this.#files.has(path) ||
      this.#directories.has(path) ||
      directoriesOf(path).some((directory) => this.#files.has(directory as RawPath))
    // The files of a submodule are not in the commit.
    return changes.find(({ path, newMode, oldMode }) => isTouched(path) || newMode === '160000' || oldMode === '160000')
      ?.path
  }

  some(isMatch: (path: string) => boolean): boolean {
    return [...this.#files].some((path) => isMatch(shown(path)))
  }
}

function directoriesOf(path: string): string[] {
  const directories: string[] = []
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) directories.push(path.slice(0, end))
  return directories
}
