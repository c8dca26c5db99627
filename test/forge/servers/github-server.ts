// GitHub, as much of it as is asked, in the shapes of its OpenAPI description: the compiler holds them against it.

import type { components } from '@octokit/openapi-types'
import { Loopback, oid, paged, routed, type Asked, type Reply, type Route } from './loopback.ts'

type Schemas = components['schemas']
type User = Pick<Schemas['simple-user'], 'login' | 'id' | 'type'>
type Branch = { ref: string; sha: string; label: string; repo: { id: number; full_name: string } | null }
type Pull = Pick<
  Schemas['pull-request'],
  'number' | 'node_id' | 'html_url' | 'state' | 'title' | 'body' | 'merged_at'
> & {
  draft: boolean
  user: User | null
  head: Branch
  base: Branch
}
type Review = Pick<Schemas['pull-request-review'], 'id' | 'state' | 'html_url' | 'commit_id'> & {
  user: User | null
  body?: string
  submitted_at?: string
  /** Of which it is; left out: of every one. */
  pull?: number
}
type Dismissal = Pick<Schemas['review-dismissed-issue-event'], 'event' | 'dismissed_review'> & { actor: User | null }
type Activity = Pick<Schemas['activity'], 'activity_type' | 'ref' | 'before' | 'after'> & { actor: User | null }
type Comment = Pick<Schemas['issue-comment'], 'id' | 'body' | 'html_url'> &
  Partial<Pick<Schemas['issue-comment'], 'created_at'>> & { user: User | null }

export const token = 'ghp_aTokenThatIsOnlyForTheTests0123456789'
export const someone = (login: string, type = 'User'): User => ({ login, id: login.length, type })

export interface GitHubState {
  self: User | 'app'
  pulls: Pull[]
  reviews: Review[]
  timeline: ({ event: string } | Dismissal)[]
  permissions: Record<string, Pick<Schemas['repository-collaborator-permission'], 'permission' | 'role_name'>>
  teams: Record<string, Record<string, 'active' | 'pending'>>
  apps: Record<string, string>
  branches: Record<string, string>
  activity: Activity[]
  comments: Comment[]
  /** At lines of the changes. */
  lineComments: object[]
  statuses: Record<string, unknown>[]
  hasDrafts: boolean
}

const repository = { id: 1, full_name: 'acme/widgets' }

export class GitHubServer {
  readonly state: GitHubState = {
    self: someone('planner'),
    pulls: [],
    reviews: [],
    timeline: [],
    permissions: {},
    teams: {},
    apps: {},
    branches: {},
    activity: [],
    comments: [],
    lineComments: [],
    statuses: [],
    hasDrafts: true,
  }
  readonly http: Loopback
  /** Where there is a repository: the tip of a branch and who pushed it, unless the state says something else. */
  pushed: (branch: string) => { sha: string; login: string } | undefined = () => undefined

  #prefix = ''

  private constructor(http: Loopback) {
    this.http = http
  }

  /** `base` is where the API of GitHub Enterprise is; at github.com it is nothing. */
  static async start(base = '/api/v3'): Promise<GitHubServer> {
    const http: Loopback = await Loopback.start(base, (asked) => server.answer(asked))
    const server = new GitHubServer(http)
    return server
  }

  /** One of several repositories of a server: `acme/widgets` for what is asked of it, with ids of its own. */
  static behind(http: Loopback, name: string): GitHubServer {
    const server = new GitHubServer(http)
    server.#prefix = `${name}_`
    return server
  }

  pull(number: number, given: Partial<Pull> & { branch?: string; sha?: string } = {}): Pull {
    const { branch = 'plan/upgrade', sha = oid('a'), ...rest } = given
    const made: Pull = {
      number,
      node_id: `PR_${this.#prefix}${number}`,
      html_url: `https://github.com/acme/widgets/pull/${number}`,
      state: 'open',
      draft: true,
      title: 'Upgrade',
      body: 'Why',
      merged_at: null,
      user: someone('author'),
      head: { ref: branch, sha, label: `acme:${branch}`, repo: repository },
      base: { ref: 'main', sha: oid('0'), label: 'acme:main', repo: repository },
      ...rest,
    }
    this.state.pulls.unshift(made)
    return made
  }

  review(login: string | null, state: string, given: Partial<Review> & { type?: string } = {}): Review {
    const { type = 'User', ...rest } = given
    const id = 100 + this.state.reviews.length
    const made: Review = {
      id,
      state,
      user: login === null ? null : someone(login, type),
      commit_id: oid('a'),
      html_url: `https://github.com/acme/widgets/pull/7#pullrequestreview-${id}`,
      ...(state === 'PENDING'
        ? {}
        : { submitted_at: new Date(Date.UTC(2026, 0, 1, 0, 0, id)).toISOString().replace('.000', '') }),
      ...rest,
    }
    this.state.reviews.push(made)
    return made
  }

