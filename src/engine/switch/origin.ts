// Where the user was before the plan: a commit under a ref of the plan's.

import { relative } from 'node:path'
import type { Repository } from '../../git/repository.ts'
import { formatMessage, parseMessage } from '../../plan/record/trailers.ts'
import { originRef, type Oid } from '../../plan/model/ids.ts'
import type { Run } from '../run/run.ts'

/** A work tree by its place in the git directory, which stays when the repository is moved. */
export const treeName = (repo: { gitDir: string; commonDir: string }): string => encodeURIComponent(relative(repo.commonDir, repo.gitDir) || '.')

export interface Origin {
  readonly branch: string | undefined
  readonly commit: Oid
  /** See treeName. */
  readonly tree: string
}

export async function rememberOrigin(session: Run): Promise<void> {
  const message = formatMessage({
    subject: `Where the user was before ${session.id}`,
    trailers: [
      ['Plan-Head', (await session.repo.headBranch()) ?? 'detached'],
      ['Plan-Tree', treeName(session.checkedOut.tree.repo)],
    ],
  })
  await session.keepingObjects(async () => {
    const oid = await session.objects.commit({ tree: await session.objects.emptyTree(), parents: [await session.repo.headCommit()], message })
    await session.objects.flush()
    await session.repo.moveRefs([{ ref: originRef(session.id), from: await session.repo.resolve(originRef(session.id)), to: oid }])
  })
}

export async function readOrigin(session: Run): Promise<Origin | undefined> {
  const oid = await session.repo.resolve(originRef(session.id))
  const commit = oid === undefined ? undefined : await session.repo.readCommit(oid)
  const [parent] = commit?.parents ?? []
  if (commit === undefined || parent === undefined) return undefined
  const { trailers } = parseMessage(commit.message)
  const head = trailers.get('Plan-Head')
  return { branch: head === 'detached' ? undefined : head, commit: parent, tree: trailers.get('Plan-Tree') ?? '' }
}

export async function existing(session: Run, origin: Origin): Promise<string> {
  if (origin.branch !== undefined && origin.branch !== session.branch && (await session.repo.tipOf(origin.branch)) !== undefined) return origin.branch
  return origin.commit
}

export async function dropLocal(session: Run): Promise<void> {
  const oid = await session.repo.resolve(originRef(session.id))
  if (oid !== undefined) await session.repo.moveRefs([{ ref: originRef(session.id), from: oid, to: undefined }])
}

/** The plan whose branch is checked out here, unless the user came from it: what is restored would become part of its next step. */
export async function otherPlanAt(repo: Repository, origin: Origin | undefined): Promise<string | undefined> {
  const head = await repo.headBranch()
  return head?.startsWith('refs/heads/plan/') === true && head !== origin?.branch ? head.slice('refs/heads/'.length) : undefined
}
