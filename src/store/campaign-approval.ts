// Verifies the approval of a campaign from this repository alone: the signature by the signers that the policy branch
// allows, the line of this repository in the signed manifest, its digest, its base and its age.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  decodeProof,
  isSameRepository,
  parseLine,
  rootFrom,
  type CampaignProof,
  type ManifestLine,
} from '../approval/rules/campaign-proof.ts'
import type { Decision } from '../approval/rules/judge-decisions.ts'
import { instantOf, parseCommit } from '../git/write/commit.ts'
import type { Repository } from '../git/repository.ts'
import { verifySignature } from '../git/trust/signature.ts'
import type { CampaignTrust } from '../plan/config/approval-policy.ts'
import { allowsBranch } from '../plan/config/config.ts'
import { parseMessage } from '../plan/record/trailers.ts'
import type { Oid } from '../plan/model/ids.ts'
import { remoteOf } from './remote-name.ts'

export interface CampaignSource {
  /** The commit or ref to read signers from. */
  readonly ref: string | undefined
  readonly campaigns: ReadonlyMap<string, CampaignTrust>
}

/** Trailers of the commit that approves a campaign. */
export const campaignTrailers = {
  event: 'Plan-Campaign-Event',
  id: 'Plan-Campaign-Id',
  epoch: 'Plan-Campaign-Epoch',
  root: 'Plan-Campaign-Root',
  repository: 'Plan-Campaign-Repository',
} as const

/**
 * The decision as the proof supports it: by the signer, at the time of the signature, for the campaigns of the policy
 * that it was verified for. `base`: the branch that the plan starts from. `now`: when the plan runs.
 */
export async function verifyCampaign(
  repo: Repository,
  source: CampaignSource,
  decision: Decision,
  { base, now }: { readonly base: string | undefined; readonly now: Date },
): Promise<Decision> {
  const { campaign } = decision
  if (decision.source !== 'campaign' || decision.problem !== undefined || campaign === undefined) return decision
  const refuse = (problem: string): Decision => ({ ...decision, problem })
  const proof = decodeProof(campaign.proof)
  const line = proof === undefined ? undefined : parseLine(proof.line)
  if (proof === undefined || line === undefined) return refuse('the proof of its campaign cannot be read')
  const bytes = Buffer.from(proof.commit, 'base64')
  const signed = parseCommit('' as Oid, bytes)
  const { trailers } = parseMessage(signed.message)
  if (trailers.get(campaignTrailers.event) !== 'approved') return refuse('the commit of its campaign approves nothing')
  if (trailers.get(campaignTrailers.root) !== rootFrom(proof))
    return refuse('its line is not in the manifest that was approved')
  if (line.digest !== campaign.digest) return refuse('the campaign approved another text for this repository')
  if (line.base !== base) return refuse(`the campaign approved it for the base ${line.base}, not for ${base ?? 'none'}`)
  const address = trailers.get(campaignTrailers.repository) ?? ''
  const trusted = [...source.campaigns].filter(
    ([, { repository }]) =>
      isSameRepository(repository, address) && isSameRepository(repository, campaign.at.replace(/@[^@]*$/, '')),
  )
  if (trusted.length === 0)
    return refuse(`the policy knows no campaigns of ${address === '' ? 'an unknown repository' : address}`)
  const at = instantOf(signed.committer)
  const names: string[] = []
  let by = decision.by
  let problem: string | undefined
  for (const [name, trust] of trusted) {
    const found = await judgeTrust(repo, source, { trust, line, at, now, bytes, proof, named: campaign.at })
    if (typeof found === 'string') problem = found
    else {
      names.push(name)
      by = { email: found.by }
    }
  }
  return names.length === 0
    ? refuse(problem ?? 'no campaign of the policy approved it')
    : { ...decision, by, at, campaign: { ...campaign, names } }
}

interface Claim {
  readonly trust: CampaignTrust
  readonly line: ManifestLine
  readonly at: string
  readonly now: Date
  readonly bytes: Buffer
  readonly proof: CampaignProof
  readonly named: string
}

const clockSkewMs = 15 * 60_000

async function judgeTrust(
  repo: Repository,
  { ref }: CampaignSource,
  { trust, line, at, now, bytes, proof, named }: Claim,
): Promise<string | { readonly by: string }> {
  if (!allowsBranch(trust.bases, line.base)) return `the policy lets no campaign change ${line.base}`
  const age = now.getTime() - Date.parse(at)
  if (age > trust.expires) return 'the approval of the campaign has expired'
  if (age < -clockSkewMs) return 'the approval of the campaign is dated in the future'
  const here = trust.address ?? (await repo.config.value(`remote.${await remoteOf(repo)}.url`))
  if (here === undefined)
    return 'the address of this repository is unknown: set `address` of the campaign in the policy'
  if (!isSameRepository(line.address, here)) return `the campaign approved it for ${line.address}, and this is ${here}`
  const signers = ref === undefined ? undefined : await repo.readObject(`${ref}:${trust.signers}`)
  if (signers?.type !== 'blob') return `${trust.signers} is not on the policy branch: nobody may sign a campaign`
  return repo.once(`campaign ${signers.oid} ${named} ${proof.commit}`, () =>
    signerOf(repo, { bytes, named, signers: signers.bytes }),
  )
}

/** Git verifies signatures of objects: the commit is written to a directory of its own, and nothing to the repository. */
async function signerOf(
  repo: Repository,
  { bytes, named, signers }: { readonly bytes: Buffer; readonly named: string; readonly signers: Uint8Array },
): Promise<string | { readonly by: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'git-plan-campaign-'))
  try {
    const env = { GIT_OBJECT_DIRECTORY: directory }
    const written = await repo.git.run(['hash-object', '-t', 'commit', '-w', '--stdin'], {
      input: bytes,
      env,
      ok: [0, 128],
    })
    const oid = written.stdout.toString().trim()
    if (written.code !== 0 || !named.endsWith(`@${oid}`))
      return 'the commit of its campaign is not the one that it names'
    const signature = await verifySignature(repo, oid, { allowedSigners: signers, env })
    return signature.isGood ? { by: signature.by } : `the approval of the campaign: ${signature.why}`
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
