// GitHub and GitHub Enterprise.

import * as z from 'zod/mini'
import type { CommitStatus, Forge, ForgeOptions, Permission, Person, ForgeRepository } from './forge.ts'
import {
  activity,
  anything,
  app,
  branch as branchAnswer,
  comment,
  membership,
  permission,
  team as teamAnswer,
  user,
  viewer,
  type User,
} from './github-answers.ts'
import { repositoryRoute, hasStatus, makeGitHubApi, type GitHubApi } from './github-api.ts'
import { pullRequests } from './github-pulls.ts'
import { readRemarks, readReviews } from './github-reviews.ts'
import { systemClock } from './http.ts'
import { once, onceEach, withMarker } from './once.ts'
import { noTeam } from './failures.ts'

const permissions: Readonly<Record<string, Permission>> = {
  read: 'read',
  triage: 'read',
  write: 'write',
  maintain: 'write',
  admin: 'admin',
}

export function openGitHub(forgeRepo: ForgeRepository, options: ForgeOptions): Forge {
  const api = makeGitHubApi(forgeRepo, options)
  const person = personReader(api)
  const self = once(() => tokenOwner(api, person))
  return {
    kind: 'github',
    host: forgeRepo.host,
    repository: `${forgeRepo.owner}/${forgeRepo.name}`,
    self,
    ...pullRequests(api, forgeRepo, person),
    reviews: (number) => readReviews(api, number, person, options.clock ?? systemClock),
    remarks: (number) => readRemarks(api, number, person),
    permissionOf: async (login) => {
      const found = await api.askUnless(
        hasStatus(404),
        `GET ${repositoryRoute}/collaborators/{login}/permission`,
        { login },
        permission,
      )
      return permissions[found?.permission ?? 'none'] ?? 'none'
    },
    isInTeam: (team, login) => isInTeam(api, forgeRepo, team, login),
    lastPusher: (branch) => lastPusher(api, branch, person),
    comment: async (number, marker, text) => {
      const { login } = await self()
      const body = withMarker(marker, text)
      const all = await api.all(`GET ${repositoryRoute}/issues/{number}/comments`, { number }, comment)
      const ours = all.find((each) => each.user?.login === login && each.body.includes(marker))
      if (ours === undefined)
        return (await api.ask(`POST ${repositoryRoute}/issues/{number}/comments`, { number, body }, comment)).html_url
      if (ours.body === body) return ours.html_url
      return (await api.ask(`PATCH ${repositoryRoute}/issues/comments/{id}`, { id: ours.id, body }, comment)).html_url
    },
    status: async (commit, { state, context, description, url }: CommitStatus) => {
      const fields = {
        commit,
        state,
        context,
        description: description.slice(0, 140),
        ...(url === undefined ? {} : { target_url: url }),
      }
      await api.ask(`POST ${repositoryRoute}/statuses/{commit}`, fields, anything)
    },
  }
}

type ToPerson = (given: User) => Promise<Person>

/** The owner of an app is public; it is asked for once. */
function personReader(api: GitHubApi): ToPerson {
  const ownerOf = onceEach(
    async (slug) => (await api.askUnless(hasStatus(403, 404), 'GET /apps/{slug}', { slug }, app))?.owner?.login,
  )
  return async (given) => {
    // The account that GitHub shows for deleted users.
    if (given === null || given.login === 'ghost') return { login: 'ghost', isBot: false, isGhost: true }
    const isBot = given.type === 'Bot' || given.login.endsWith('[bot]')
    if (!isBot) return { login: given.login, isBot, isGhost: false }
    const owner = await ownerOf(given.login.replace(/\[bot\]$/, ''))
    return { login: given.login, isBot, isGhost: false, ...(owner === undefined ? {} : { owner }) }
  }
}

async function tokenOwner(api: GitHubApi, person: ToPerson): Promise<Person> {
  const found = await api.askUnless(hasStatus(403), 'GET /user', {}, user)
  if (found !== undefined) return person(found)
  // The token of an app, as in workflows, cannot read /user, but GraphQL names its viewer.
  const { data } = await api.graphql('query { viewer { login } }', {}, viewer)
  return person({ login: data.viewer.login, type: data.viewer.login.endsWith('[bot]') ? 'Bot' : 'User', id: '' })
}

/** `team`: `platform` or `other-org/platform`. */
async function isInTeam(api: GitHubApi, forgeRepo: ForgeRepository, team: string, login: string): Promise<boolean> {
  const [slug = '', org = forgeRepo.owner] = team.replace(/^@/, '').split('/').toReversed()
  const found = await api.askUnless(
    hasStatus(404),
    'GET /orgs/{org}/teams/{slug}/memberships/{login}',
    { org, slug, login },
    membership,
  )
  if (found !== undefined) return found.state === 'active'
  // An invisible team is an error: "not a member" would send people looking in the wrong place.
  const isThere =
    (await api.askUnless(hasStatus(404), 'GET /orgs/{org}/teams/{slug}', { org, slug }, teamAnswer)) !== undefined
  if (!isThere) throw noTeam(forgeRepo, `${org}/${slug}`)
  return false
}

async function lastPusher(api: GitHubApi, branch: string, person: ToPerson): Promise<Person | undefined> {
  const ref = `refs/heads/${branch}`
  const tip = await api.askUnless(hasStatus(404), `GET ${repositoryRoute}/branches/{branch}`, { branch }, branchAnswer)
  const pushes = await api.askUnless(
    hasStatus(404),
    `GET ${repositoryRoute}/activity`,
    { ref, per_page: 30 },
    z.array(activity),
  )
  // Newest first. An activity about another commit does not say who pushed the current one.
  const newest = pushes?.find((each) => each.ref === ref)
  return newest === undefined || newest.after !== tip?.commit.sha ? undefined : person(newest.actor)
}
