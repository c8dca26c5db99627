// The user's position before the plan, recorded as a commit under a local ref of the plan.

import { relative } from 'node:path'
import { workTreeOf } from '../../git/worktree/worktrees.ts'
import type { Repository } from '../../git/repository.ts'
import { formatMessage, parseMessage } from '../../plan/record/trailers.ts'
import { originRef, stashRef, type Oid } from '../../plan/model/ids.ts'
import type { Run } from '../run/run.ts'

/** Identifies a work tree by its path in the Git directory, which survives a move of the repository. */
export const treeName = (repo: { gitDir: string; commonDir: string }): string =>
  encodeURIComponent(relative(repo.commonDir, repo.gitDir) || '.')

export interface Origin {
  readonly branch: string | undefined
  readonly commit: Oid
  /** See treeName. */
  readonly tree: string
}

export async function rememberOrigin(run: Run): Promise<void> {
  const message = formatMessage({
    subject: `Where the user was before ${run.id}`,
    trailers: [
      ['Plan-Head', (await run.repo.headBranch()) ?? 'detached'],
      ['Plan-Tree', treeName(run.checkedOut.tree.repo)],
    ],
  })
  await run.withKeptObjects(async () => {
    const oid = await run.objects.commit({
      tree: await run.objects.emptyTree(),
      parents: [await run.repo.headCommit()],
      message,
    })
    await run.objects.flush()
    await run.repo.moveRefs([{ ref: originRef(run.id), from: await run.repo.resolve(originRef(run.id)), to: oid }])
  })
}

export async function readOrigin(run: Run): Promise<Origin | undefined> {
  const oid = await run.repo.resolve(originRef(run.id))
  const commit = oid === undefined ? undefined : await run.repo.readCommit(oid)
  const [parent] = commit?.parents ?? []
  if (commit === undefined || parent === undefined) return undefined
  const { trailers } = parseMessage(commit.message)
  const head = trailers.get('Plan-Head')
  return { branch: head === 'detached' ? undefined : head, commit: parent, tree: trailers.get('Plan-Tree') ?? '' }
}

export async function returnTarget(run: Run, origin: Origin): Promise<string> {
  if (
    origin.branch !== undefined &&
    origin.branch !== run.branch &&
    (await run.repo.tipOf(origin.branch)) !== undefined
  )
    return origin.branch
  // The branch is gone, for example that of another plan which was finished meanwhile: better the base than no branch.
  // But the autostash belongs to the commit that it was taken from.
  const isStashed = (await run.repo.resolve(stashRef(run.id))) !== undefined
  if (isStashed || origin.branch === undefined || run.at?.plan.base === undefined) return origin.commit
  const base = `refs/heads/${run.at.plan.base}`
  const isFree = (await run.repo.tipOf(base)) !== undefined && !(await workTreeOf(run.repo, base))
  return isFree ? base : origin.commit
}

export async function removeOrigin(run: Run): Promise<void> {
  const oid = await run.repo.resolve(originRef(run.id))
  if (oid !== undefined) await run.repo.moveRefs([{ ref: originRef(run.id), from: oid, to: undefined }])
}

/**
 * The plan that is checked out here, unless the user came from it: restored changes would become part of its next step.
 */
export async function otherPlanAt(repo: Repository, origin: Origin | undefined): Promise<string | undefined> {
  const head = await repo.headBranch()
  return head?.startsWith('refs/heads/plan/') === true && head !== origin?.branch
    ? head.slice('refs/heads/'.length)
    : undefined
}