  comment(login: string, body: string): Comment {
    const id = 900 + this.state.comments.length
    return { id, body, user: someone(login), html_url: `https://github.com/acme/widgets/pull/7#issuecomment-${id}` }
  }

  answer(asked: Asked): Reply {
    if (asked.headers.authorization !== `Bearer ${token}`)
      return {
        status: 401,
        json: {
          message: asked.headers.authorization === undefined ? 'Requires authentication' : 'Bad credentials',
          status: '401',
        },
      }
    // As the links between pages have it, and redirects after a rename.
    const path = asked.path.replace(/^\/repositories\/1(?=\/|$)/, '/repos/acme/widgets')
    if (path.startsWith('/repos/acme/gadgets')) return this.#moved(asked)
    return routed(this.#routes, { ...asked, path })
  }

  #moved(asked: Asked): Reply {
    const location = `${this.http.api}${asked.path.replace('/repos/acme/gadgets', '/repositories/1')}`
    return {
      status: asked.method === 'GET' ? 301 : 307,
      headers: { location },
      json: { message: 'Moved Permanently', url: location },
    }
  }

  #list(asked: Asked, all: readonly unknown[]): Reply {
    const path = asked.path.replace('/repos/acme/widgets', '/repositories/1')
    return paged(asked, all, (page) => {
      const query = new URLSearchParams(asked.query)
      query.set('page', String(page))
      return `${this.http.api}${path}?${query.toString()}`
    })
  }

  readonly #routes: readonly Route[] = [
    [
      'GET',
      /^\/user$/,
      () =>
        this.state.self === 'app'
          ? { status: 403, json: { message: 'Resource not accessible by integration' } }
          : { json: this.state.self },
    ],
    ['POST', /\/graphql$/, ({ body }) => this.#graphql(body)],
    [
      'GET',
      /^\/apps\/([^/]+)$/,
      (_, slug = '') =>
        slug in this.state.apps
          ? { json: { slug, owner: someone(this.state.apps[slug] ?? '') } }
          : { status: 404, json: { message: 'Not Found' } },
    ],
    [
      'GET',
      /^\/orgs\/([^/]+)\/teams\/([^/]+)\/memberships\/([^/]+)$/,
      (_, org = '', slug = '', login = '') => this.#member(`${org}/${slug}`, login),
    ],
    [
      'GET',
      /^\/orgs\/([^/]+)\/teams\/([^/]+)$/,
      (_, org = '', slug = '') =>
        `${org}/${slug}` in this.state.teams ? { json: { slug } } : { status: 404, json: { message: 'Not Found' } },
    ],
    ['GET', /^\/repos\/acme\/widgets\/pulls$/, (asked) => this.#list(asked, this.#pullsOf(asked.query))],
    ['POST', /^\/repos\/acme\/widgets\/pulls$/, ({ body }) => this.#open(body)],
    [
      'GET',
      /^\/repos\/acme\/widgets\/pulls\/(\d+)$/,
      (_, number) => this.#withPull(number, (pull) => ({ json: pull })),
    ],
    [
      'PATCH',
      /^\/repos\/acme\/widgets\/pulls\/(\d+)$/,
      ({ body }, number) => this.#withPull(number, (pull) => this.#change(pull, body)),
    ],
    [
      'PUT',
      /^\/repos\/acme\/widgets\/pulls\/(\d+)\/merge$/,
      ({ body }, number) => this.#withPull(number, (pull) => this.#merge(pull, body)),
    ],
    [
      'GET',
      /^\/repos\/acme\/widgets\/pulls\/(\d+)\/reviews$/,
      (asked, number) => this.#list(asked, this.#reviewsOf(Number(number))),
    ],
    ['GET', /^\/repos\/acme\/widgets\/issues\/(\d+)\/timeline$/, (asked) => this.#list(asked, this.state.timeline)],
    ['GET', /^\/repos\/acme\/widgets\/pulls\/(\d+)\/comments$/, (asked) => this.#list(asked, this.state.lineComments)],
    ['GET', /^\/repos\/acme\/widgets\/issues\/(\d+)\/comments$/, (asked) => this.#list(asked, this.state.comments)],
    ['POST', /^\/repos\/acme\/widgets\/issues\/(\d+)\/comments$/, ({ body }) => this.#say(String(body['body']))],
    [
      'PATCH',
      /^\/repos\/acme\/widgets\/issues\/comments\/(\d+)$/,
      ({ body }, id) => this.#say(String(body['body']), Number(id)),
    ],
    [
      'GET',
      /^\/repos\/acme\/widgets\/collaborators\/([^/]+)\/permission$/,
      (_, login = '') =>
        login in this.state.permissions
          ? { json: { ...this.state.permissions[login], user: someone(login) } }
          : { status: 404, json: { message: `${login} is not a user` } },
    ],
    ['GET', /^\/repos\/acme\/widgets\/branches\/([^/]+)$/, (_, name = '') => this.#branch(name)],
    [
      'GET',
      /^\/repos\/acme\/widgets\/activity$/,
      (asked) => this.#list(asked, this.#activityOf(asked.query.get('ref') ?? '')),
    ],
    [
      'POST',
      /^\/repos\/acme\/widgets\/statuses\/([0-9a-f]+)$/,
      ({ body }, commit) => (this.state.statuses.push({ commit, ...body }), { status: 201, json: { id: 1, ...body } }),
    ],
  ]

  #branch(name: string): Reply {
    const sha = this.state.branches[name] ?? this.pushed(name)?.sha
    return sha === undefined
      ? { status: 404, json: { message: 'Branch not found' } }
      : { json: { name, commit: { sha } } }
  }

  #activityOf(ref: string): readonly Activity[] {
    const told = this.state.activity.filter((each) => each.ref === ref)
    const pushed = told.length > 0 ? undefined : this.pushed(ref.replace('refs/heads/', ''))
    return pushed === undefined
      ? told
      : [{ activity_type: 'push', ref, before: oid('0'), after: pushed.sha, actor: someone(pushed.login) }]
  }

  #pullsOf(query: URLSearchParams): Pull[] {
    const head = query.get('head')
    return this.state.pulls.filter(
      (each) => (query.get('state') === 'all' || each.state === 'open') && (head === null || each.head.label === head),
    )
  }

  #reviewsOf(number: number): Review[] {
    return this.state.reviews.filter(({ pull = number }) => pull === number)
  }

  #withPull(number: string | undefined, answer: (pull: Pull) => Reply): Reply {
    const found = this.state.pulls.find((each) => each.number === Number(number))
    return found === undefined ? { status: 404, json: { message: 'Not Found' } } : answer(found)
  }

  #open(body: Record<string, unknown>): Reply {
    const invalid = (message: string): Reply => ({
      status: 422,
      json: { message: 'Validation Failed', errors: [{ resource: 'PullRequest', code: 'custom', message }] },
    })
    if (body['draft'] === true && !this.state.hasDrafts)
      return { status: 422, json: { message: 'Draft pull requests are not supported in this repository.' } }
    const branch = String(body['head'])
    if (this.state.pulls.some((each) => each.head.ref === branch && each.state === 'open'))
      return invalid(`A pull request already exists for acme:${branch}.`)
    const made = this.pull(this.state.pulls.length + 7, {
      branch,
      draft: body['draft'] === true,
      title: String(body['title']),
      body: String(body['body']),
    })
    made.base.ref = String(body['base'])
    return { status: 201, json: made }
  }

  #change(pull: Pull, body: Record<string, unknown>): Reply {
    pull.title = String(body['title'])
    pull.body = String(body['body'])
    pull.base.ref = String(body['base'])
    return { json: pull }
  }

  #merge(pull: Pull, body: Record<string, unknown>): Reply {
    if (pull.draft) return { status: 405, json: { message: 'Pull Request is still a draft' } }
    if (body['sha'] !== pull.head.sha)
      return { status: 409, json: { message: 'Head branch was modified. Review and try the merge again.' } }
    pull.state = 'closed'
    pull.merged_at = '2026-01-02T00:00:00Z'
    return { json: { sha: oid('e'), merged: true, message: 'Pull Request successfully merged' } }
  }

  #graphql({ query, variables }: Record<string, unknown>): Reply {
    if (String(query).includes('viewer')) return { json: { data: { viewer: { login: 'planner-app[bot]' } } } }
    const pull = this.state.pulls.find((each) => each.node_id === (variables as { id: string }).id)
    if (pull === undefined)
      return {
        json: {
          data: { markPullRequestReadyForReview: null },
          errors: [{ type: 'NOT_FOUND', message: 'Could not resolve to a node' }],
        },
      }
    pull.draft = false
    return { json: { data: { markPullRequestReadyForReview: { pullRequest: { isDraft: false } } } } }
  }

  #member(team: string, login: string): Reply {
    const state = this.state.teams[team]?.[login]
    return state === undefined
      ? { status: 404, json: { message: 'Not Found' } }
      : { json: { state, role: 'member', url: 'https://api.github.com/x' } }
  }

  #say(body: string, id?: number): Reply {
    const before = this.state.comments.find((each) => each.id === id)
    if (before !== undefined) before.body = body
    const made = before ?? {
      id: 1000 + this.state.comments.length,
      body,
      user: this.state.self === 'app' ? someone('planner-app[bot]', 'Bot') : this.state.self,
      html_url: `https://github.com/acme/widgets/pull/7#issuecomment-${1000 + this.state.comments.length}`,
    }
    if (before === undefined) this.state.comments.push(made)
    return { status: before === undefined ? 201 : 200, json: made }
  }
}
