// Finds secrets in files that are about to be committed or saved, before Git sees them, and moves them to a directory
// that only this user can read.

import { chmod, rm } from 'node:fs/promises'
import { PlanError } from '../../errors.ts'
import { rawList, type RawPath } from '../../git/read/raw-path.ts'
import type { Step } from '../../plan/model/plan.ts'
import { newSecrets, type FoundSecret } from './secret-search.ts'
import type { Worker } from '../run/worker.ts'
import { noteQuarantined } from './quarantine-journal.ts'

/** A secret that keeps reappearing is written by a program that is still running. */
const maxRounds = 3

/**
 * Searches files before they are stored. Files of a step are moved out of the work tree; a person's files stay, and the
 * command is refused.
 */
export class SecretGuard {
  readonly #worker: Worker
  readonly #step: Step | undefined
  readonly #isOfPerson: boolean
  readonly taken: FoundSecret[] = []
  #rounds = 0
  /** The directory with the moved files. */
  directory: string | undefined

  /** `step`: the step that made the files, or on whose behalf they are saved. */
  constructor(worker: Worker, step: Step | undefined, { isOfPerson = false } = {}) {
    this.#worker = worker
    this.#step = step
    this.#isOfPerson = isOfPerson
  }

  /** True: files were moved out of the work tree, so scan again. */
  async removeSecrets(paths: Iterable<RawPath>): Promise<boolean> {
    if (this.#isOfPerson) return refuseSecrets(this.#worker, this.#step, paths).then(() => false)
    const found = await newSecrets(this.#worker, this.#step, paths)
    if (found.length === 0) return false
    const { run, workspace } = this.#worker
    this.#rounds += 1
    if (this.#rounds > maxRounds)
      throw new PlanError(
        'cannot-save',
        `a secret reappears each time it is removed from the work tree: ${describeSecrets(found)}`,
        {
          hint: `stop the program that writes it, then: git plan resume ${run.id}`,
        },
      )
    if (this.directory === undefined) {
      this.directory = await run.dir.newAside(`quarantine-${this.#step?.id ?? 'run'}`)
      await chmod(this.directory, 0o700)
    }
    // Before anything is moved: after a crash nothing else would record it.
    await noteQuarantined(this.#worker, this.directory, found)
    const taken = found.map(({ path }) => path)
    await workspace.tree.moveAside(taken, this.directory)
    await restoreTracked(this.#worker, taken)
    this.taken.push(...found)
    return true
  }

  /** If a command has committed a moved file, HEAD still has it, and Git would look for it. */
  async withoutTaken(paths: readonly RawPath[]): Promise<readonly RawPath[]> {
    if (this.taken.length === 0) return paths
    const taken = new Set(this.taken.map(({ path }) => path))
    const there = new Set(await this.#worker.workspace.tree.existingPaths([...taken]))
    return paths.filter((path) => !taken.has(path) || there.has(path))
  }

  get message(): string {
    return `it would commit a secret: ${describeSecrets(this.taken)}; moved to ${this.directory ?? ''}`
  }
}

/** Restores the checkpoint's version of quarantined files, which the step did not delete. Existing files stay. */
export async function restoreTracked(
  { at, workspace: { objects, tree } }: Worker,
  taken: readonly RawPath[],
): Promise<void> {
  const tipTree = await objects.treeOf(at.tip)
  const tracked: RawPath[] = []
  for (const path of taken) if ((await objects.entryIn(tipTree, path)) !== undefined) tracked.push(path)
  if (tracked.length === 0) return
  const index = await tree.indexOf(at.tip)
  try {
    await tree.repo.git.run(['checkout-index', '-z', '--stdin'], { index, input: rawList(tracked), ok: [0, 1, 128] })
  } finally {
    await rm(index, { force: true })
  }
}

/** For a person's files: they stay where they are, and nothing is stored. */
export async function refuseSecrets(worker: Worker, step: Step | undefined, paths: Iterable<RawPath>): Promise<void> {
  const found = await newSecrets(worker, step, paths)
  if (found.length === 0) return
  throw new PlanError('not-allowed', `your changes contain a secret: ${describeSecrets(found)}`, {
    hint: 'remove it, then run the command again',
    facts: { secrets: found.map(({ shown, what, line }) => ({ path: shown, what, line })) },
  })
}

export const describeSecrets = (found: readonly FoundSecret[]): string =>
  found
    .slice(0, 5)
    .map(({ shown, what, line }) => `${shown}${line === undefined ? '' : `:${line}`} (${what})`)
    .join(', ') + (found.length > 5 ? ` and ${found.length - 5} more` : '')
