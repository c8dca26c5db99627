// What the policy branch says of people: who owns which paths, and who may sign. Never asked of the branch of a plan.

import type { Decision } from '../approval/rules/judge-decisions.ts'
import { isSamePerson, type Identity } from '../approval/rules/identity.ts'
import type { OwnedPath } from '../approval/rules/open-owners.ts'
import { ownerFiles, ownersOf, readOwners, touchedPaths } from '../approval/rules/owners.ts'
import { instantOf } from '../git/write/commit.ts'
import type { Repository } from '../git/repository.ts'
import { verifySignature, type Signature } from '../git/trust/signature.ts'
import type { Plan } from '../plan/model/plan.ts'

/** Where it is read from: a commit or a ref, and the directory of plans; without a ref nothing is said. */
export interface PolicyPlace {
  readonly ref: string | undefined
  readonly dir: string
}

/** `at`: the commit that the plan works on. `paths`: more of them, which the text does not name. */
export async function ownedPaths(
  repo: Repository,
  { ref }: PolicyPlace,
  plan: Plan,
  { at, paths }: { readonly at: string; readonly paths: readonly string[] },
): Promise<OwnedPath[]> {
  if (ref === undefined) return []
  for (const file of ownerFiles) {
    const bytes = await repo.readBlob(`${ref}:${file}`)
    if (bytes === undefined) continue
    const touched = touchedPaths(plan, await filesBelow(repo, at))
    return ownersOf(readOwners(bytes.toString()), [...new Set([...touched, ...paths])])
  }
  return []
}

async function filesBelow(repo: Repository, commit: string): Promise<(path: string) => readonly string[]> {
  const files = (await repo.git.text(['ls-tree', '-r', '-z', '--name-only', commit]))
    .split('\0')
    .filter((name) => name !== '')
  return (path) => files.filter((name) => name === path || name.startsWith(`${path}/`))
}

/** By the signers that the policy branch allows, else by those of the user's own configuration. */
export async function signatureOf(repo: Repository, { ref, dir }: PolicyPlace, commit: string): Promise<Signature> {
  const signers = ref === undefined ? undefined : await repo.readObject(`${ref}:${dir}/allowed_signers`)
  return repo.once(`signature of ${commit} by ${signers?.oid ?? 'the user'}`, () =>
    verifySignature(repo, commit, { allowedSigners: signers?.bytes }),
  )
}

const dayMs = 24 * 60 * 60_000

/**
 * A decision counts as its proof says: who signed, not who is named. `base`: the commit that the plan is based on. A
 * key that has ended still verifies commits that are dated before its end, and whoever has it can date a commit as they
 * like: but not before the plan could exist, give or take a clock that is a day wrong.
 */
export async function provenBy(
  repo: Repository,
  place: PolicyPlace,
  decision: Decision,
  base: string | undefined,
): Promise<Decision> {
  if (decision.source !== 'signature' || decision.problem !== undefined) return decision
  const begin = base === undefined ? undefined : await repo.readCommit(base)
  if (begin !== undefined && Date.parse(decision.at) < Date.parse(instantOf(begin.committer)) - dayMs)
    return { ...decision, problem: 'it is dated before the commit that the plan is based on' }
  const signature = await signatureOf(repo, place, decision.commit)
  if (!signature.isGood) return { ...decision, problem: signature.why }
  const signer: Identity = { email: signature.by }
  return isSamePerson(signer, decision.by) ? decision : { ...decision, by: signer }
}
