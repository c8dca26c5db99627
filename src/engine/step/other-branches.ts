// The branches and tags around a step of an agent or a driver. The refs of plans are watched in run/other-plans.ts. What
// moved is reported and never undone: a person may have moved it in another work tree.

import type { Repository } from '../../git/repository.ts'
import { isOid, type Oid } from '../../plan/model/ids.ts'
import type { Run } from '../run/run.ts'
import type { Worker } from '../run/worker.ts'
import { stepFailure, type Failure } from './step-failure.ts'

export type Branches = ReadonlyMap<string, Oid>

export async function readBranches(repo: Repository): Promise<Branches> {
  const refs = await repo.refs('refs/heads/', 'refs/tags/')
  return new Map(refs.flatMap(({ name, oid }) => (name.startsWith('refs/heads/plan/') ? [] : [[name, oid]])))
}

const branchesFile = 'branches.json'

/** Keeps them for the command with which a driver reports on its step. */
export async function keepBranches(run: Run): Promise<void> {
  await run.dir.writeJson(branchesFile, Object.fromEntries(await readBranches(run.repo)))
}

/** undefined: the step was handed out by an earlier version. */
export async function keptBranches(run: Run): Promise<Branches | undefined> {
  const kept = (await run.dir.readJson(branchesFile))?.value
  if (typeof kept !== 'object' || kept === null) return undefined
  return new Map(
    Object.entries(kept).flatMap(([name, oid]): [string, Oid][] =>
      typeof oid === 'string' && isOid(oid) ? [[name, oid as Oid]] : [],
    ),
  )
}

/** `notice`: what moved. A base that has commits of the plan, which nobody has reviewed, fails the step. */
export async function compareBranches(
  { run, at, workspace }: Worker,
  before: Branches,
): Promise<{ readonly notice?: string; readonly failure?: Failure }> {
  const { repo } = workspace
  const now = await readBranches(repo)
  const moved = [...new Set([...before.keys(), ...now.keys()])]
    .filter((ref) => before.get(ref) !== now.get(ref))
    .toSorted()
  if (moved.length === 0) return {}
  const list = moved.slice(0, 10).map((ref) => `${ref} ${changeOf(before.get(ref), now.get(ref))}`)
  const more = moved.length > list.length ? ` and ${moved.length - list.length} more` : ''
  const notice = `refs were changed while the step ran: ${list.join(', ')}${more}`
  const base = `refs/heads/${at.plan.base}`
  const [from, to] = [before.get(base), now.get(base)]
  if (from !== undefined && to !== undefined && from !== to) {
    const fork = await repo.mergeBase(to, at.tip)
    if (fork !== undefined && !(await repo.isAncestor(fork, from)))
      return {
        notice,
        failure: stepFailure({
          reason: 'base-moved',
          message: `${at.plan.base} was moved while it ran, to commits of plan/${run.id}; to look at them: git log ${from.slice(0, 12)}..${at.plan.base}`,
        }),
      }
  }
  return { notice }
}

function changeOf(from: Oid | undefined, to: Oid | undefined): string {
  if (from === undefined) return `(new, ${to?.slice(0, 12)})`
  return to === undefined ? `(deleted, was ${from.slice(0, 12)})` : `(${from.slice(0, 12)}..${to.slice(0, 12)})`
}
