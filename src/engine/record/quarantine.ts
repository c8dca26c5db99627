// Secrets among what is about to be committed or saved: found before git sees a file, and moved to a directory that
// only this user can read.

import { chmod, rm } from 'node:fs/promises'
import { PlanError } from '../../errors.ts'
import { rawList, type RawPath } from '../../git/read/raw-path.ts'
import type { Step } from '../../plan/model/plan.ts'
import { newSecrets, type FoundSecret } from './secret-search.ts'
import type { Worker } from '../run/worker.ts'
import { noteQuarantined } from './quarantine-journal.ts'

/** What is found again and again is made again and again: by something that is still at work. */
const mostRounds = 3

/**
 * Looks through files before they are stored. What a step made is taken out of the work tree; what a person made stays
 * there, and the command is refused.
 */
export class SecretGuard {
  readonly #worker: Worker
  readonly #step: Step | undefined
  readonly #isOfPerson: boolean
  readonly taken: FoundSecret[] = []
  #rounds = 0
  /** Where they are now. */
  place: string | undefined

  /** `step`: which one made it, or on whose behalf it is saved. */
  constructor(worker: Worker, step: Step | undefined, { isOfPerson = false } = {}) {
    this.#worker = worker
    this.#step = step
    this.#isOfPerson = isOfPerson
  }

  /** True: something was taken out of the work tree, so look again. */
  async takes(paths: Iterable<RawPath>): Promise<boolean> {
    if (this.#isOfPerson) return refuseSecrets(this.#worker, this.#step, paths).then(() => false)
    const found = await newSecrets(this.#worker, this.#step, paths)
    if (found.length === 0) return false
    const { run, workspace } = this.#worker
    this.#rounds += 1
    if (this.#rounds > mostRounds)
      throw new PlanError(
        'cannot-save',
        `a secret reappears each time it is removed from the work tree: ${describeSecrets(found)}`,
        {
          hint: `stop the program that writes it, then: git plan resume ${run.id}`,
        },
      )
    if (this.place === undefined) {
      this.place = await run.dir.newAside(`quarantine-${this.#step?.id ?? 'run'}`)
      await chmod(this.place, 0o700)
    }
    // Before anything is moved: after a crash nobody else would know of it.
    await noteQuarantined(run, this.place, found)
    const taken = found.map(({ path }) => path)
    await workspace.tree.moveAside(taken, this.place)
    await putBack(this.#worker, taken)
    this.taken.push(...found)
    return true
  }

  /** Where a command has committed what was taken, HEAD still has it, and git would look for it. */
  async withoutTaken(paths: readonly RawPath[]): Promise<readonly RawPath[]> {
    if (this.taken.length === 0) return paths
    const taken = new Set(this.taken.map(({ path }) => path))
    const there = new Set(await this.#worker.workspace.tree.existingPaths([...taken]))
    return paths.filter((path) => !taken.has(path) || there.has(path))
  }

  get message(): string {
    return `it would commit a secret: ${describeSecrets(this.taken)}; moved to ${this.place ?? ''}`
  }
}

/**
 * What the checkpoint has there: that a file is in quarantine does not mean that the step has deleted it. What lies
 * there already is left as it is.
 */
export async function putBack(
  { run: { at }, workspace: { objects, tree } }: Worker,
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

/** For what a person made: it stays where it is, and nothing is stored. */
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
