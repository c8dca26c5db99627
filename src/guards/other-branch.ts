// A push to a branch into which only finished plans go. What it brings is seen in two ways: by the commits that say
// they are of a plan, and by the plan files that it changes; a squash leaves nothing but the second.

import { isFinal } from '../plan/model/lifecycle.ts'
import type { PlanStatus } from '../plan/model/plan.ts'
import { readPlan } from '../plan/file/read-plan.ts'
import { eventOf } from '../plan/record/trailers.ts'
import type { Oid, PlanId } from '../plan/model/ids.ts'
import { rawChanges } from '../git/read/raw-changes.ts'
import { readHistory } from '../store/history.ts'
import { planIdAt, planFile } from '../store/plan-at.ts'
import { auditFindings, auditRefusal } from './audited.ts'
import type { Receiving } from './receiving.ts'
import type { Refusal } from './refusal.ts'

/** `from`: what was judged before, undefined: nothing; `ref`: as people know it. */
export interface Brought {
  readonly ref: string
  readonly from: Oid | undefined
  readonly to: Oid
}

export async function judgeOtherBranch(brought: Brought, receiving: Receiving): Promise<Refusal[]> {
  const events = await eventsIn(brought, receiving)
  const refusals: (Refusal | undefined)[] = [await judgePolicyFiles(brought, receiving)]
  const ids = new Set([...events.map(({ plan }) => plan), ...(await changedPlans(brought, receiving))])
  for (const id of ids) {
    const own = events.filter(({ plan }) => plan === id).map(({ commit }) => commit)
    refusals.push(await judgePlan({ ...brought, id, file: planFile(receiving.settings.dir, id), own }, receiving))
  }
  return refusals.filter((refusal) => refusal !== undefined)
}

/** Commits that say they are of a plan, newest first. */
async function eventsIn({ from, to }: Brought, { repo }: Receiving): Promise<{ commit: Oid; plan: PlanId }[]> {
  const found = await repo.git.text([
    'rev-list',
    '--topo-order',
    '--regexp-ignore-case',
    '--grep=^Plan-Id[ \t]*:',
    to,
    ...(from === undefined ? [] : [`^${from}`]),
  ])
  const commits = found.split('\n').filter((line) => line !== '') as Oid[]
  const events = await Promise.all(
    commits.map(async (commit) => ({ commit, plan: eventOf((await repo.readCommit(commit))?.message ?? '')?.plan })),
  )
  return events.filter((each): each is { commit: Oid; plan: PlanId } => each.plan !== undefined)
}

/** Whose files are there afterwards, and are not what they were. */
async function changedPlans({ from, to }: Brought, { repo, settings }: Receiving): Promise<PlanId[]> {
  const nothing = await repo.git.text(['hash-object', '-t', 'tree', '/dev/null'])
  const changes = await rawChanges(repo, from ?? nothing, to)
  return [...changes].flatMap(([path, { after }]) =>
    after.mode === '000000' ? [] : (planIdAt(settings.dir, path) ?? []),
  )
}

type PlanBrought = Brought & {
  readonly id: PlanId
  readonly file: string
  /** Its commits among those that are new, newest first. */
  readonly own: readonly Oid[]
}

/** Each of its lines of commits by its newest; then what the branch has afterwards. */
async function judgePlan(brought: PlanBrought, receiving: Receiving): Promise<Refusal | undefined> {
  const { id, file, own, to } = brought
  const open = new Set<string>(own)
  for (const commit of own) {
    if (!open.has(commit)) continue
    const judged = await judgeEnd(brought, commit, receiving)
    if (judged.refusal !== undefined) return judged.refusal
    open.delete(commit)
    for (const each of [commit, ...judged.ends]) {
      // A merge has the commits of the branch that it was made on below it.
      if (await isMerge(receiving, each)) continue
      const { events } = await readHistory(receiving.repo, each, { id, file })
      for (const event of events) open.delete(event.commit)
    }
  }
  const isThere = (await receiving.repo.resolve(`${to}:${file}`, 'object')) !== undefined
  return isThere ? (await judgeEnd(brought, to, receiving)).refusal : undefined
}

interface Judged {
  readonly refusal?: Refusal
  /** Commits that are the end of the plan as it was judged. */
  readonly ends: readonly Oid[]
}

