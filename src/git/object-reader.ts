// The objects of a repository by their names: read from its files where that is certain, asked of git otherwise. Git is started by the first question that needs it.

import { CatFile, type GitObject, type MostSize } from './cat-file.ts'
import { PlainObjects, type PlainAnswer } from './plain-objects.ts'
import type { GitRunner } from './runner.ts'

export class ObjectReader {
  readonly #git: CatFile
  readonly #plain: PlainObjects | undefined

  /** `plain`: where its files are, of a repository that keeps refs and objects in files. */
  constructor(git: GitRunner, plain?: { gitDir: string; commonDir: string }) {
    this.#git = new CatFile(git)
    this.#plain = plain === undefined ? undefined : new PlainObjects(plain)
  }

  /** undefined: there is no such object. */
  contents(name: string, size: MostSize = 'usual'): Promise<GitObject | undefined> {
    const found = this.#find(name)
    return found === 'ask' ? this.#git.contents(name, size) : Promise.resolve(found)
  }

  info(name: string): Promise<{ oid: string; type: string } | undefined> {
    const found = this.#find(name)
    return found === 'ask' ? this.#git.info(name) : Promise.resolve(found)
  }

  #find(name: string): PlainAnswer {
    return this.#plain === undefined ? 'ask' : this.#plain.find(name)
  }

  /** Whether what a commit says of its parents is read from files, and is what git would say. */
  readsParents(): boolean {
    return this.#plain?.haveOwnParents() === true
  }

  close(): void {
    this.#git.close()
    this.#plain?.close()
  }
}
