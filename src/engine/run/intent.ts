// What is about to happen, on disk before it happens: what recovery needs to know after a crash.

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

export type IntentRequest = Pick<Intent, 'kind' | 'run' | 'input' | 'workTree' | 'gitDir' | 'since'> &
  Partial<Pick<Intent, 'step' | 'attempt' | 'isStashing' | 'refs' | 'target' | 'isDeclared' | 'gitState'>>

export async function writeIntent(dir: PlanDir, request: IntentRequest, places: { commonDir: string; id: PlanId }): Promise<Intent> {
  const locksBefore = await findLocks({
    gitDir: request.gitDir,
    commonDir: places.commonDir,
    refDirs: refDirsOf(places.id),
    refs: [...refsOf(places.id), ...(request.refs ?? [])],
    workTree: request.workTree,
  })
  const intent: Intent = { ...request, locksBefore, identity: await identityOf(process.pid) }
  const text = JSON.stringify(intent)
  if (!dir.fill('intent.json', text)) await dir.write('intent.json', text)
  return intent
}

/** Adds the process group of a command, which begins when this is written. No power cut leaves it alive. */
export const writeGroup = (dir: PlanDir, intent: Intent, group: number, groupStart: string): Promise<void> =>
  dir.overwriteJson('group.json', { run: intent.run, since: intent.since, step: intent.step, attempt: intent.attempt, group, groupStart })

export async function readIntent(dir: PlanDir): Promise<(Intent & { writtenAtMs: number }) | undefined> {
  const found = await dir.readJson('intent.json')
  const value = found?.value as Partial<Intent> | undefined
  if (found === undefined || typeof value?.run !== 'string' || typeof value.input !== 'string' || typeof value.workTree !== 'string') return undefined
  const running = (await dir.readJson('group.json'))?.value as Partial<Intent> | undefined
  const isOfIt = running?.run === value.run && running.since === value.since && running.step === value.step && running.attempt === value.attempt
  const { group, groupStart } = isOfIt ? running : {}
  return {
    ...(value as Intent),
    ...(typeof group === 'number' && typeof groupStart === 'string' ? { group, groupStart } : {}),
    locksBefore: value.locksBefore ?? [],
    writtenAtMs: found.writtenAtMs,
  }
}

/** Empty rather than gone: the next one is near. */
export const clearIntent = (dir: PlanDir): Promise<void> => dir.empty('intent.json')

/** After the last one. */
export const removeIntent = (dir: PlanDir): Promise<void> => dir.removeIfEmpty('intent.json')

/** Where refs of a plan live below the common directory, for finding their locks: directories of its own, and single refs among those of other plans. */
export const refDirsOf = (id: string): string[] => [`refs/plan/${id}`, `refs/plan-local/${id}`]
export const refsOf = (id: PlanId): string[] => [planBranch(id), notesRef(id)]
