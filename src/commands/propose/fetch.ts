// `git plan fetch`: fetches a plan of another clone with its records. If both sides have changed, the user chooses one.

import { PlanError } from '../../errors.ts'
import type { Repository } from '../../git/repository.ts'
import { workTreeOf } from '../../git/worktree/worktrees.ts'
import { finalRef, isId, nameOfPlan, planBranch, type Oid, type PlanId } from '../../plan/model/ids.ts'
import { readHistory } from '../../store/history.ts'
import { hasPlan } from '../../store/merged.ts'
import { readMarks, relationOf, type Relation } from '../../store/remote-facts.ts'
import { loadPlanAt, planFile, readPlanAt } from '../../store/plan-at.ts'
import type { Run } from '../../engine/run/run.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { fetchPlan, type FetchedPlan } from '../../remote/fetch-plan.ts'
import { requireRemote } from '../../remote/ask-remote.ts'
import { keepOtherEffects } from '../../remote/keep-other-effects.ts'
import { mergeRecords } from '../../remote/merge-records.ts'
import { choosePlan } from '../../operation/choose-plan.ts'
import { markBuilt } from '../../remote/remote-marks.ts'
import type { Settings } from '../../operation/settings.ts'
import { moveTo, takeFinished, takeOurs, takeTheirs, type Side } from '../../remote/take-side.ts'
import { withPlanRun, withRepo } from '../../operation/with-run.ts'

export interface FetchRequest {
  readonly plan?: string
  /** `theirs` or `ours`. */
  readonly take?: string
}

export interface FetchedData {
  readonly id: string
  readonly remote: string
  readonly tip: string
  /** True if the local branch matches the remote's. */
  readonly isCurrent: boolean
  readonly relation: Relation | 'finished' | 'absent'
  /** The ref that saves the side that was not chosen. */
  readonly saved: string | null
  /** Records that differ from those on the remote and were left alone. */
  readonly kept: readonly string[]
  readonly message: string
}

interface FetchTarget {
  readonly repo: Repository
  readonly settings: Settings
  readonly context: CommandContext
  readonly id: PlanId
  readonly take: Side | undefined
}

export function fetch(request: FetchRequest, context: CommandContext): Promise<CommandResult<FetchedData>> {
  return withRepo(context, async (repo, settings) => {
    const take = sideOf(request.take)
    await requireRemote(repo)
    // A plan that is not here yet has to be named.
    const named = request.plan === undefined ? undefined : nameOfPlan(request.plan)
    if (named !== undefined && !isId(named))
      throw new PlanError('usage', `${JSON.stringify(named.slice(0, 80))} is not a valid plan id`, {
        hint: 'git plan fetch ID',
      })
    const id =
      (named as PlanId | undefined) ??
      (await choosePlan(repo, { plan: undefined, command: 'fetch', dir: settings.dir }, context))
    const target = { repo, settings, context, id, take }
    const here = await repo.tipOf(planBranch(id))
    // An unreadable plan has no run: the fetched one may be readable.
    const isReadable =
      here !== undefined &&
      (await readPlanAt(repo, here, { id, file: planFile(settings.dir, id) }).catch(() => undefined)) !== undefined
    return isReadable || (here !== undefined && take !== undefined)
      ? withFetchRun(target, (run) => fetchInto(target, run))
      : fetchInto(target, undefined)
  })
}

/** Holds the plan's lock if its branch is here, so that no run of this clone sees its branch or records move. */
function withFetchRun<T>(
  { repo, settings, context, id }: FetchTarget,
  work: (run: Run) => Promise<T>,
  end?: Oid,
): Promise<T> {
  // Loads the final commit of a plan whose branch is gone, to merge its records.
  const loadEnd = async (run: Run, tip: Oid): Promise<void> => {
    run.at = { tip, ...(await loadPlanAt(repo, tip, { id, file: planFile(settings.dir, id) })) }
  }
  const load = end === undefined ? undefined : (run: Run) => loadEnd(run, end)
  return withPlanRun(context, { repo, settings, id, command: 'fetch', load }, ({ run }) => work(run))
}

