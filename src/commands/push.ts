// A plan's branch, refs and notes to the remote and back, by explicit names: clones bring none but branches by themselves.

import { PlanError } from '../errors.ts'
import { runPorcelain } from '../git/porcelain.ts'
import type { Repository } from '../git/repository.ts'
import { finalRef, notesRef, planBranch, planRefs, type Oid, type PlanId } from '../plan/values.ts'
import { isRemoteName, remoteOf } from './forge.ts'

const trackingRef = (remote: string, id: PlanId): string => `refs/remotes/${remote}/plan/${id}`

/** The branch as it was on the remote when it was last seen from here. */
export const lastSeen = async (repo: Repository, id: PlanId): Promise<Oid | undefined> => repo.resolve(trackingRef(await remoteOf(repo), id))

/** What of the branch there is no more, since it was not only moved forward. */
export interface Rewritten {
  readonly remote: string
  readonly from: Oid
  readonly to: Oid
  readonly gone: number
}

/** Refuses to overwrite what somebody else has pushed; a rollback of our own replaces what we have pushed before. */
export async function pushPlan(repo: Repository, id: PlanId): Promise<Rewritten | undefined> {
  const remote = await remoteOf(repo)
  refuseOddRemote(remote)
  const branch = planBranch(id)
  const [tip, seen] = [await repo.tipOf(branch), await lastSeen(repo, id)]
  const isForward = tip === undefined || seen === undefined || (await repo.isAncestor(seen, tip))
  const others = [...(await repo.refs(planRefs(id))), ...(await repo.refs(notesRef(id)))].map(({ name }) => `${name}:${name}`)
  const branches = tip === undefined ? [] : [`${branch}:${branch}`]
  if (branches.length + others.length === 0) return undefined
  try {
    await runPorcelain(repo.git, ['push', '--quiet', ...(isForward ? [] : [`--force-with-lease=${branch}:${seen}`]), remote, ...others, ...branches])
  } catch (error) {
    refuseAsThere(error, `${remote} did not take plan/${id}`, id)
    if (error instanceof PlanError && /rejected|non-fast-forward|fetch first|stale info/.test(error.message))
      throw new PlanError('branch-moved', `plan/${id} on ${remote} is not what was last seen from here`, {
        hint: `look at it: git plan fetch ${id}; then: git log plan/${id}..${remote}/plan/${id}`,
        cause: error,
      })
    throw unreachable(error, remote, id)
  }
  if (isForward) return undefined
  return { remote, from: seen, to: tip, gone: Number(await repo.git.text(['rev-list', '--count', `${tip}..${seen}`])) }
}

/** What git says of a remote that is not there, or that lets nobody in, is many lines of which one matters. */
function unreachable(error: unknown, remote: string, id: PlanId): unknown {
  if (!(error instanceof PlanError) || error.code !== 'git-failed') return error
  const said = /^(?:.*failed: )?(?:fatal|error|remote): *(.*\S)/m.exec(error.message)?.[1] ?? error.message
  return new PlanError('forge', `plan/${id} could not be pushed to ${remote}: ${said}`, {
    hint: `look where it leads: git remote get-url --push ${remote}; and whether you may: git ls-remote ${remote}`,
    cause: error,
  })
}

/** A hook there has said why. */
function refuseAsThere(error: unknown, what: string, id: PlanId): void {
  if (!(error instanceof PlanError) || !/hook declined/.test(error.message)) return
  const told = error.message.split('\n').flatMap((line) => /(?:^|failed: )remote: (.*\S)\s*$/.exec(line)?.[1] ?? [])
  const hint = told.find((line) => line.startsWith('Hint: ')) ?? `Hint: git plan audit ${id}`
  const lines = told.filter((line) => !line.startsWith('Hint: ')).map((line) => line.replace(/^git plan: /, ''))
  throw new PlanError('not-allowed', `${what}: ${lines.length === 0 ? 'a hook there refused it' : lines.join('\n')}`, {
    hint: hint.slice('Hint: '.length),
    cause: error,
  })
}

/** What is kept of the plan, its final ref too, then the base: nobody sees the merge without its proof. The merge here is done, whatever comes of it. */
export async function pushFinished(repo: Repository, id: PlanId, base: string): Promise<void> {
  const remote = await remoteOf(repo)
  try {
    await pushPlan(repo, id)
    await runPorcelain(repo.git, ['push', '--quiet', remote, `refs/heads/${base}:refs/heads/${base}`])
  } catch (error) {
    const isRefused = error instanceof PlanError && error.code === 'not-allowed'
    if (!(error instanceof PlanError) || isRefused) throw error
    refuseAsThere(error, `plan ${id} is merged into ${base} here, and ${remote} did not take it`, id)
    throw new PlanError('branch-moved', `plan ${id} is merged into ${base} here, and ${remote} did not take it: ${error.message}`, {
      hint: `git pull ${remote} ${base}; then: git plan finish ${id} --push`,
      cause: error,
    })
  }
}

export interface Fetched {
  readonly remote: string
  /** Of the branch there; undefined: it has none. */
  readonly tip: Oid | undefined
  /** Of a plan that is finished there. */
  readonly final: Oid | undefined
  /** Refs that say something else here than there, and stay as they are. */
  readonly kept: readonly string[]
}

/** What is on the remote: the branch as a tracking ref, everything else under its own name, and never over what only this clone knows. */
export async function fetchPlan(repo: Repository, id: PlanId): Promise<Fetched> {
  const remote = await remoteOf(repo)
  refuseOddRemote(remote)
  const [branch, notes] = [planBranch(id), notesRef(id)]
  const listed = await runPorcelain(repo.git, ['ls-remote', '--quiet', remote, branch, notes, `${planRefs(id)}*`])
  const there = new Map(
    listed
      .split('\n')
      .flatMap((line) => (line.includes('\t') ? [line.split('\t') as [string, string]] : []))
      .map(([oid, name]) => [name, oid]),
  )
  const names = [...there.keys()].filter((name) => !name.endsWith('^{}') && (name === notes || name.startsWith(planRefs(id))))
  const refspecs = [...(there.has(branch) ? [`+${branch}:${trackingRef(remote, id)}`] : []), ...names.map((name) => `${name}:${name}`)]
  if (refspecs.length === 0) return { remote, tip: undefined, final: undefined, kept: [] }
  // A ref that cannot move forward makes git complain, after it has moved all others.
  await runPorcelain(repo.git, ['fetch', '--quiet', '--no-tags', remote, ...refspecs]).catch((error: unknown) => {
    if (!(error instanceof PlanError) || !/rejected/.test(error.message)) throw error
  })
  const here = new Map((await repo.refs(planRefs(id), notes)).map(({ name, oid }) => [name, oid as string]))
  return {
    remote,
    tip: there.has(branch) ? await repo.resolve(trackingRef(remote, id)) : undefined,
    final: there.has(finalRef(id)) ? await repo.resolve(finalRef(id)) : undefined,
    kept: names.filter((name) => here.get(name) !== there.get(name)),
  }
}

export function refuseOddRemote(remote: string): void {
  if (isRemoteName(remote)) return
  throw new PlanError('usage', `plan.remote in git config is ${JSON.stringify(remote)}, which is no name of a remote`, {
    hint: 'git config plan.remote origin',
  })
}
