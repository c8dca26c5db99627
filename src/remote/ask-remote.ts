// Which refs of a plan the remote has at this moment. A server may advertise any name: nothing is taken but what git
// plan itself would have made.

import { PlanError } from '../errors.ts'
import { runPorcelain } from '../git/command/porcelain.ts'
import type { Repository } from '../git/repository.ts'
import { highestNumber, numberedRefs } from '../plan/record/numbered-refs.ts'
import { finalRef, isOid, notesRef, planBranch, planRefs, type Oid, type PlanId } from '../plan/model/ids.ts'
import { readPlanAt } from '../store/plan-at.ts'
import { isRemoteName, remoteOf } from '../store/remote-name.ts'

export interface RefsThere {
  readonly remote: string
  /** Of the branch. */
  readonly tip: Oid | undefined
  readonly final: Oid | undefined
  readonly lease: Oid | undefined
  /** What is kept beside the branch, the final ref and the notes included. */
  readonly kept: ReadonlyMap<string, Oid>
}

export const leaseRef = (id: PlanId): string => `refs/plan-lease/${id}`

/** Whoever can push can plant the highest number, which would leave none for the next record. */
const isKept = (id: PlanId, name: string): boolean =>
  name === notesRef(id) ||
  name === finalRef(id) ||
  numberedRefs(id, [{ name }]).some(({ number }) => number < highestNumber)

/** By default where pushes go, which may be another repository than the one that is fetched from. */
export async function refsThere(repo: Repository, id: PlanId, { isFetched = false } = {}): Promise<RefsThere> {
  const remote = await remoteOf(repo)
  refuseOddRemote(remote)
  const address = isFetched ? remote : await pushAddress(repo, remote)
  const names = [planBranch(id), leaseRef(id), notesRef(id), `${planRefs(id)}*`]
  const listed = await runPorcelain(repo.git, ['ls-remote', '--quiet', address, ...names]).catch((error: unknown) => {
    throw unreachable(error, remote, `cannot read plan/${id} from ${remote}`)
  })
  // It lists whatever ends so.
  const refs = new Map(
    listed
      .split('\n')
      .flatMap((line) => (/^[0-9a-f]+\t/.test(line) ? [line.split('\t').toReversed() as [string, string]] : [])),
  )
  const oidOf = (name: string): Oid | undefined => {
    const oid = refs.get(name)
    return oid !== undefined && isOid(oid) ? (oid as Oid) : undefined
  }
  const kept = [...refs.keys()].flatMap((name): [string, Oid][] => {
    const oid = isKept(id, name) ? oidOf(name) : undefined
    return oid === undefined ? [] : [[name, oid]]
  })
  return {
    remote,
    tip: oidOf(planBranch(id)),
    final: oidOf(finalRef(id)),
    lease: oidOf(leaseRef(id)),
    kept: new Map(kept),
  }
}

/** The name of the remote, unless it has another address for pushes. */
async function pushAddress(repo: Repository, remote: string): Promise<string> {
  // A remote that is not there is told of by the question itself.
  const ask = async (...options: string[]): Promise<string> =>
    (await runPorcelain(repo.git, ['remote', 'get-url', ...options, remote]).catch(() => '')).trim()
  const [fetched, pushed] = await Promise.all([ask(), ask('--push')])
  return pushed === '' || pushed === fetched || pushed.startsWith('-') ? remote : pushed
}

/** Whoever can push can call any commit the end of a plan; only one at which the plan is completed is. */
export const isEnd = async (
  repo: Repository,
  commit: Oid,
  plan: { readonly id: PlanId; readonly file: string },
): Promise<boolean> => (await readPlanAt(repo, commit, plan).catch(() => undefined))?.status === 'completed'

/** With all of its files: a fetch that was killed may have left a commit without them. */
export const isWholeHere = async (repo: Repository, commit: Oid): Promise<boolean> =>
  (await repo.git.run(['rev-list', '--objects', '--no-walk', '--quiet', commit], { ok: [0, 128] })).code === 0

/** What git says of a remote that is not there, or that lets nobody in, is many lines of which one matters. */
export function unreachable(error: unknown, remote: string, what: string): unknown {
  if (!(error instanceof PlanError) || error.code !== 'git-failed') return error
  if (error.message.includes(`'${remote}' does not appear to be a git repository`))
    return new PlanError('forge', `${what}: there is no remote ${remote}`, {
      hint: 'git config plan.remote NAME',
      cause: error,
    })
  const said = /^(?:.*failed: )?(?:fatal|error|remote): *(.*\S)/m.exec(error.message)?.[1] ?? error.message
  return new PlanError('forge', `${what}: ${said}`, {
    hint: { 'check its URL': `git remote get-url --push ${remote}`, 'check your access': `git ls-remote ${remote}` },
    cause: error,
  })
}

export function refuseOddRemote(remote: string): void {
  if (isRemoteName(remote)) return
  throw new PlanError(
    'usage',
    `plan.remote in git config is ${JSON.stringify(remote)}, which is not the name of a remote`,
    {
      hint: 'git config plan.remote origin',
    },
  )
}
