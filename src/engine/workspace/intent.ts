// What is about to happen, on disk before it happens: what recovery needs to know after a crash.

import type { Repository } from '../../git/repository.ts'
import { findLocks } from '../../git/write/stale-locks.ts'
import { identityOf, type Identity } from '../../process/identity.ts'
import { notesRef, planBranch, type PlanId } from '../../plan/model/ids.ts'
import type { PlanDir } from './plan-dir.ts'

export interface Intent {
  /**
   * `step`: a command of the plan runs and the tree is the plan's. `tree`: we bring the tree to the branch's tip. `event`: only the plan file and
   * the index change, the rest of the tree may be the user's. `enter`, `leave`: we switch between the user's branch and the plan's.
   * `restore`: on the user's branch, the changes that were put aside are restored. `refs`: only refs move. `base`: we bring a work tree that has the base checked out to the merged commit.
   */
  readonly kind: 'step' | 'tree' | 'event' | 'enter' | 'leave' | 'restore' | 'refs' | 'base'
  readonly run: string
  readonly step?: string
  readonly attempt?: number
  /** Of `enter`: the tree was not clean. While there is no stash, nothing in it was touched: what differs is the user's. */
  readonly isStashing?: boolean
  /** Refs that move and are not below the plan's own directories, such as the base. */
  readonly refs?: readonly string[]
  /** Of `step`: a person's work is being checked (`--done`); it stays where it is. */
  readonly isDeclared?: boolean
  /** Of `step`: the fingerprint of what git would run, before the command. */
  readonly gitState?: string
  /** Of `base`: the commit that it goes to. */
  readonly target?: string
  /** The tip of the plan's branch when it began. */
  readonly input: string
  readonly workTree: string
  readonly gitDir: string
  readonly identity: Identity
  readonly group?: number
  readonly groupStart?: string
  readonly locksBefore: readonly string[]
  readonly since: string
}

/** What a caller says of an intent; the rest is known. */
export type Intention = Pick<Intent, 'kind' | 'input'> &
  Partial<Pick<Intent, 'step' | 'attempt' | 'isStashing' | 'refs' | 'target' | 'isDeclared' | 'gitState'>>

/** The one intent of a workspace: `intent.json` in its directory. */
export class IntentFile {
  readonly #dir: PlanDir
  readonly #by: { readonly id: PlanId; readonly run: string; readonly now: () => Date }

  constructor(dir: PlanDir, by: { id: PlanId; run: string; now: () => Date }) {
    this.#dir = dir
    this.#by = by
  }

  /** `place`: the repository seen from the work tree that it is about. */
  async write(place: Repository, intention: Intention): Promise<Intent> {
    const { id, run, now } = this.#by
    const { gitDir, commonDir, root: workTree } = place
    const refs = [...refsOf(id), ...(intention.refs ?? [])]
    const locksBefore = await findLocks({ gitDir, commonDir, refDirs: refDirsOf(id), refs, workTree })
    const intent: Intent = {
      ...intention,
      run,
      workTree,
      gitDir,
      since: now().toISOString(),
      locksBefore,
      identity: await identityOf(process.pid),
    }
    const text = JSON.stringify(intent)
    if (!this.#dir.fill('intent.json', text)) await this.#dir.write('intent.json', text)
    return intent
  }

  /** Empty rather than gone: the next one is near. */
  clear(): Promise<void> {
    return this.#dir.empty('intent.json')
  }

  /** After the last one. */
  remove(): Promise<void> {
    return this.#dir.removeIfEmpty('intent.json')
  }
}

/** Adds the process group of a command, which begins when this is written. No power cut leaves it alive. */
export const writeGroup = (dir: PlanDir, intent: Intent, group: number, groupStart: string): Promise<void> =>
  dir.overwriteJson('group.json', {
    run: intent.run,
    since: intent.since,
    step: intent.step,
    attempt: intent.attempt,
    group,
    groupStart,
  })

export async function readIntent(dir: PlanDir): Promise<(Intent & { writtenAtMs: number }) | undefined> {
  const found = await dir.readJson('intent.json')
  const value = found?.value as Partial<Intent> | undefined
  if (
    found === undefined ||
    typeof value?.run !== 'string' ||
    typeof value.input !== 'string' ||
    typeof value.workTree !== 'string'
  )
    return undefined
  const running = (await dir.readJson('group.json'))?.value as Partial<Intent> | undefined
  const isOfIt =
    running?.run === value.run &&
    running.since === value.since &&
    running.step === value.step &&
    running.attempt === value.attempt
  const { group, groupStart } = isOfIt ? running : {}
  return {
    ...(value as Intent),
    ...(typeof group === 'number' && typeof groupStart === 'string' ? { group, groupStart } : {}),
    locksBefore: value.locksBefore ?? [],
    writtenAtMs: found.writtenAtMs,
  }
}

/** Where refs of a plan live below the common directory, for finding their locks: directories of its own, and single refs among those of other plans. */
export const refDirsOf = (id: string): string[] => [`refs/plan/${id}`, `refs/plan-local/${id}`]
export const refsOf = (id: PlanId): string[] => [planBranch(id), notesRef(id)]
