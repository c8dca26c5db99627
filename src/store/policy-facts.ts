// Facts about people from the policy branch: path owners and allowed signers. Never read from the branch of a plan.

import type { Decision } from '../approval/rules/judge-decisions.ts'
import { isSamePerson, type Identity } from '../approval/rules/identity.ts'
import type { OwnedPath } from '../approval/rules/open-owners.ts'
import { ownerFiles, ownersOf, readOwners, touchedPaths } from '../approval/rules/owners.ts'
import { instantOf } from '../git/write/commit.ts'
import type { Repository } from '../git/repository.ts'
import { verifySignature, type Signature } from '../git/trust/signature.ts'
import type { CampaignTrust } from '../plan/config/approval-policy.ts'
import type { Plan } from '../plan/model/plan.ts'
import { verifyCampaign } from './campaign-approval.ts'

/** The commit or ref to read the policy from, and the directory of plans. Without a ref there is no policy. */
export interface PolicySource {
  readonly ref: string | undefined
  readonly dir: string
}

/** What a decision is verified against. */
export interface Verification {
  /** The commit that the plan is based on. */
  readonly base: string | undefined
  /** The name of its branch. */
  readonly branch: string | undefined
  readonly campaigns: ReadonlyMap<string, CampaignTrust>
  /** When the plan runs. */
  readonly now: Date
}

/** `at`: the commit that the plan works on. `paths`: additional paths that the plan does not name. */
export async function ownedPaths(
  repo: Repository,
  { ref }: PolicySource,
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

/** Verified against the signers that the policy branch allows, otherwise those in the user's own configuration. */
export async function signatureOf(repo: Repository, { ref, dir }: PolicySource, commit: string): Promise<Signature> {
  const signers = ref === undefined ? undefined : await repo.readObject(`${ref}:${dir}/allowed_signers`)
  return repo.once(`signature of ${commit} by ${signers?.oid ?? 'the user'}`, () =>
    verifySignature(repo, commit, { allowedSigners: signers?.bytes }),
  )
}

const dayMs = 24 * 60 * 60_000

/**
 * A decision is valid for the person who signed it, not the one it names. An expired key still verifies commits dated
 * before it expired, and its holder can choose any date: so a decision dated before `base`, the commit that the plan is
 * based on, is rejected. One day of difference is allowed for wrong clocks.
 */
export async function verifyDecision(
  repo: Repository,
  source: PolicySource,
  decision: Decision,
  { base, branch, campaigns, now }: Verification,
): Promise<Decision> {
  if (decision.source === 'campaign')
    return verifyCampaign(repo, { ref: source.ref, campaigns }, decision, { base: branch, now })
  if (decision.source !== 'signature' || decision.problem !== undefined) return decision
  const begin = base === undefined ? undefined : await repo.readCommit(base)
  if (begin !== undefined && Date.parse(decision.at) < Date.parse(instantOf(begin.committer)) - dayMs)
    return { ...decision, problem: 'it is dated before the commit that the plan is based on' }
  const signature = await signatureOf(repo, source, decision.commit)
  if (!signature.isGood) return { ...decision, problem: signature.why }
  const signer: Identity = { email: signature.by }
  return isSamePerson(signer, decision.by) ? decision : { ...decision, by: signer }
}
