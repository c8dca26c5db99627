// External effects. Each is a chain of small commits under its own ref, written before and after the effect, so that
// any clone can tell its state: intended, happened, failed, undone. A chain that ends with `intended` is in an unknown
// state until something settles it.

import { PlanError } from '../../errors.ts'
import { nextNumber, numberedRefs } from '../../plan/record/numbered-refs.ts'
import { parseMessage } from '../../plan/record/trailers.ts'
import { effectRef, type Oid, type StepId } from '../../plan/model/ids.ts'
import type { Commit } from '../../git/write/commit.ts'
import type { Repository } from '../../git/repository.ts'
import { maskMessage } from '../run/known-secrets.ts'
import { readMade } from '../run/made-here.ts'
import type { Run } from '../run/run.ts'

export const effectStates = ['intended', 'happened', 'failed', 'undoing', 'undone', 'kept'] as const
export type EffectState = (typeof effectStates)[number]

export interface Effect {
  readonly ref: string
  readonly number: number
  readonly oid: Oid
  readonly tree: Oid
  readonly state: EffectState
}

/**
 * `trustsRecords` false: an effect recorded by another clone counts as intended, with the tree from before, until a
 * probe or a person settles it. Files that it claims to have made are not taken over.
 */
type EffectsOf = Pick<Run, 'id' | 'repo'> & Partial<Pick<Run, 'trustsRecords'>>

/** The effects of a step, newest first. Each clone that ran the step has its own. */
export async function effectsOf({ repo, id, trustsRecords }: EffectsOf, step: StepId): Promise<Effect[]> {
  const made = trustsRecords === false ? readMade(repo.commonDir, id) : undefined
  const refs = await repo.refs(`refs/plan/${id}/effects/${step}/`)
  const effects: Effect[] = []
  for (const { ref, number } of numberedRefs(id, refs).toSorted((a, b) => b.number - a.number)) {
    const commit = await repo.readCommit(ref.oid)
    if (commit === undefined) continue
    const state = parseMessage(commit.message).trailers.get('Plan-Effect') as EffectState | undefined
    const isTrusted = state !== undefined && effectStates.includes(state) && made?.has(ref.oid) !== false
    const tree = isTrusted ? commit.tree : ((await findIntention(repo, ref.oid))?.tree ?? commit.tree)
    effects.push({ ref: ref.name, number, oid: ref.oid, tree, state: isTrusted ? state : 'intended' })
  }
  return effects
}

/** True if the effect happened or may have, and was neither undone nor declared as kept. */
export const isOpen = ({ state }: Effect): boolean =>
  state === 'intended' || state === 'happened' || state === 'undoing'

/** The effect that represents a step: one that has happened, otherwise the newest. */
export async function newestEffect(of: EffectsOf, step: StepId): Promise<Effect | undefined> {
  const effects = await effectsOf(of, step)
  return effects.find(({ state }) => state === 'happened') ?? effects[0]
}

/** The commit that recorded the intention: it has the tree from before, whatever was recorded since. */
export async function intentionOf(repo: Repository, effect: Effect): Promise<Oid> {
  const intention = await findIntention(repo, effect.oid)
  if (intention !== undefined) return intention.oid
  throw new PlanError('unknown-effect', `${effect.ref} does not record what was intended`, {
    hint: `git log ${effect.ref}`,
  })
}

async function findIntention(repo: Repository, from: Oid): Promise<Commit | undefined> {
  for (let oid: Oid | undefined = from; oid !== undefined;) {
    const commit: Commit | undefined = await repo.readCommit(oid)
    if (commit !== undefined && parseMessage(commit.message).trailers.get('Plan-Effect') === 'intended') return commit
    oid = commit?.parents[0]
  }
  return undefined
}

/** Durable and named by a ref before the effect: after a crash nothing else is known. */
export async function intendEffect(run: Run, step: StepId): Promise<Effect> {
  const [before] = await effectsOf(run, step)
  const number = nextNumber(before?.number ?? 0, (highest) => effectRef(run.id, step, highest))
  const tree = await run.repo.resolve(run.at.tip, 'tree')
  if (tree === undefined) throw new Error(`${run.at.tip} has no tree`)
  const effect = await write(run, {
    ref: effectRef(run.id, step, number),
    number,
    step,
    state: 'intended',
    tree,
    parent: run.at.tip,
    from: undefined,
    reason: '',
  })
  await run.publish?.()
  return effect
}

export async function recordEffect(
  run: Run,
  effect: Effect,
  step: StepId,
  state: EffectState,
  options: { tree?: Oid; reason?: string } = {},
): Promise<Effect> {
  return write(run, {
    ref: effect.ref,
    number: effect.number,
    step,
    state,
    tree: options.tree ?? effect.tree,
    parent: effect.oid,
    from: effect.oid,
    reason: options.reason ?? '',
  })
}

async function write(
  run: Run,
  parts: {
    ref: string
    number: number
    step: StepId
    state: EffectState
    tree: Oid
    parent: Oid
    from: Oid | undefined
    reason: string
  },
): Promise<Effect> {
  const message = maskMessage(run.mask, {
    subject: `Effect ${parts.number} of ${parts.step}: ${parts.state}`,
    trailers: [
      ['Plan-Id', run.id],
      ['Plan-Step', parts.step],
      ['Plan-Effect', parts.state],
      ['Plan-Run', run.token],
      ...(parts.reason === '' ? [] : [['Plan-Reason', parts.reason] as const]),
    ],
  })
  const oid = await run.withKeptObjects(async () => {
    const commit = await run.objects.commit({ tree: parts.tree, parents: [parts.parent], message })
    await run.objects.flush()
    await run.moveWithNote([], [{ ref: parts.ref, from: parts.from, to: commit }])
    return commit
  })
  return { ref: parts.ref, number: parts.number, oid, tree: parts.tree, state: parts.state }
}
