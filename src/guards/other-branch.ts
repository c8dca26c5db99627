// Judges a push to a protected branch, which accepts only finished plans. Plans are found by the commits that claim to
// belong to one and by the plan files that changed: after a squash only the files are left.

import { isFinal } from '../plan/model/lifecycle.ts'
import { readPlan } from '../plan/file/read-plan.ts'
import { eventOf } from '../plan/record/trailers.ts'
import type { Oid, PlanId } from '../plan/model/ids.ts'
import { rawChanges } from '../git/read/raw-changes.ts'
import { mergeWithoutFile } from '../store/merged.ts'
import { readHistory } from '../store/history.ts'
import { planIdAt, planFile } from '../store/plan-at.ts'
import { auditFindings, auditRefusal } from './audited.ts'
import type { Receiving } from './receiving.ts'
import type { Refusal } from './refusal.ts'

/** `from`: the commit up to which the branch was judged, undefined if it never was; `ref`: the short branch name. */
export interface Incoming {
  readonly ref: string
  readonly from: Oid | undefined
  readonly to: Oid
}

export async function judgeOtherBranch(incoming: Incoming, receiving: Receiving): Promise<Refusal[]> {
  const events = await eventsIn(incoming, receiving)
  const refusals: (Refusal | undefined)[] = [await judgePolicyFiles(incoming, receiving)]
  const ids = new Set([...events.map(({ plan }) => plan), ...(await changedPlans(incoming, receiving))])
  for (const id of ids) {
    const own = events.filter(({ plan }) => plan === id).map(({ commit }) => commit)
    refusals.push(await judgePlan({ ...incoming, id, file: planFile(receiving.settings.dir, id), own }, receiving))
  }
  return refusals.filter((refusal) => refusal !== undefined)
}

/** Returns the commits that claim to belong to a plan, newest first. */
async function eventsIn({ from, to }: Incoming, { repo }: Receiving): Promise<{ commit: Oid; plan: PlanId }[]> {
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

/** Returns the plans whose files the push adds or changes. */
async function changedPlans({ from, to }: Incoming, { repo, settings }: Receiving): Promise<PlanId[]> {
  const nothing = await repo.git.text(['hash-object', '-t', 'tree', '/dev/null'])
  const changes = await rawChanges(repo, from ?? nothing, to)
  return [...changes].flatMap(([path, { after }]) =>
    after.mode === '000000' ? [] : (planIdAt(settings.dir, path) ?? []),
  )
}

type IncomingPlan = Incoming & {
  readonly id: PlanId
  readonly file: string
  /** The new commits that belong to this plan, newest first. */
  readonly own: readonly Oid[]
}

/** Judges each line of the plan's commits by its newest commit, then the plan file at the new tip. */
async function judgePlan(incoming: IncomingPlan, receiving: Receiving): Promise<Refusal | undefined> {
  const { id, file, own, to } = incoming
  const open = new Set<string>(own)
  for (const commit of own) {
    if (!open.has(commit)) continue
    const verdict = await judgeEnd(incoming, commit, receiving)
    if (verdict.refusal !== undefined) return verdict.refusal
    open.delete(commit)
    for (const each of [commit, ...verdict.ends]) {
      // A merge also has the history of the branch it was made on below it.
      if (await isMerge(receiving, each)) continue
      const { events } = await readHistory(receiving.repo, each, { id, file })
      for (const event of events) open.delete(event.commit)
    }
  }
  const isThere = (await receiving.repo.resolve(`${to}:${file}`, 'object')) !== undefined
  return isThere ? (await judgeEnd(incoming, to, receiving)).refusal : undefined
}

interface Verdict {
  readonly refusal?: Refusal
  /** Final commits of the plan that were judged. */
  readonly ends: readonly Oid[]
}

const refuse = (message: string, hint: string): Verdict => ({ refusal: { message, hint }, ends: [] })

/** Requires that the plan at `commit` is finished, and that its final commit passes the audit. */
async function judgeEnd(incoming: IncomingPlan, commit: Oid, receiving: Receiving): Promise<Verdict> {
  const { ref, id, file, own, to } = incoming
  const { repo } = receiving
  const at = await endNamedBy(commit, incoming, receiving)
  const bytes = await repo.readBlob(`${at}:${file}`)
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
  // A proposed plan that has not been started is only a file.
  if (status === 'proposed' && state.size === 0 && own.length === 0) return { ends: [] }
  if (!isFinal(status))
    return refuse(`plan ${id} is ${status}, but ${ref} accepts only finished plans`, `git plan status ${id}`)
  const ends = await possibleEnds(incoming, at, receiving)
  const push = `git push origin refs/plan/${id}/final ${ref}`
  if (ends.length === 0)
    return status === 'cancelled'
      ? { ends: [] }
      : refuse(`${file} says that the plan is completed, but the push lacks the commits that prove it`, push)
  // The merge result is audited only when the plan enters its own base.
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

/** The commit that holds the plan file: a merge without it names the plan's tip, which must be one that is pushed. */
async function endNamedBy(commit: Oid, { id }: IncomingPlan, receiving: Receiving): Promise<Oid> {
  const merge = await mergeWithoutFile(receiving.repo, commit)
  if (merge?.id !== id) return commit
  return (await receiving.planTips(id)).includes(merge.tip) ? merge.tip : commit
}

/**
 * Returns the commits that may be the plan's final one: those with the same plan file. A merge is excluded: it belongs
 * to the branch on which it was made.
 */
async function possibleEnds({ id, file, own }: IncomingPlan, commit: Oid, receiving: Receiving): Promise<Oid[]> {
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

/** Only people change the policy: a commit that belongs to a plan must not. */
async function judgePolicyFiles(
  { ref, from, to }: Incoming,
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
