// Gitea and Forgejo, on codeberg.org or any other host.

import * as z from 'zod/mini'
import { noTeam } from './failures.ts'
import type { Forge, ForgeOptions, Permission, Person, ForgeRepository, Remark, Review, ReviewState } from './forge.ts'
import {
  activity,
  anything,
  branch as branchAnswer,
  comment,
  permission,
  remark,
  review,
  reviewRemark,
  teams,
  timelineEvent,
  user,
} from './gitea-answers.ts'
import { personOf } from './gitea-person.ts'
import { pullRequests } from './gitea-pulls.ts'
import { once, withMarker } from './once.ts'
import { makeRest, refusalError, segments, withQuery, type Rest } from './rest.ts'

const permissions: Readonly<Record<string, Permission>> = {
  none: 'none',
  read: 'read',
  write: 'write',
  admin: 'admin',
  owner: 'admin',
}

const states: Readonly<Record<string, ReviewState>> = {
  APPROVED: 'approved',
  REQUEST_CHANGES: 'changes-requested',
  COMMENT: 'commented',
  PENDING: 'pending',
}

export function openGitea(forgeRepo: ForgeRepository, options: ForgeOptions): Forge {
  const rest = makeRest(forgeRepo, options)
  const repository = `/repos${segments(forgeRepo.owner, forgeRepo.name)}`
  const self = once(async () => personOf(await rest.get('/user', user)))
  return {
    kind: 'gitea',
    host: forgeRepo.host,
    repository: `${forgeRepo.owner}/${forgeRepo.name}`,
    self,
    ...pullRequests(rest, repository),
    reviews: (number) => readReviews(rest, repository, number),
    remarks: (number) => readRemarks(rest, repository, number),
    permissionOf: async (login) => {
      const found = await rest.find(`${repository}/collaborators${segments(login)}/permission`, permission)
      return permissions[found?.permission ?? 'none'] ?? 'none'
    },
    isInTeam: (team, login) => isInTeam(rest, forgeRepo, team, login),
    lastPusher: (branch) => lastPusher(rest, repository, branch),
    comment: async (number, marker, text) => {
      const { login } = await self()
      const at = `${repository}/issues${segments(number)}/comments`
      const body = withMarker(marker, text)
      // This endpoint returns all comments at once.
      const ours = (await rest.get(at, z.array(comment))).find(
        (each) => each.user?.login === login && each.body.includes(marker),
      )
      if (ours === undefined) return (await rest.change('POST', at, { body }, comment)).html_url
      if (ours.body === body) return ours.html_url
      return (await rest.change('PATCH', `${repository}/issues/comments${segments(ours.id)}`, { body }, comment))
        .html_url
    },
    status: async (commit, { state, context, description, url }) => {
      const fields = {
        state,
        context,
        description: description.slice(0, 255),
        ...(url === undefined ? {} : { target_url: url }),
      }
      await rest.change('POST', `${repository}/statuses${segments(commit)}`, fields, anything)
    },
  }
}

async function readReviews(rest: Rest, repository: string, number: number): Promise<Review[]> {
  const all = await rest.numbered(`${repository}/pulls${segments(number)}/reviews`, review)
  const dismissals = all.some(({ dismissed }) => dismissed)
    ? await readDismissals(rest, repository, number)
    : new Map<string, never>()
  const reviews = all.flatMap((each): Review[] => {
    const state = states[each.state]
    // A review request is not a review.
    if (state === undefined) return []
    const dismissedBy = dismissals.get(each.id)
    // Anybody can write this text; only a review that a push dismissed is also stale.
    const dismissal: Review['dismissal'] =
      dismissedBy?.isPush === true && each.stale ? { kind: 'push' } : { kind: 'person', person: dismissedBy?.person }
    return [
      {
        id: each.id,
        person: personOf(each.user),
        state: each.dismissed ? 'dismissed' : state,
        commit: each.commit_id === '' ? undefined : each.commit_id,
        at: each.submitted_at,
        ...(each.html_url === '' ? {} : { url: each.html_url }),
        ...(each.dismissed ? { dismissal } : {}),
      },
    ]
  })
  return reviews.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

async function readRemarks(rest: Rest, repository: string, number: number): Promise<Remark[]> {
  const reviews = await rest.numbered(`${repository}/pulls${segments(number)}/reviews`, reviewRemark)
  const below = await rest.get(`${repository}/issues${segments(number)}/comments`, z.array(remark))
  const remarks = [
    ...below.map((each) => ({ ...each, at: each.created_at })),
    ...reviews.map(({ user, body, submitted_at: at }) => ({ user, body, at, path: '', position: undefined })),
  ]
  for (const { id, comments_count: count } of reviews)
    if (count > 0) {
      const at = `${repository}/pulls${segments(number)}/reviews${segments(id)}/comments`
      for (const each of await rest.get(at, z.array(remark))) remarks.push({ ...each, at: each.created_at })
    }
  return remarks
    .filter(({ body }) => body.trim() !== '')
    .map(({ user, body, at, path, position }): Remark => ({
      person: personOf(user),
      at,
      text: body,
      ...(path ? { path } : {}),
      ...(position === undefined || position === 0 ? {} : { line: position }),
    }))
    .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

interface Dismissal {
  readonly isPush: boolean
  readonly person: Person | undefined
}

async function readDismissals(rest: Rest, repository: string, number: number): Promise<Map<string, Dismissal>> {
  const events = await rest.numbered(`${repository}/issues${segments(number)}/timeline`, timelineEvent)
  const found = new Map<string, Dismissal>()
  for (const { type, body, user: by, review_id: id } of events)
    if ((type === 'dismiss_review' || type === 32) && id !== undefined)
      found.set(id, {
        isPush: body.startsWith('New commits pushed, approval review dismissed automatically'),
        person: by === undefined ? undefined : personOf(by),
      })
  return found
}

/** `team`: `platform` or `other-org/platform`. */
async function isInTeam(rest: Rest, forgeRepo: ForgeRepository, team: string, login: string): Promise<boolean> {
  const [name = '', org = forgeRepo.owner] = team.replace(/^@/, '').split('/').toReversed()
  const found = await rest.find(withQuery(`/orgs${segments(org)}/teams/search`, { q: name, limit: 50 }), teams)
  const match = found?.data?.find((each) => each.name.toLowerCase() === name.toLowerCase())
  if (match === undefined) throw noTeam(forgeRepo, `${org}/${name}`)
  const answer = await rest.ask('GET', `/teams${segments(match.id)}/members${segments(login)}`)
  if (answer.status !== 200 && answer.status !== 404) throw refusalError(answer)
  return answer.status === 200
}

const pushed = z.object({ HeadCommit: z.object({ Sha1: z.string() }) })

async function lastPusher(rest: Rest, repository: string, branch: string): Promise<Person | undefined> {
  const tip = await rest.find(`${repository}/branches${segments(branch)}`, branchAnswer)
  // Newest first; since Gitea 1.20.
  const feed = await rest.find(withQuery(`${repository}/activities/feeds`, { limit: 50 }), z.array(activity))
  const newest = feed?.find(
    (each) => each.op_type === 'commit_repo' && each.ref_name.replace(/^refs\/heads\//, '') === branch,
  )
  if (newest === undefined || tip === undefined) return undefined
  return headOf(newest.content) === tip.commit.id ? personOf(newest.act_user) : undefined
}

function headOf(content: string): string | undefined {
  try {
    return pushed.safeParse(JSON.parse(content)).data?.HeadCommit.Sha1
  } catch {
    return undefined
  }
}