const refuse = (message: string, hint: string): Judged => ({ refusal: { message, hint }, ends: [] })

/** The plan as `commit` has it is at its end, and that is the end of commits which hold. */
async function judgeEnd(brought: PlanBrought, commit: Oid, receiving: Receiving): Promise<Judged> {
  const { ref, id, file, own, to } = brought
  const { repo } = receiving
  const bytes = await repo.readBlob(`${commit}:${file}`)
  if (bytes === undefined)
    return refuse(
      `${commit.slice(0, 10)} claims to be part of plan ${id}, but has no ${file}`,
      `git show ${commit.slice(0, 10)}`,
    )
  const read = readPlan(bytes, { file, id })
  if (!read.ok)
    return refuse(
      `${file} is not a valid plan: line ${read.findings[0]?.line ?? 1}: ${read.findings[0]?.message ?? ''}`,
      `git plan check ${file}`,
    )
  const { status, state, base } = read.plan
  // A text that nobody has begun with is a text.
  if (status === 'proposed' && state.size === 0 && own.length === 0) return { ends: [] }
  if (!isFinal(status))
    return refuse(
      `plan ${id} is ${status}, but ${ref} accepts only finished plans`,
      `git plan ${isBegun(status) ? 'resume' : 'start'} ${id} && git plan finish ${id}`,
    )
  const ends = await endsLike(brought, commit, receiving)
  const push = `git push origin refs/plan/${id}/final ${ref}`
  if (ends.length === 0)
    return status === 'cancelled'
      ? { ends: [] }
      : refuse(`${file} says that the plan is completed, but the push lacks the commits that prove it`, push)
  // What else a branch takes over is told where the plan goes into the one that it was for.
  const request = { id, known: await receiving.knownTips(id), merged: { into: base === ref ? to : undefined } }
  for (const tip of ends) if ((await auditFindings(receiving, { ...request, tip })).length === 0) return { ends: [tip] }
  const refusal = await auditRefusal(
    receiving,
    { ...request, tip: ends[0] ?? to },
    `plan ${id}, which is merged into ${ref},`,
  )
  return {
    ends: [],
    ...(refusal === undefined
      ? {}
      : {
          refusal: {
            ...refusal,
            hint: `${refusal.hint}; if it was squashed or rebased, push its original commits: ${push}`,
          },
        }),
  }
}

const isBegun = (status: PlanStatus): boolean => status !== 'proposed' && status !== 'approved'

/**
 * The commits that may be the end of the plan, with the same plan file. A merge is none: it is of the branch that it
 * was made on.
 */
async function endsLike({ id, file, own }: PlanBrought, commit: Oid, receiving: Receiving): Promise<Oid[]> {
  const { repo } = receiving
  const blob = await repo.resolve(`${commit}:${file}`, 'object')
  const ends: Oid[] = []
  for (const each of new Set([...(await receiving.planTips(id)), ...own])) {
    const isSame = (await repo.resolve(`${each}:${file}`, 'object')) === blob
    if (isSame && !(await isMerge(receiving, each))) ends.push(each)
  }
  return ends
}

const isMerge = async ({ repo }: Receiving, commit: Oid): Promise<boolean> =>
  ((await repo.readCommit(commit))?.parents.length ?? 0) > 1

/** The rules are changed by people: not by a commit that says it is of a plan. */
async function judgePolicyFiles(
  { ref, from, to }: Brought,
  { repo, settings }: Receiving,
): Promise<Refusal | undefined> {
  const files = ['config.yml', 'allowed_signers'].map((name) => `${settings.dir}/${name}`)
  const touching = await repo.git.text(['rev-list', to, ...(from === undefined ? [] : [`^${from}`]), '--', ...files])
  for (const commit of touching.split('\n').filter((line) => line !== '')) {
    const plan = eventOf((await repo.readCommit(commit))?.message ?? '')?.plan
    if (plan !== undefined)
      return {
        message: `${commit.slice(0, 10)} is part of plan ${plan} and changes ${files.join(' or ')}, which hold the policy for plans in ${ref}`,
        hint: `git show ${commit.slice(0, 10)}`,
      }
  }
  return undefined
}
