// GitLab, on gitlab.com or any other host.

import * as z from 'zod/mini'
import { noTeam } from './failures.ts'
import type { CommitStatus, Forge, ForgeOptions, Permission, Person, ForgeRepository } from './forge.ts'
import { branch as branchAnswer, group, member, note, pushEvent, user, type User } from './gitlab-answers.ts'
import { mergeRequests } from './gitlab-requests.ts'
import { readRemarks, readReviews } from './gitlab-reviews.ts'
import { systemClock } from './http.ts'
import { once, onceEach, withMarker } from './once.ts'
import { makeRest, refusalError, segments, withQuery, type Rest } from './rest.ts'

/** Highest first. As on GitHub, maintainers are not admins. */
const levels: readonly (readonly [level: number, permission: Permission])[] = [
  [50, 'admin'],
  [30, 'write'],
  [10, 'read'],
]

const states = { pending: 'pending', success: 'success', failure: 'failed', error: 'failed' } as const

export function openGitLab(forgeRepo: ForgeRepository, options: ForgeOptions): Forge {
  const rest = makeRest(forgeRepo, options)
  const clock = options.clock ?? systemClock
  const project = `/projects${segments(`${forgeRepo.owner}/${forgeRepo.name}`)}`
  const person = personReader(rest)
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
    host: forgeRepo.host,
    repository: `${forgeRepo.owner}/${forgeRepo.name}`,
    self: async () => person(await self()),
    ...requests.operations,
    reviews: async (number) => readReviews(rest, await requests.one(number), requests.at(number), person, clock),
    remarks: (number) => readRemarks(rest, requests.at(number), person),
    permissionOf: (login) => membership(project, login),
    isInTeam: async (team, login) => {
      const path = teamPath(forgeRepo, team)
      const at = `/groups${segments(path)}`
      if ((await rest.find(withQuery(at, { with_projects: false }), group)) === undefined) {
        // `@name` can be a person too.
        if (team.startsWith('@') && !team.includes('/')) return false
        throw noTeam(forgeRepo, path)
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
      const fields = {
        state: states[state],
        name: context,
        description: description.slice(0, 255),
        ...(url === undefined ? {} : { target_url: url }),
      }
      const answer = await rest.ask('POST', `${project}/statuses${segments(commit)}`, fields)
      // GitLab reports an error if the status already has this state.
      const isSame =
        answer.status === 400 &&
        new RegExp(`Cannot transition status via :\\w+ from :${states[state]}\\b`).test(answer.text)
      if (answer.status !== 201 && !isSame) throw refusalError(answer)
    },
  }
}

/** Names of token accounts; for other users only their own record says whether they are bots. */
const botNames = /^(project|group)_\d+_bot|^service_account_|^(ghost|support|alert|gitlab)-bot$/i

function personReader(rest: Rest): (given: User) => Promise<Person> {
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

/** A bare name is a subgroup of the project's group; `@group` and `group/subgroup` are full paths. */
const teamPath = ({ owner }: ForgeRepository, team: string): string =>
  team.startsWith('@') || team.includes('/') ? team.replace(/^@/, '') : `${owner}/${team}`

async function lastPusher(
  rest: Rest,
  project: string,
  branch: string,
  person: (given: User) => Promise<Person>,
): Promise<Person | undefined> {
  const tip = await rest.find(`${project}/repository/branches${segments(branch)}`, branchAnswer)
  if (tip === undefined) return undefined
  // Newest first. A push of many branches does not name them: it may include this one.
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
