// What the reviewers of a plan's pull request have said, asked of the forge, and what that makes of its standing.

import { commitsOfText, reviewable } from '../rules/decisions.ts'
import { judge, type Circumstances } from '../rules/judge-decisions.ts'
import { decisionsOf, objectors, type ReviewDecision } from '../rules/review-decisions.ts'
import { PlanError } from '../../errors.ts'
import { unnamed } from '../rules/decisions.ts'
import type { Forge, ForgeKind, Permission, Person, PullRequest } from '../../remote/forge/forge.ts'
import type { Plan } from '../../plan/model/plan.ts'
import { needForge } from '../../remote/open-forge.ts'
import { lastSeen } from '../../remote/push.ts'
import { standingOf, type Standing } from './approval-state.ts'
import { historyOf, type AskContext, type Subject } from '../../operation/with-run.ts'

export interface Reviewed extends Standing {
  readonly forge: Forge
  readonly pullRequest: PullRequest
  /** It has all that is here. */
  readonly isPushed: boolean
  /** Reviews that count, and that the branch does not record yet. */
  readonly news: readonly ReviewDecision[]
  /** Where reviews are named from, for the record. */
  readonly place: string
}

/**
 * Whether there is something to ask: the policy takes reviews, and the plan was submitted from here, or nothing else
 * would do.
 */
export async function mayBeReviewed(run: Subject, { requirement, decisions }: Standing): Promise<boolean> {
  if (!requirement.from.includes('review')) return false
  return (
    !requirement.from.includes('local') ||
    decisions.some(({ source }) => source === 'review') ||
    (await lastSeen(run.home, run.id)) !== undefined
  )
}

/**
 * Commits that are not the plan's, where it is reviewers who decide: a review of a commit above them names them, so the
 * forge is asked first.
 */
export async function areForReviewers({ run, settings, context }: AskContext): Promise<boolean> {
  if (unnamed(await historyOf(run)).length === 0) return false
  const { from } = (await standingOf(run, settings, context.now())).requirement
  return from.includes('review') && !from.includes('local')
}

/**
 * The standing with what the forge says now. What was recorded of a review counts as long as its author stands by it.
 */
export async function withReviews({ run, settings, context }: AskContext, standing: Standing): Promise<Reviewed> {
  const forge = await needForge(run.home, settings, context)
  const pullRequest = await pullRequestOf(forge, run.at.plan)
  const circumstances = await onForge(forge, standing.circumstances, pullRequest)
  const reviews = await reviewsOf(forge, pullRequest, run, standing)
  const place = `${forge.host}/${forge.repository}#${pullRequest.number}`
  const against = objectors(reviews)
  const decisions = [...standing.decisions.filter(({ source }) => source !== 'review'), ...reviews]
  const verdict = judge(decisions, circumstances)
  const recorded = new Set(standing.history.events.flatMap(({ review }) => (review === undefined ? [] : [review])))
  return {
    ...standing,
    circumstances,
    decisions,
    verdict:
      against.length === 0
        ? verdict
        : {
            ...verdict,
            isSatisfied: false,
            // What stops the plan is said once, as what is missing.
            notCounted: verdict.notCounted.filter(({ decision }) => objectors([decision]).length === 0),
            missing: [...verdict.missing, ...against.map((name) => `${name} to withdraw the requested changes`)],
          },
    forge,
    pullRequest,
    isPushed: (await lastSeen(run.home, run.id)) === run.at.tip,
    place,
    // What was recorded before may be reviewed once more; that says nothing of what came above it since.
    news: reviews.filter(
      (review) =>
        verdict.counted.includes(review) &&
        !recorded.has(`${place}/${review.review}`) &&
        reviewableNow(run, standing).has(review.commit),
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

/** The same people by their names on the forge. */
async function onForge(forge: Forge, circumstances: Circumstances, pullRequest: PullRequest): Promise<Circumstances> {
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

/** Whom the policy leaves out has to be known: otherwise it could be anybody who has approved. */
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
  standing: Standing,
): Promise<ReviewDecision[]> {
  const { history, requirement, circumstances } = standing
  const reviews = await forge.reviews(pullRequest.number)
  const logins = new Set(
    reviews.flatMap(({ person, state }) =>
      person === undefined || person.isGhost || (state !== 'approved' && state !== 'dismissed') ? [] : [person.login],
    ),
  )
  const permissions = new Map<string, Permission>()
  const teams = new Map<string, readonly string[]>()
  const asked = teamsAsked(requirement.teams, circumstances, forge.kind)
  for (const login of logins) {
    permissions.set(login, await forge.permissionOf(login))
    const member: string[] = []
    for (const team of asked) if (await forge.isInTeam(team, login)) member.push(team)
    teams.set(login, member)
  }
  return decisionsOf(reviews, {
    commits: new Set([
      ...reviewableNow(run, standing),
      ...(run.at.plan.status === 'completed' ? [] : recordedOf(standing)),
    ]),
    own: new Set(history.events.map(({ commit }) => commit)),
    permissions,
    teams,
  })
}

/** Commits of which a review is one of all that is there. */
const reviewableNow = (run: Subject, standing: Standing): ReadonlySet<string> =>
  run.at.plan.status === 'completed'
    ? sinceCompletion(standing)
    : reviewable({ ...standing.history, tip: run.at.tip }, standing.circumstances.policy)

/** Of a completed plan it is the result that is reviewed. */
const sinceCompletion = ({ history }: Standing): Set<string> =>
  new Set(
    history.events
      .slice(0, history.events.findIndex(({ event }) => event === 'completed') + 1)
      .map(({ commit }) => commit),
  )

/**
 * What was reviewed of the plan as it is, as its branch records it: commits of a person's that came since are judged
 * for themselves.
 */
function recordedOf({ history, decisions, circumstances }: Standing): string[] {
  const sound = new Set(
    decisions.flatMap(({ source, problem, commit }) => (source === 'review' && problem === undefined ? [commit] : [])),
  )
  // A record is a commit like any other: what it says was reviewed must have had this text.
  const ofText = commitsOfText(history, circumstances.policy)
  return history.events.flatMap(({ commit, reviewed }) =>
    reviewed !== undefined && sound.has(commit) && ofText.has(reviewed) ? [reviewed] : [],
  )
}

/**
 * Teams that the policy or an owner's line names, and that the configuration does not spell out. On GitLab `@name` may
 * be a group as well as a person.
 */
function teamsAsked(named: readonly string[], { policy, owned }: Circumstances, kind: ForgeKind): string[] {
  const owners = owned.flatMap(({ owners }) => owners.filter((owner) => owner.startsWith('@')))
  const teams = owners.filter((owner) => owner.includes('/')).map((owner) => owner.slice(1))
  const groups = kind === 'gitlab' ? owners.filter((owner) => !owner.includes('/')) : []
  return [...new Set([...named, ...teams, ...groups])].filter((team) => !policy.teams.has(team))
}