async function fetchInto(target: FetchTarget, run: Run | undefined): Promise<CommandResult<FetchedData>> {
  const { repo, settings, id } = target
  const there = await fetchPlan(repo, id, settings.dir)
  const here = run?.at.tip ?? (await repo.tipOf(planBranch(id)))
  const end = here === undefined ? await repo.tipOf(finalRef(id)) : undefined
  const isFinalCommit =
    there.final !== undefined &&
    (there.tip === undefined || there.final === end || (await repo.isAncestor(there.tip, there.final)))
  if (isFinalCommit) return settleFinished(target, there, run, here)
  if (end !== undefined) return settleFinishedHere(target, there, end)
  if (there.tip === undefined) return settleAbsent(target, there, here)
  return here === undefined
    ? createBranch(target, there, there.tip)
    : updateBranch(target, there, run, { here, tip: there.tip })
}

function sideOf(take: string | undefined): Side | undefined {
  if (take === undefined || take === 'theirs' || take === 'ours') return take
  throw new PlanError('usage', `--take must be theirs or ours, not ${JSON.stringify(take.slice(0, 80))}`, {
    hint: 'git plan fetch -h',
  })
}

async function settleFinished(
  target: FetchTarget,
  there: FetchedPlan,
  run: Run | undefined,
  here: Oid | undefined,
): Promise<CommandResult<FetchedData>> {
  const { id, take } = target
  const { remote, final } = there
  if (final === undefined) throw new Error(`${id} is not finished`)
  if (take === 'ours' && here !== undefined)
    throw new PlanError('wrong-state', `plan ${id} is finished on ${remote}`, { hint: `git plan clone ${id}` })
  const why = here === undefined || take === 'theirs' ? undefined : await reasonToKeep(target, there, { here, final })
  const settle = (at: Run): Promise<string[]> => settleRecords(at, there, why === undefined ? 'theirs' : undefined)
  const kept = run === undefined ? await settleAtEnd(target, there, final, settle) : await settle(run)
  const saved = run === undefined || why !== undefined ? null : await takeFinished(run)
  return {
    kind: 'fetched',
    exitCode: 0,
    data: {
      id,
      remote,
      tip: final,
      isCurrent: why === undefined,
      relation: 'finished',
      saved,
      kept,
      message: `Fetched ${id}: finished at ${final.slice(0, 10)}, with its records${why === undefined ? '' : `; ${why}`}${savedText(saved, 'your version')}`,
    },
    next:
      why === undefined ? [`git plan report ${id}`, `git plan audit ${id}`] : [`git plan fetch ${id} --take theirs`],
  }
}

/**
 * Returns the reason to keep the local branch; undefined if its commits are part of the finished plan, and that is in
 * its base.
 */
async function reasonToKeep(
  { repo, settings, id }: FetchTarget,
  { remote }: FetchedPlan,
  { here, final }: { here: Oid; final: Oid },
): Promise<string | undefined> {
  if (here !== final && !(await repo.isAncestor(here, final)))
    return `plan/${id} here has commits that are not part of it`
  if ((await workTreeOf(repo, planBranch(id))) !== undefined) return `plan/${id} is still checked out here`
  const file = planFile(settings.dir, id)
  const { base } = await readPlanAt(repo, final, { id, file })
  for (const ref of base === undefined ? [] : [`refs/remotes/${remote}/${base}`, `refs/heads/${base}`]) {
    const tip = await repo.resolve(ref)
    if (tip !== undefined && (await hasPlan(repo, tip, final, file))) return undefined
  }
  return `plan/${id} is kept, since ${base ?? 'its base'} does not have the plan`
}

