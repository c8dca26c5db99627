// GitHub and GitHub Enterprise.

import * as z from 'zod/mini'
import type { CommitStatus, Forge, ForgeOptions, Permission, Person, Place } from './forge.ts'
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
import { aRepository, hasStatus, makeGitHubApi, type GitHubApi } from './github-api.ts'
import { pullRequests } from './github-pulls.ts'
import { readReviews } from './github-reviews.ts'
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

export function openGitHub(place: Place, options: ForgeOptions): Forge {
  const api = makeGitHubApi(place, options)
  const person = peopleOf(api)
  const self = once(() => whoWeAre(api, person))
  return {
    kind: 'github',
    host: place.host,
    repository: `${place.owner}/${place.name}`,
    self,
    ...pullRequests(api, place, person),
    reviews: (number) => readReviews(api, number, person, options.clock ?? systemClock),
    permissionOf: async (login) => {
      const found = await api.askUnless(
        hasStatus(404),
        `GET ${aRepository}/collaborators/{login}/permission`,
        { login },
        permission,
      )
      return permissions[found?.permission ?? 'none'] ?? 'none'
    },
    isInTeam: (team, login) => isInTeam(api, place, team, login),
    lastPusher: (branch) => lastPusher(api, branch, person),
    comment: async (number, marker, text) => {
      const { login } = await self()
      const body = withMarker(marker, text)
      const all = await api.all(`GET ${aRepository}/issues/{number}/comments`, { number }, comment)
      const ours = all.find((each) => each.user?.login === login && each.body.includes(marker))
      if (ours === undefined)
        return (await api.ask(`POST ${aRepository}/issues/{number}/comments`, { number, body }, comment)).html_url
      if (ours.body === body) return ours.html_url
      return (await api.ask(`PATCH ${aRepository}/issues/comments/{id}`, { id: ours.id, body }, comment)).html_url
    },
    status: async (commit, { state, context, description, url }: CommitStatus) => {
      const asked = {
        commit,
        state,
        context,
        description: description.slice(0, 140),
        ...(url === undefined ? {} : { target_url: url }),
      }
      await api.ask(`POST ${aRepository}/statuses/{commit}`, asked, anything)
    },
  }
}

type ToPerson = (given: User) => Promise<Person>

/** An app's owner is public, and asked for once. */
function peopleOf(api: GitHubApi): ToPerson {
  const ownerOf = onceEach(
    async (slug) => (await api.askUnless(hasStatus(403, 404), 'GET /apps/{slug}', { slug }, app))?.owner?.login,
  )
  return async (given) => {
    // The account that stands in for deleted users, where GitHub names one.
    if (given === null || given.login === 'ghost') return { login: 'ghost', isBot: false, isGhost: true }
    const isBot = given.type === 'Bot' || given.login.endsWith('[bot]')
    if (!isBot) return { login: given.login, isBot, isGhost: false }
    const owner = await ownerOf(given.login.replace(/\[bot\]$/, ''))
    return { login: given.login, isBot, isGhost: false, ...(owner === undefined ? {} : { owner }) }
  }
}

async function whoWeAre(api: GitHubApi, person: ToPerson): Promise<Person> {
  const found = await api.askUnless(hasStatus(403), 'GET /user', {}, user)
  if (found !== undefined) return person(found)
  // The token of an app, as workflows have it, may not ask for a user, but for whom GraphQL sees.
  const { data } = await api.graphql('query { viewer { login } }', {}, viewer)
  return person({ login: data.viewer.login, type: data.viewer.login.endsWith('[bot]') ? 'Bot' : 'User', id: '' })
}

/** `platform`, or `other-org/platform`. */
async function isInTeam(api: GitHubApi, place: Place, team: string, login: string): Promise<boolean> {
  const [slug = '', org = place.owner] = team.replace(/^@/, '').split('/').toReversed()
  const found = await api.askUnless(
    hasStatus(404),
    'GET /orgs/{org}/teams/{slug}/memberships/{login}',
    { org, slug, login },
    membership,
  )
  if (found !== undefined) return found.state === 'active'
  // Nobody is in a team that cannot be seen; to say "not a member" would send people looking in the wrong place.
  const isThere =
    (await api.askUnless(hasStatus(404), 'GET /orgs/{org}/teams/{slug}', { org, slug }, teamAnswer)) !== undefined
  if (!isThere) throw noTeam(place, `${org}/${slug}`)
  return false
}

async function lastPusher(api: GitHubApi, branch: string, person: ToPerson): Promise<Person | undefined> {
  const ref = `refs/heads/${branch}`
  const tip = await api.askUnless(hasStatus(404), `GET ${aRepository}/branches/{branch}`, { branch }, branchAnswer)
  const pushes = await api.askUnless(
    hasStatus(404),
    `GET ${aRepository}/activity`,
    { ref, per_page: 30 },
    z.array(activity),
  )
  // The newest first. One that is not about the commit that is there now does not say who pushed that.
  const newest = pushes?.find((each) => each.ref === ref)
  return newest === undefined || newest.after !== tip?.commit.sha ? undefined : person(newest.actor)
}
