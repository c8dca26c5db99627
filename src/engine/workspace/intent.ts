// The intent: written to disk before each action, so that recovery knows after a crash what was in progress.

import type { Repository } from '../../git/repository.ts'
import { findLocks } from '../../git/write/stale-locks.ts'
import { identityOf, type Identity } from '../../process/identity.ts'
import { notesRef, planBranch, type PlanId } from '../../plan/model/ids.ts'
import type { PlanDir } from './plan-dir.ts'

export interface Intent {
  /**
   * `step`: a command of the plan runs and the tree is the plan's. `tree`: we reset the tree to the branch's tip.
   * `event`: only the plan file and the index change, the rest of the tree may be the user's. `enter`, `leave`: we
   * switch between the user's branch and the plan's. `restore`: we restore the autostash on the user's branch. `refs`:
   * only refs move. `base`: we update a work tree that has the base checked out to the merged commit.
   */
  readonly kind: 'step' | 'tree' | 'event' | 'enter' | 'leave' | 'restore' | 'refs' | 'base'
  readonly run: string
  /** Marks the processes of the action. */
  readonly mark: string
  readonly step?: string
  readonly attempt?: number
  /** For `enter`: the tree was dirty. Until there is a stash, nothing was touched: differences are the user's. */
  readonly isStashing?: boolean
  /** Refs that move and are outside the plan's own directories, such as the base. */
  readonly refs?: readonly string[]
  /** For `step`: a person's work is being checked (`--done`); it is not moved. */
  readonly isDeclared?: boolean
  /** For `step`: the fingerprint of what Git executes, from before the command. */
  readonly gitState?: string
  /** For `base`: the commit that it moves from. */
  readonly start?: string
  /** For `base`: the commit that it moves to. */
  readonly target?: string
  /** The tip of the plan's branch at the start of the action. */
  readonly input: string
  readonly workTree: string
  readonly gitDir: string
  readonly identity: Identity
  readonly group?: number
  readonly groupStart?: string
  readonly locksBefore: readonly string[]
  readonly since: string
}

/** The part of an intent that the caller gives. */
export type Intention = Pick<Intent, 'kind' | 'input'> &
  Partial<Pick<Intent, 'step' | 'attempt' | 'isStashing' | 'refs' | 'start' | 'target' | 'isDeclared' | 'gitState'>>

interface IntentAuthor {
  readonly id: PlanId
  readonly run: string
  readonly mark: string
  readonly now: () => Date
}

/** The one intent of a workspace: `intent.json` in its directory. */
export class IntentFile {
  readonly #dir: PlanDir
  readonly #by: IntentAuthor

  constructor(dir: PlanDir, by: IntentAuthor) {
    this.#dir = dir
    this.#by = by
  }

  /** `repo`: the repository as seen from the work tree of the action. */
  async write(repo: Repository, intention: Intention): Promise<Intent> {
    const { id, run, mark, now } = this.#by
    const { gitDir, commonDir, root: workTree } = repo
    const refs = [...refsOf(id), ...(intention.refs ?? [])]
    const locksBefore = await findLocks({ gitDir, commonDir, refDirs: refDirsOf(id), refs, workTree })
    const intent: Intent = {
      ...intention,
      run,
      mark,
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

  /** Emptied instead of deleted, since the next intent follows soon. */
  clear(): Promise<void> {
    return this.#dir.empty('intent.json')
  }

  /** For the end of a run. */
  remove(): Promise<void> {
    return this.#dir.removeIfEmpty('intent.json')
  }
}

/** Records the process group of a command before it runs. Not synced: a power cut ends the group as well. */
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
  const isSameIntent =
    running?.run === value.run &&
    running.since === value.since &&
    running.step === value.step &&
    running.attempt === value.attempt
  const { group, groupStart } = isSameIntent ? running : {}
  return {
    ...(value as Intent),
    ...(typeof group === 'number' && typeof groupStart === 'string' ? { group, groupStart } : {}),
    mark: value.mark ?? value.run,
    locksBefore: value.locksBefore ?? [],
    writtenAtMs: found.writtenAtMs,
  }
}

/** The locations of a plan's refs, for finding their locks: its own directories, and single refs in shared ones. */
export const refDirsOf = (id: string): string[] => [`refs/plan/${id}`, `refs/plan-local/${id}`]
export const refsOf = (id: PlanId): string[] => [planBranch(id), notesRef(id)]