/** For a finished plan whose branch is gone. A clone that only reads needs no committer identity. */
const settleAtEnd = (
  target: FetchTarget,
  there: FetchedPlan,
  end: Oid,
  settle: (run: Run) => Promise<string[]>,
): Promise<readonly string[]> =>
  there.differing.length === 0 ? Promise.resolve([]) : withFetchRun(target, settle, end)

/** Returns the records that still differ; `side`: the chosen side, if known. */
async function settleRecords(run: Run, there: FetchedPlan, side: Side | undefined): Promise<string[]> {
  const differing = await mergeRecords(run, there)
  if (side !== undefined) await keepOtherEffects(run, there, side)
  return differing
}

/** Finished in this clone and not pushed: its branch stays deleted, and its records can be pushed afterwards. */
async function settleFinishedHere(
  target: FetchTarget,
  there: FetchedPlan,
  end: Oid,
): Promise<CommandResult<FetchedData>> {
  const { id, repo, take } = target
  const { remote, tip } = there
  if (take === 'theirs')
    throw new PlanError('wrong-state', `plan ${id} is finished here`, { hint: `git plan fetch ${id} --take ours` })
  const kept = await settleAtEnd(target, there, end, (run) => settleRecords(run, there, 'ours'))
  const saved =
    tip !== undefined && take === 'ours' ? await withFetchRun(target, (run) => takeOurs(run, tip), end) : null
  const { built } = readMarks(repo.commonDir, id)
  const relation = tip === undefined ? 'ahead' : await relationOf(repo, id, { here: end, built, there: tip })
  const isBuiltOn = relation === 'ahead' || relation === 'same'
  const other = isBuiltOn ? '' : `; plan/${id} on ${remote} has changes that are not part of it`
  const data = { id, remote, tip: end, isCurrent: false, relation: 'finished' as const, saved, kept }
  const message = `${id} is finished here (${end.slice(0, 10)}), but not on ${remote}${other}${savedText(saved, `the version of ${remote}`)}`
  return {
    kind: 'fetched',
    exitCode: 0,
    data: { ...data, message },
    next: [isBuiltOn ? `git plan finish ${id} --push` : `git plan fetch ${id} --take ours`],
  }
}

async function settleAbsent(
  { repo, id, take }: FetchTarget,
  there: FetchedPlan,
  here: Oid | undefined,
): Promise<CommandResult<FetchedData>> {
  const { remote } = there
  if (here === undefined || take !== 'ours') {
    const isGone = here !== undefined && readMarks(repo.commonDir, id).built !== undefined
    throw new PlanError('unknown-plan', `${remote} ${isGone ? 'no longer has' : 'does not have'} plan ${id}`, {
      hint: isGone
        ? `git plan fetch ${id} --take ours`
        : {
            'list its plans': `git ls-remote ${remote} 'refs/heads/plan/*'`,
            'in the clone that has it': `git plan submit ${id}`,
          },
    })
  }
  await markBuilt(repo, id, undefined)
  const data = {
    id,
    remote,
    tip: here,
    isCurrent: false,
    relation: 'absent' as const,
    saved: null,
    kept: there.differing,
  }
  return {
    kind: 'fetched',
    exitCode: 0,
    data: { ...data, message: `${remote} does not have plan ${id}; the next push creates it` },
    next: [`git plan submit ${id}`],
  }
}

async function createBranch(
  { repo, id }: FetchTarget,
  { remote, differing }: FetchedPlan,
  tip: Oid,
): Promise<CommandResult<FetchedData>> {
  await repo.moveRefs([{ ref: planBranch(id), from: undefined, to: tip }])
  await markBuilt(repo, id, tip)
  const data = { id, remote, tip, isCurrent: true, relation: 'same' as const, saved: null, kept: differing }
  return {
    kind: 'fetched',
    exitCode: 0,
    data: { ...data, message: `Fetched ${id} from ${remote} (${tip.slice(0, 10)})` },
    next: [`git plan status ${id}`],
  }
}

