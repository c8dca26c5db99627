// Judges whether the decisions satisfy the policy: which ones are valid, which are not and why, and what is missing.

import { sources, type ApprovalPolicy, type Requirement, type Source } from '../../plan/config/approval-policy.ts'
import type { Risk } from '../../plan/model/plan.ts'
import { isMember, isSamePerson, nameOf, type Identity } from './identity.ts'
import { openOwners, type OwnedPath } from './open-owners.ts'

/** A recorded decision; its proof was verified when it was recorded. */
export interface Decision {
  readonly source: Source | 'policy'
  readonly by: Identity
  /** ISO time. */
  readonly at: string
  /** Why the decision is not valid (another text, another base, a bad signature); undefined if it is. */
  readonly problem?: string | undefined
  /** The forge teams of this person, among those that were asked about. */
  readonly teams?: readonly string[] | undefined
  readonly commit: string
  /** For an approval by a campaign, as recorded; store/campaign-approval.ts verifies it and adds the names. */
  readonly campaign?: {
    /** `<address>@<commit>` */
    readonly at: string
    readonly proof: string
    /** Of the text that was approved. */
    readonly digest: string
    /** The campaigns of the policy that the proof was verified for. */
    readonly names?: readonly string[]
  }
}

export interface Circumstances {
  readonly risk: Risk
  readonly policy: ApprovalPolicy
  readonly now: Date
  /** All known identities of a person, in Git and on the forge. */
  readonly author: readonly Identity[]
  /** The person who made or pushed the last commit that changed the text. */
  readonly lastPusher: readonly Identity[]
  readonly starter: readonly Identity[]
  /** Owners of the paths that the plan touches, if the policy requires them. */
  readonly owned: readonly OwnedPath[]
}

export interface Verdict {
  readonly isSatisfied: boolean
  readonly required: number
  readonly counted: readonly Decision[]
  readonly notCounted: readonly { readonly decision: Decision; readonly why: string }[]
  /** The missing approvals, as text. */
  readonly missing: readonly string[]
}

export function judge(decisions: readonly Decision[], circumstances: Circumstances): Verdict {
  const requirement = circumstances.policy.levels[circumstances.risk]
  const counted: Decision[] = []
  const notCounted: { decision: Decision; why: string }[] = []
  for (const decision of decisions) {
    const why =
      objectionTo(decision, requirement, circumstances) ??
      (counted.some(({ by }) => isSamePerson(by, decision.by)) ? 'already counted' : undefined)
    if (why === undefined) counted.push(decision)
    else notCounted.push({ decision, why })
  }
  const missing = missingFrom(counted, requirement, circumstances)
  return { isSatisfied: missing.length === 0, required: requirement.count, counted, notCounted, missing }
}

const clockSkewMs = 15 * 60_000

const exclusionTexts: Readonly<Record<string, string>> = {
  author: 'wrote the plan',
  'last-pusher': 'made the last change to it',
  starter: 'starts it',
}

/** Returns why a decision is not valid, undefined if it is. */
export function objectionTo(
  decision: Decision,
  requirement: Requirement,
  circumstances: Circumstances,
): string | undefined {
  const { policy, now } = circumstances
  const { by } = decision
  if (decision.problem !== undefined) return decision.problem
  if (decision.source === 'policy') return requirement.count === 0 ? undefined : 'the policy now requires an approval'
  // A proof that nobody has verified names no campaign.
  const names = decision.campaign?.names ?? []
  if (decision.source === 'campaign' && !names.some((name) => requirement.campaigns.includes(name)))
    return `the policy accepts no campaign of ${decision.campaign?.at.replace(/@[^@]*$/, '') ?? 'this repository'} at this risk`
  if (!isAccepted(requirement, decision.source)) return `the policy requires ${sourcesText(requirement.from)}`
  if (by.isBot === true && !isMember(policy.bots, by)) return 'a bot'
  const excluded = requirement.not.find((name) => {
    const people = {
      author: circumstances.author,
      'last-pusher': circumstances.lastPusher,
      starter: circumstances.starter,
    }[name]
    return people.some(
      (person) => isSamePerson(person, by) || (by.owner !== undefined && isSamePerson(person, { login: by.owner })),
    )
  })
  if (excluded !== undefined) return `${nameOf(by)} ${exclusionTexts[excluded]}`
  const age = now.getTime() - Date.parse(decision.at)
  if (policy.expires !== undefined && age > policy.expires) return 'expired'
  if (policy.expires !== undefined && age < -clockSkewMs) return 'dated in the future'
  const isNamed = isMember(requirement.people, by) || requirement.teams.some((team) => isInTeam(team, decision, policy))
  const isOpen = requirement.people.length + requirement.teams.length === 0
  if (!isOpen && !isNamed)
    return `the policy accepts only ${[...requirement.people, ...requirement.teams.map((team) => `the team ${team}`)].join(', ')}`
  return undefined
}

/** Whether an approval by this person would be valid and new, from one of the sources that the policy accepts. */
export function mayApprove(by: Identity, counted: readonly Decision[], circumstances: Circumstances): boolean {
  const requirement = circumstances.policy.levels[circumstances.risk]
  const at = circumstances.now.toISOString()
  return (
    !counted.some((decision) => isSamePerson(decision.by, by)) &&
    requirement.from.some(
      (source) =>
        source !== 'campaign' && objectionTo({ source, by, at, commit: '' }, requirement, circumstances) === undefined,
    )
  )
}

/** A signed approval is a local one with proof, so it is accepted wherever a local one is. */
const isAccepted = ({ from }: Requirement, source: Source): boolean =>
  from.includes(source) || (source === 'signature' && from.includes('local'))

const isInTeam = (team: string, { by, teams }: Decision, policy: ApprovalPolicy): boolean =>
  isMember(policy.teams.get(team) ?? [], by) || teams?.includes(team) === true

function missingFrom(
  counted: readonly Decision[],
  requirement: Requirement,
  { owned, policy }: Circumstances,
): string[] {
  const { count } = requirement
  const missing =
    counted.length < count
      ? [`${count - counted.length} more ${approvalsText(requirement.from, count - counted.length)}`]
      : []
  const owners = requirement.codeowners
    ? openOwners(owned, (owner) =>
        counted.some(
          (decision) =>
            isMember([owner], decision.by) ||
            [owner, owner.replace(/^@/, '')].some((team) => isInTeam(team, decision, policy)),
        ),
      )
    : []
  return [...missing, ...owners]
}

const sourceNames: Readonly<Record<Source, string>> = {
  local: 'local approval',
  signature: 'signed approval',
  review: 'review on the forge',
  campaign: 'campaign approval',
}
const sourcesText = (from: readonly Source[]): string => from.map((name) => `a ${sourceNames[name]}`).join(' or ')
const approvalsText = (from: readonly Source[], count: number): string => {
  const one = sources.every((name) => from.includes(name))
    ? 'approval'
    : from.map((name) => sourceNames[name]).join(' or ')
  return count === 1 ? one : one.replaceAll(/approval|review/g, '$&s')
}
