// A work tree in which steps run: its files, its index, its ignored files and its intent. It does not know its run.

import { Hooks } from '../../git/trust/hooks.ts'
import type { ObjectWriter } from '../../git/write/objects.ts'
import { PathSet } from '../../git/read/raw-path.ts'
import type { Repository } from '../../git/repository.ts'
import { WorkTree } from '../../git/worktree/work-tree.ts'
import { CleanFileCache } from './clean-file-cache.ts'
import type { Intent, IntentFile, Intention } from './intent.ts'
import type { PlanDir } from './plan-dir.ts'

export class Workspace {
  /** Seen from this work tree: its configuration may differ. */
  readonly repo: Repository
  readonly tree: WorkTree
  readonly objects: ObjectWriter
  /** For temporary indexes, drafts and the list of preserved files. */
  readonly dir: PlanDir
  /**
   * Files that were ignored before the step that runs, or at any time before in this work tree: never ours to commit or
   * move.
   */
  preserved = new PathSet()
  /** The same as it is on disk; see preserved-ignored.ts. */
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