async function updateBranch(
  target: FetchTarget,
  there: FetchedPlan,
  run: Run | undefined,
  { here, tip }: { here: Oid; tip: Oid },
): Promise<CommandResult<FetchedData>> {
  const { repo, id, take } = target
  const { built, pushing } = readMarks(repo.commonDir, id)
  const relation = await relationOf(repo, id, { here, built: tip === pushing ? tip : built, there: tip })
  const side = take ?? (relation === 'diverged' ? undefined : relation === 'ahead' ? 'ours' : 'theirs')
  const kept = run === undefined ? there.differing : await settleRecords(run, there, side)
  const settle = async (): Promise<string | null> => {
    if (run !== undefined && take !== undefined) return take === 'theirs' ? takeTheirs(run, tip) : takeOurs(run, tip)
    if (relation === 'behind')
      await (run === undefined ? repo.moveRefs([{ ref: planBranch(id), from: here, to: tip }]) : moveTo(run, tip))
    if (relation !== 'diverged') await markBuilt(repo, id, tip)
    return null
  }
  const saved = await settle()
  const now =
    take === 'theirs' || (take === undefined && relation === 'behind')
      ? 'same'
      : take === 'ours' && relation !== 'same'
        ? 'ahead'
        : relation
  const isRewritten = now === 'ahead' && !(await repo.isAncestor(tip, here))
  return {
    kind: 'fetched',
    exitCode: 0,
    data: {
      id,
      remote: there.remote,
      tip,
      isCurrent: now === 'same',
      relation: now,
      saved,
      kept,
      message: `${isRewritten ? `${id} was rewritten here since it was pushed to ${there.remote}` : messageOf(now, id, there.remote, tip)}${savedText(saved, take === 'ours' ? `the version of ${there.remote}` : 'your version')}`,
    },
    next: await nextOf(target, now, { here, tip }),
  }
}

const upToDateText = (id: PlanId, remote: string, tip: Oid): string =>
  `${id} is up to date with ${remote} (${tip.slice(0, 10)})`

const savedText = (saved: string | null, version: string): string =>
  saved === null ? '' : `; ${version} is saved in ${saved}`

function messageOf(relation: Relation, id: PlanId, remote: string, tip: Oid): string {
  if (relation === 'ahead') return `${id} is ahead of ${remote}`
  if (relation === 'diverged')
    return `${id} and ${remote}/plan/${id} have diverged: git log --oneline --left-right plan/${id}...${remote}/plan/${id}`
  return upToDateText(id, remote, tip)
}

async function nextOf(
  { repo, settings, id, take }: FetchTarget,
  relation: Relation,
  { here, tip }: { here: Oid; tip: Oid },
): Promise<string[]> {
  if (relation === 'ahead' && take === 'ours') return [`git plan submit ${id}`]
  if (relation !== 'diverged') return [`git plan status ${id}`]
  const ways = [`git plan fetch ${id} --take theirs`, `git plan fetch ${id} --take ours`]
  // Two people approved at once, each in a clone: the second approves again, on top of the first.
  return (await isOnlyApproved(repo, { id, file: planFile(settings.dir, id) }, here, tip))
    ? [`git plan fetch ${id} --take theirs && git plan approve ${id} && git plan submit ${id}`]
    : ways
}

/** True if this clone has only approvals that the other lacks. */
async function isOnlyApproved(
  repo: Repository,
  plan: { id: PlanId; file: string },
  here: Oid,
  there: Oid,
): Promise<boolean> {
  const common = await repo.mergeBase(here, there)
  const { events, foreign } = await readHistory(repo, here, plan)
  const own = events.slice(
    0,
    events.findIndex(({ commit }) => commit === common),
  )
  return (
    common !== undefined &&
    own.length > 0 &&
    own.every(({ event }) => event === 'approved') &&
    foreign.every(({ depth }) => depth > own.length)
  )
}
