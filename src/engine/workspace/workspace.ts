// A work tree in which steps run, with its index, preserved ignored files and intent. It does not know its run.

import { Hooks } from '../../git/trust/hooks.ts'
import type { ObjectWriter } from '../../git/write/objects.ts'
import { PathSet } from '../../git/read/raw-path.ts'
import type { Repository } from '../../git/repository.ts'
import { WorkTree } from '../../git/worktree/work-tree.ts'
import { CleanFileCache } from './clean-file-cache.ts'
import type { Intent, IntentFile, Intention } from './intent.ts'
import type { PlanDir } from './plan-dir.ts'

export class Workspace {
  /** As seen from this work tree, whose configuration may differ. */
  readonly repo: Repository
  readonly tree: WorkTree
  readonly objects: ObjectWriter
  /** For temporary indexes, drafts and the list of preserved files. */
  readonly dir: PlanDir
  /** Files that were ignored before the current step, or earlier in this work tree: never committed or moved. */
  preserved = new PathSet()
  /** The list as written to disk; see preserved-ignored.ts. */
  preservedOnDisk: string | undefined
  readonly cleanFiles = new CleanFileCache()
  readonly #intents: IntentFile

  constructor(parts: { repo: Repository; objects: ObjectWriter; dir: PlanDir; intents: IntentFile }) {
    this.repo = parts.repo
    this.objects = parts.objects
    this.dir = parts.dir
    this.#intents = parts.intents
    this.tree = new WorkTree(parts.repo, parts.dir.path)
    this.tree.beginBatch()
  }

  intend(intention: Intention): Promise<Intent> {
    return this.#intents.write(this.repo, intention)
  }

  settle(): Promise<void> {
    return this.#intents.clear()
  }

  hooks(): Promise<Hooks> {
    return Hooks.of(this.repo)
  }

  close(): void {
    this.tree.endBatch()
  }
}
