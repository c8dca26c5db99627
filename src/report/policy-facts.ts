// What the policy branch says of people: who owns which paths, and who may sign. Never asked of the branch of a plan.

import type { Decision } from '../approval/judge.ts'
import { isSamePerson, type Identity } from '../approval/identity.ts'
import type { OwnedPath } from '../approval/open-owners.ts'
import { ownerFiles, ownersOf, readOwners, touchedBy } from '../approval/owners.ts'
import type { Repository } from '../git/repository.ts'
import { verifySignature, type Signature } from '../git/signature.ts'
import type { Plan } from '../plan/plan.ts'

/** Where it is read from: a commit or a ref, and the directory of plans; without a ref nothing is said. */
export interface PolicyPlace {
  readonly ref: string | undefined
  readonly dir: string
}

/** `at`: the commit that the plan works on. */
export async function ownedPaths(repo: Repository, { ref }: PolicyPlace, plan: Plan, at: string): Promise<OwnedPath[]> {
  if (ref === undefined) return []
  for (const file of ownerFiles) {
    const bytes = await repo.readBlob(`${ref}:${file}`)
    if (bytes !== undefined) return ownersOf(readOwners(bytes.toString()), touchedBy(plan, await filesBelow(repo, at)))
  }
  return []
}

async function filesBelow(repo: Repository, commit: string): Promise<(path: string) => readonly string[]> {
  const files = (await repo.git.text(['ls-tree', '-r', '-z', '--name-only', commit])).split('\0').filter((name) => name !== '')
  return (path) => files.filter((name) => name === path || name.startsWith(`${path}/`))
}

/** By the signers that the policy branch allows, else by those of the user's own configuration. */
export async function signatureOf(repo: Repository, { ref, dir }: PolicyPlace, commit: string): Promise<Signature> {
  const signers = ref === undefined ? undefined : await repo.readObject(`${ref}:${dir}/allowed_signers`)
  return repo.once(`signature of ${commit} by ${signers?.oid ?? 'the user'}`, () => verifySignature(repo, commit, { allowedSigners: signers?.bytes }))
}

/** A decision counts as its proof says: who signed, not who is named. */
export async function provenBy(repo: Repository, place: PolicyPlace, decision: Decision): Promise<Decision> {
  if (decision.source !== 'signature' || decision.problem !== undefined) return decision
  const signature = await signatureOf(repo, place, decision.commit)
  if (!signature.isGood) return { ...decision, problem: signature.why }
  const signer: Identity = { email: signature.by }
  return isSamePerson(signer, decision.by) ? decision : { ...decision, by: signer }
}
