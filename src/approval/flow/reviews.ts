// Reads the reviews of a plan's pull request from the forge and judges the approval state with them.

import { commitsOfText, reviewable } from '../rules/decisions.ts'
import { judge, type Circumstances } from '../rules/judge-decisions.ts'
import { decisionsOf, objectors, type ReviewDecision } from '../rules/review-decisions.ts'
import { PlanError } from '../../errors.ts'
import { unapprovedCommits } from '../rules/decisions.ts'
import type { Forge, ForgeKind, Permission, Person, PullRequest } from '../../remote/forge/forge.ts'
import type { Plan } from '../../plan/model/plan.ts'
import { needForge } from '../../remote/open-forge.ts'
import { lastSeen } from '../../remote/push.ts'
import { readApprovalState, type ApprovalState } from './approval-state.ts'
import { historyOf, type AskContext, type Subject } from '../../operation/with-run.ts'

export interface Reviewed extends ApprovalState {
  readonly forge: Forge
  readonly pullRequest: PullRequest
  /** True if the pull request contains the local tip. */
  readonly isPushed: boolean
  /** Valid reviews that the branch does not record yet. */
  readonly news: readonly ReviewDecision[]
  /** The prefix of review names in the record. */
  readonly reviewPrefix: string
}

/**
 * True if the forge should be asked: the policy accepts reviews, and the plan was submitted from here or only a review
 * would do.
 */
export async function mayBeReviewed(run: Subject, { requirement, decisions }: ApprovalState): Promise<boolean> {
  if (!requirement.from.includes('review')) return false
  return (
    !requirement.from.includes('local') ||
    decisions.some(({ source }) => source === 'review') ||
    (await lastSeen(run.home, run.id)) !== undefined
  )
}

/**
 * True if there are unapproved commits and only reviewers decide: a review of a later commit covers them, so the forge
 * is asked first.
 */
export async function areReviewersNeeded({ run, settings, context }: AskContext): Promise<boolean> {
  if (unapprovedCommits(await historyOf(run)).length === 0) return false
  const { from } = (await readApprovalState(run, settings, context.now())).requirement
  return from.includes('review') && !from.includes('local')
}

/**
 * Returns the approval state with the current reviews. A recorded review is valid only as long as its author stands by
 * it.
 */
export async function withReviews({ run, settings, context }: AskContext, state: ApprovalState): Promise<Reviewed> {
  const forge = await needForge(run.home, settings, context)
  const pullRequest = await pullRequestOf(forge, run.at.plan)
  const circumstances = await addForgeIdentities(forge, state.circumstances, pullRequest)
  const reviews = await reviewsOf(forge, pullRequest, run, state)
  const reviewPrefix = `${forge.host}/${forge.repository}#${pullRequest.number}`
  const against = objectors(reviews)
  const decisions = [...state.decisions.filter(({ source }) => source !== 'review'), ...reviews]
  const verdict = judge(decisions, circumstances)
  const recorded = new Set(state.history.events.flatMap(({ review }) => (review === undefined ? [] : [review])))
  return {
    ...state,
    circumstances,
    decisions,
    verdict:
      against.length === 0
        ? verdict
        : {
            ...verdict,
            isSatisfied: false,
            // Requested changes are reported once, as missing.
            notCounted: verdict.notCounted.filter(({ decision }) => objectors([decision]).length === 0),
            missing: [...verdict.missing, ...against.map((name) => `${name} to withdraw the requested changes`)],
          },
    forge,
    pullRequest,
    isPushed: (await lastSeen(run.home, run.id)) === run.at.tip,
    reviewPrefix,
    // A commit that is already recorded may be reviewed again; that does not cover later commits.
    news: reviews.filter(
      (review) =>
        verdict.counted.includes(review) &&
        !recorded.has(`${reviewPrefix}/${review.review}`) &&
        reviewableNow(run, state).has(review.commit),
    ),
  }
}

async function pullRequestOf(forge: Forge, plan: Plan): Promise<PullRequest> {
  const found = await forge.pullRequestOf(`plan/${plan.id}`)
  if (found === undefined)
    throw new PlanError('not-approved', `plan ${plan.id} has no pull request on ${forge.host}`, {
      hint: `git plan submit ${plan.id}`,
    })
  if (found.isFork)
    throw new PlanError('not-approved', `the pull request ${found.url} is from a fork: plans of forks are not run`, {
      hint: `git plan new --from FILE && git plan submit`,
    })
  if (found.state === 'closed')
    throw new PlanError('not-approved', `the pull request ${found.url} is closed`, {
      hint: `git plan submit ${plan.id}`,
    })
  if (found.base !== plan.base)
    throw new PlanError(
      'not-approved',
      `the pull request ${found.url} targets ${found.base}, but the base of the plan is ${plan.base ?? 'not set'}`,
      {
        hint: {
          'retarget the pull request': `git plan submit ${plan.id}`,
          'change the base of the plan': `git plan edit ${plan.id}`,
        },
      },
    )
  return found
}

