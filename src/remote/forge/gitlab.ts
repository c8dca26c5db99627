// GitLab, on gitlab.com or elsewhere.

import * as z from 'zod/mini'
import { noTeam } from './failures.ts'
import type { CommitStatus, Forge, ForgeOptions, Permission, Person, Place } from './forge.ts'
import { branch as branchAnswer, group, member, note, pushEvent, user, type User } from './gitlab-answers.ts'
import { mergeRequests } from './gitlab-requests.ts'
import { readReviews } from './gitlab-reviews.ts'
import { systemClock } from './http.ts'
import { once, onceEach, withMarker } from './once.ts'
import { makeRest, refused, segments, withQuery, type Rest } from './rest.ts'

/** From the highest. Maintainers are what GitHub calls maintainers: no admins. */
const levels: readonly (readonly [level: number, permission: Permission])[] = [
  [50, 'admin'],
  [30, 'write'],
  [10, 'read'],
]

const states = { pending: 'pending', success: 'success', failure: 'failed', error: 'failed' } as const

export function openGitLab(place: Place, options: ForgeOptions): Forge {
  const rest = makeRest(place, options)
  const clock = options.clock ?? systemClock
  const project = `/projects${segments(`${place.owner}/${place.name}`)}`
  const person = peopleOf(rest)
  const requests = mergeRequests(rest, project, person)
  const self = once(() => rest.get('/user', user))
  const userIdOf = onceEach(async (login) => {
    const found = await rest.get(withQuery('/users', { username: login }), z.array(user))
    return found.find(({ username }) => username.toLowerCase() === login.toLowerCase())?.id
  })
  const membership = async (of: string, login: string): Promise<Permission> => {
    const userId = await userIdOf(login)
    const found = userId === undefined ? undefined : await rest.find(`${of}/members/all${segments(userId)}`, member)
    return found === undefined ? 'none' : permissionIn(found, clock())
  }
  return {
    kind: 'gitlab',
    host: place.host,
    repository: `${place.owner}/${place.name}`,
    self: async () => person(await self()),
    ...requests.operations,
    reviews: async (number) => readReviews(rest, await requests.one(number), requests.at(number), person, clock),
    permissionOf: (login) => membership(project, login),
    isInTeam: async (team, login) => {
      const path = teamPath(place, team)
      const at = `/groups${segments(path)}`
      if ((await rest.find(withQuery(at, { with_projects: false }), group)) === undefined) {
        // `@name` can be a person as well.
        if (team.startsWith('@') && !team.includes('/')) return false
        throw noTeam(place, path)
      }
      return (await membership(at, login)) !== 'none'
    },
    lastPusher: (branch) => lastPusher(rest, project, branch, person),
    comment: async (number, marker, text) => {
      const ours = await self()
      const { web_url: url } = await requests.one(number)
      const notes = `${requests.at(number)}/notes`
      const body = withMarker(marker, text)
      const all = await rest.all(withQuery(notes, { sort: 'asc', order_by: 'created_at', per_page: 100 }), note)
      const before = all.find((each) => !each.system && each.author.id === ours.id && each.body.includes(marker))
      if (before?.body === body) return `${url}#note_${before.id}`
      const { id } =
        before === undefined
          ? await rest.change('POST', notes, { body }, note)
          : await rest.change('PUT', `${notes}${segments(before.id)}`, { body }, note)
      return `${url}#note_${id}`
    },
    status: async (commit, { state, context, description, url }: CommitStatus) => {
      const asked = {
        state: states[state],
        name: context,
        description: description.slice(0, 255),
        ...(url === undefined ? {} : { target_url: url }),
      }
      const answer = await rest.ask('POST', `${project}/statuses${segments(commit)}`, asked)
      // It has this state already: GitLab calls that an error.
      const isSame =
        answer.status === 400 &&
        new RegExp(`Cannot transition status via :\\w+ from :${states[state]}\\b`).test(answer.text)
      if (answer.status !== 201 && !isSame) throw refused(answer)
    },
  }
}

/** Accounts of tokens have these names; whether others are bots is said of each user alone. */
const botNames = /^(project|group)_\d+_bot|^service_account_|^(ghost|support|alert|gitlab)-bot$/i

function peopleOf(rest: Rest): (given: User) => Promise<Person> {
  const more = onceEach(async (id) => rest.find(`/users${segments(id)}`, user))
  return async (given) => {
    if (given.username === 'ghost' || given.name === 'Ghost User')
      return { login: given.username, isBot: false, isGhost: true }
    const known = given.bot === undefined || given.bot === null ? await more(given.id) : given
    const owner = known?.created_by?.username
    const isBot = known?.bot === true || botNames.test(given.username)
    return { login: given.username, isBot, isGhost: false, ...(isBot && owner !== undefined ? { owner } : {}) }
  }
}

function permissionIn(found: z.infer<typeof member>, now: Date): Permission {
  const isOver = found.expires_at ? Date.parse(found.expires_at) <= now.getTime() : false
  const isActive = found.state === undefined || found.state === 'active'
  return isOver || !isActive ? 'none' : (levels.find(([level]) => found.access_level >= level)?.[1] ?? 'none')
}

/** A group below the one that the project is in, or `@group` and `group/subgroup`: a whole path. */
const teamPath = ({ owner }: Place, team: string): string =>
  team.startsWith('@') || team.includes('/') ? team.replace(/^@/, '') : `${owner}/${team}`

async function lastPusher(
  rest: Rest,
  project: string,
  branch: string,
  person: (given: User) => Promise<Person>,
): Promise<Person | undefined> {
  const tip = await rest.find(`${project}/repository/branches${segments(branch)}`, branchAnswer)
  if (tip === undefined) return undefined
  // The newest first. A push of many branches does not say which: it may have been this one, too.
  const isIt = ({ push_data: data }: z.infer<typeof pushEvent>): boolean =>
    data !== undefined && data !== null && (!data.ref || (data.ref === branch && data.ref_type !== 'tag'))
  const events = await rest.all(
    withQuery(`${project}/events`, { action: 'pushed', per_page: 100 }),
    pushEvent,
    (all) => all.some(isIt) || all.length >= 500,
  )
  const newest = events.find(isIt)
  return newest?.push_data?.commit_to === tip.commit.id && newest.author ? person(newest.author) : undefined
}
