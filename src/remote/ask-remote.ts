// Reads the current refs of a plan on the remote. A server may advertise any name: only names that git plan itself
// would have created are used.

import { PlanError } from '../errors.ts'
import { runPorcelain } from '../git/command/porcelain.ts'
import type { Repository } from '../git/repository.ts'
import { highestNumber, numberedRefs } from '../plan/record/numbered-refs.ts'
import { finalRef, isOid, notesRef, planBranch, planRefs, type Oid, type PlanId } from '../plan/model/ids.ts'
import { readPlanAt } from '../store/plan-at.ts'
import { existingRemote, isRemoteName, remoteOf } from '../store/remote-name.ts'

export interface RemoteRefs {
  readonly remote: string
  /** The tip of the branch. */
  readonly tip: Oid | undefined
  readonly final: Oid | undefined
  readonly lease: Oid | undefined
  /** The refs beside the branch, including the final ref and the notes. */
  readonly records: ReadonlyMap<string, Oid>
}

export const leaseRef = (id: PlanId): string => `refs/plan-lease/${id}`

/** Anybody who can push can create the highest number, which would leave none for the next record. */
const isKept = (id: PlanId, name: string): boolean =>
  name === notesRef(id) ||
  name === finalRef(id) ||
  numberedRefs(id, [{ name }]).some(({ number }) => number < highestNumber)

/** Asks the push address by default, which may be another repository than the one that is fetched from. */
export async function remoteRefs(repo: Repository, id: PlanId, { isFetched = false } = {}): Promise<RemoteRefs> {
  const remote = await requireRemote(repo)
  const address = isFetched ? remote : await pushAddress(repo, remote)
  const names = [planBranch(id), leaseRef(id), notesRef(id), `${planRefs(id)}*`]
  const listed = await runPorcelain(repo.git, ['ls-remote', address, ...names]).catch((error: unknown) => {
    throw remoteError(error, remote, `cannot read plan/${id} from ${remote}`)
  })
  // ls-remote lists every ref whose name ends with a pattern.
  const refs = new Map(
    listed
      .split('\n')
      .flatMap((line) => (/^[0-9a-f]+\t/.test(line) ? [line.split('\t').toReversed() as [string, string]] : [])),
  )
  const oidOf = (name: string): Oid | undefined => {
    const oid = refs.get(name)
    return oid !== undefined && isOid(oid) ? (oid as Oid) : undefined
  }
  const records = [...refs.keys()].flatMap((name): [string, Oid][] => {
    const oid = isKept(id, name) ? oidOf(name) : undefined
    return oid === undefined ? [] : [[name, oid]]
  })
  return {
    remote,
    tip: oidOf(planBranch(id)),
    final: oidOf(finalRef(id)),
    lease: oidOf(leaseRef(id)),
    records: new Map(records),
  }
}

/** Returns the name of the remote, or its push address if that differs. */
async function pushAddress(repo: Repository, remote: string): Promise<string> {
  // A missing remote is reported by the query itself.
  const ask = async (...options: string[]): Promise<string> =>
    (await runPorcelain(repo.git, ['remote', 'get-url', ...options, remote]).catch(() => '')).trim()
  const [fetched, pushed] = await Promise.all([ask(), ask('--push')])
  return pushed === '' || pushed === fetched || pushed.startsWith('-') ? remote : pushed
}

/**
 * Anybody who can push can call any commit the final one of a plan; only a commit at which the plan is completed is
 * one.
 */
export const isFinalCommit = async (
  repo: Repository,
  commit: Oid,
  plan: { readonly id: PlanId; readonly file: string },
): Promise<boolean> => (await readPlanAt(repo, commit, plan).catch(() => undefined))?.status === 'completed'

/** True if the commit is here with all of its files: a killed fetch may have left it without them. */
export const isCompleteHere = async (repo: Repository, commit: Oid): Promise<boolean> =>
  (await repo.git.run(['rev-list', '--objects', '--no-walk', '--quiet', commit], { ok: [0, 128] })).code === 0

/** Picks the one line that matters from Git's messages about a remote that is missing or denies access. */
export function remoteError(error: unknown, remote: string, what: string): unknown {
  if (!(error instanceof PlanError) || error.code !== 'git-failed') return error
  const reason = /^(?:.*failed: )?(?:fatal|error|remote): *(.*\S)/m.exec(error.message)?.[1] ?? error.message
  return new PlanError('forge', `${what}: ${reason}`, {
    hint: { 'check its URL': `git remote get-url --push ${remote}`, 'check your access': `git ls-remote ${remote}` },
    cause: error,
  })
}

/** Returns the name of the remote through which plans are shared. Refuses if there is none. */
export async function requireRemote(repo: Repository): Promise<string> {
  const remote = await remoteOf(repo)
  if (!isRemoteName(remote))
    throw new PlanError(
      'usage',
      `plan.remote in git config is ${JSON.stringify(remote)}, which is not the name of a remote`,
      {
        hint: 'git config plan.remote origin',
      },
    )
  if ((await existingRemote(repo)) !== undefined) return remote
  const others = (await runPorcelain(repo.git, ['remote'])).split('\n').filter(isRemoteName)
  throw others[0] === undefined
    ? new PlanError('forge', 'this repository has no remote to share plans through', {
        hint: { 'add one': `git remote add ${remote} URL` },
      })
    : new PlanError('forge', `there is no remote ${remote}; the remotes here: ${others.join(', ')}`, {
        hint: { 'choose one': `git config plan.remote ${others[0]}` },
      })
}