/** Adds the same people's accounts on the forge. */
async function addForgeIdentities(
  forge: Forge,
  circumstances: Circumstances,
  pullRequest: PullRequest,
): Promise<Circumstances> {
  const { not } = circumstances.policy.levels[circumstances.risk]
  const pusher = not.includes('last-pusher') ? await lastPusherOf(forge, pullRequest.branch) : undefined
  const self = not.includes('starter') ? await forge.self() : undefined
  return {
    ...circumstances,
    author: [...circumstances.author, pullRequest.author],
    lastPusher: [...circumstances.lastPusher, ...(pusher === undefined ? [] : [pusher])],
    starter: [...circumstances.starter, ...(self === undefined ? [] : [self])],
  }
}

/** A person whom the policy excludes must be known: otherwise the approval could be theirs. */
async function lastPusherOf(forge: Forge, branch: string): Promise<Person> {
  const found = await forge.lastPusher(branch)
  if (found !== undefined) return found
  throw new PlanError(
    'forge',
    `${forge.host} does not report who pushed ${branch} last, and the policy excludes that person`,
    {
      hint: 'try again in a minute; if the forge never reports it, remove last-pusher from `not` in .plans/config.yml',
      facts: { host: forge.host },
    },
  )
}

async function reviewsOf(
  forge: Forge,
  pullRequest: PullRequest,
  run: Subject,
  state: ApprovalState,
): Promise<ReviewDecision[]> {
  const { history, requirement, circumstances } = state
  const reviews = await forge.reviews(pullRequest.number)
  const logins = new Set(
    reviews.flatMap(({ person, state }) =>
      person === undefined || person.isGhost || (state !== 'approved' && state !== 'dismissed') ? [] : [person.login],
    ),
  )
  const permissions = new Map<string, Permission>()
  const teams = new Map<string, readonly string[]>()
  const teamsToAsk = requiredTeams(requirement.teams, circumstances, forge.kind)
  for (const login of logins) {
    permissions.set(login, await forge.permissionOf(login))
    const member: string[] = []
    for (const team of teamsToAsk) if (await forge.isInTeam(team, login)) member.push(team)
    teams.set(login, member)
  }
  return decisionsOf(reviews, {
    commits: new Set([
      ...reviewableNow(run, state),
      ...(run.at.plan.status === 'completed' ? [] : recordedReviewCommits(state)),
    ]),
    own: new Set(history.events.map(({ commit }) => commit)),
    permissions,
    teams,
  })
}

/** Commits whose review covers everything on the branch. */
const reviewableNow = (run: Subject, state: ApprovalState): ReadonlySet<string> =>
  run.at.plan.status === 'completed'
    ? commitsSinceCompletion(state)
    : reviewable({ ...state.history, tip: run.at.tip }, state.circumstances.policy)

/** For a completed plan the result is reviewed. */
const commitsSinceCompletion = ({ history }: ApprovalState): Set<string> =>
  new Set(
    history.events
      .slice(0, history.events.findIndex(({ event }) => event === 'completed') + 1)
      .map(({ commit }) => commit),
  )

/** Reviewed commits of the current plan, as recorded on the branch. A person's later commits are judged separately. */
function recordedReviewCommits({ history, decisions, circumstances }: ApprovalState): string[] {
  const sound = new Set(
    decisions.flatMap(({ source, problem, commit }) => (source === 'review' && problem === undefined ? [commit] : [])),
  )
  // A record is a commit like any other and can be forged: the reviewed commit must have this text.
  const ofText = commitsOfText(history, circumstances.policy)
  return history.events.flatMap(({ commit, reviewed }) =>
    reviewed !== undefined && sound.has(commit) && ofText.has(reviewed) ? [reviewed] : [],
  )
}

/**
 * Teams named by the policy or by CODEOWNERS whose members the configuration does not list. On GitLab `@name` may be a
 * group as well as a person.
 */
function requiredTeams(named: readonly string[], { policy, owned }: Circumstances, kind: ForgeKind): string[] {
  const owners = owned.flatMap(({ owners }) => owners.filter((owner) => owner.startsWith('@')))
  const teams = owners.filter((owner) => owner.includes('/')).map((owner) => owner.slice(1))
  const groups = kind === 'gitlab' ? owners.filter((owner) => !owner.includes('/')) : []
  return [...new Set([...named, ...teams, ...groups])].filter((team) => !policy.teams.has(team))
}
