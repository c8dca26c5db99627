// Gitea and Forgejo, as much of them as is asked, in the shapes of their Swagger description.

import { Loopback, oid, routed, type Asked, type Reply, type Route } from './loopback.ts'

export const token = '0123456789abcdef0123456789abcdef01234567'

interface User {
  id: number
  login: string
  full_name: string
}

export const someone = (login: string, id = login.length): User => ({ id, login, full_name: '' })
/** As Gitea has it for deleted users. */
export const ghost = someone('Ghost', -1)

interface Branch {
  label: string
  ref: string
  sha: string
  repo_id: number
}

interface Pull {
  number: number
  html_url: string
  state: string
  merged: boolean
  draft?: boolean
  title: string
  body: string
  user: User | null
  head: Branch
  base: Branch
  merge_commit_sha: string | null
}

interface Review {
  id: number
  user: User | null
  team: null
  state: string
  body: string
  commit_id: string
  stale: boolean
  official: boolean
  dismissed: boolean
  submitted_at: string
  html_url: string
  comments_count: number
}

export class GiteaServer {
  readonly http: Loopback
  pulls: Pull[] = []
  reviews: Review[] = []
  /** Reviews that are counted and not shown: the pending ones of others. */
  hiddenReviews = 0
  timeline: { id: number; type: string; body: string; user: User | null; review_id?: number }[] = []
  permissions: Record<string, string> = {}
  teams: { id: number; name: string; members: string[] }[] = []
  branches: Record<string, string> = {}
  feed: { op_type: string; ref_name: string; content: string; act_user: User }[] = []
  comments: { id: number; body: string; user: User; html_url: string; created_at: string }[] = []
  /** At lines of the changes, by review. */
  lineComments: Record<number, object[]> = {}
  statuses: Record<string, unknown>[] = []
  /** The most that a page has, whatever is asked for. */
  pageSize = 50

  private constructor(http: Loopback) {
    this.http = http
  }

  static async start(): Promise<GiteaServer> {
    const http: Loopback = await Loopback.start('/api/v1', (asked) => server.#answer(asked))
    const server = new GiteaServer(http)
    return server
  }

  pull(number: number, given: Partial<Pull> & { branch?: string } = {}): Pull {
    const { branch = 'plan/upgrade', ...rest } = given
    const made: Pull = {
      number,
      html_url: `https://codeberg.org/acme/widgets/pulls/${number}`,
      state: 'open',
      merged: false,
      title: 'Upgrade',
      body: 'Why',
      user: someone('author'),
      head: { label: branch, ref: branch, sha: oid('a'), repo_id: 1 },
      base: { label: 'main', ref: 'main', sha: oid('0'), repo_id: 1 },
      merge_commit_sha: null,
      ...rest,
    }
    this.pulls.unshift(made)
    return made
  }

  review(user: string | User | null, state: string, given: Partial<Review> = {}): Review {
    const id = 100 + this.reviews.length
    const made: Review = {
      id,
      user: typeof user === 'string' ? someone(user) : user,
      team: null,
      state,
      body: '',
      commit_id: oid('a'),
      stale: false,
      official: true,
      dismissed: false,
      submitted_at: new Date(Date.UTC(2026, 0, 1, 0, 0, id)).toISOString(),
      html_url: `https://codeberg.org/acme/widgets/pulls/7#issuecomment-${id}`,
      comments_count: this.lineComments[id]?.length ?? 0,
      ...given,
    }
    this.reviews.push(made)
    return made
  }

  #answer(asked: Asked): Reply {
    if (asked.headers.authorization !== `token ${token}`) return { status: 401, json: { message: 'token is required' } }
    return routed(this.#routes, asked)
  }

  /** No links here, but the number of all. */
  #list(asked: Asked, all: readonly unknown[], hidden = 0): Reply {
    const size = Math.min(Number(asked.query.get('limit') ?? 30), this.pageSize)
    const page = Number(asked.query.get('page') ?? 1)
    return {
      json: all.slice((page - 1) * size, page * size),
      headers: { 'x-total-count': String(all.length + hidden) },
    }
  }

  readonly #routes: readonly Route[] = [
    ['GET', /^\/user$/, () => ({ json: someone('planner') })],
    [
      'GET',
      /^\/repos\/acme\/widgets\/pulls$/,
      (asked) =>
        this.#list(
          asked,
          this.pulls.filter(({ state }) => state === asked.query.get('state')),
        ),
    ],
    ['POST', /^\/repos\/acme\/widgets\/pulls$/, ({ body }) => this.#open(body)],
    ['GET', /^\/repos\/acme\/widgets\/pulls\/(\d+)$/, (_, number) => this.#with(number, (json) => ({ json }))],
    [
      'PATCH',
      /^\/repos\/acme\/widgets\/pulls\/(\d+)$/,
      ({ body }, number) => this.#with(number, (pull) => this.#change(pull, body)),
    ],
    [
      'POST',
      /^\/repos\/acme\/widgets\/pulls\/(\d+)\/merge$/,
      ({ body }, number) => this.#with(number, (pull) => this.#merge(pull, body)),
    ],
    ['GET', /\/pulls\/(\d+)\/reviews$/, (asked) => this.#list(asked, this.reviews, this.hiddenReviews)],
    ['GET', /\/pulls\/\d+\/reviews\/(\d+)\/comments$/, (_, id) => ({ json: this.lineComments[Number(id)] ?? [] })],
    ['GET', /\/issues\/(\d+)\/timeline$/, (asked) => this.#list(asked, this.timeline)],
    ['GET', /\/issues\/(\d+)\/comments$/, () => ({ json: this.comments })],
    ['POST', /\/issues\/(\d+)\/comments$/, ({ body }) => this.#say(String(body['body']))],
    [
      'PATCH',
      /\/issues\/comments\/(\d+)$/,
      ({ body }, id) => ({
        json: Object.assign(this.comments.find((each) => each.id === Number(id)) ?? {}, { body: body['body'] }),
      }),
    ],
    [
      'GET',
      /\/collaborators\/([^/]+)\/permission$/,
      (_, login = '') =>
        login in this.permissions
          ? { json: { permission: this.permissions[login], role_name: '', user: someone(login) } }
          : { status: 404, json: { message: 'user does not exist' } },
    ],
    [
      'GET',
      /^\/orgs\/([^/]+)\/teams\/search$/,
      ({ query }, org) =>
        org === 'acme'
          ? { json: { ok: true, data: this.teams.filter(({ name }) => name.includes(query.get('q') ?? '')) } }
          : { status: 404, json: { message: 'not found' } },
    ],
    [
      'GET',
      /^\/teams\/(\d+)\/members\/([^/]+)$/,
      (_, id, login = '') =>
        this.teams.find((each) => each.id === Number(id))?.members.includes(login) === true
          ? { json: someone(login) }
          : { status: 404, json: { message: 'not found' } },
    ],
    [
      'GET',
      /^\/repos\/acme\/widgets\/branches\/(.+)$/,
      (_, name = '') =>
        name in this.branches
          ? { json: { name, commit: { id: this.branches[name] } } }
          : { status: 404, json: { message: 'branch not found' } },
    ],
    ['GET', /\/activities\/feeds$/, (asked) => this.#list(asked, this.feed)],
    [
      'POST',
      /\/statuses\/([0-9a-f]+)$/,
      ({ body }, commit) => (this.statuses.push({ commit, ...body }), { status: 201, json: body }),
    ],
  ]

  #with(number: string | undefined, answer: (pull: Pull) => Reply): Reply {
    const found = this.pulls.find((each) => each.number === Number(number))
    return found === undefined ? { status: 404, json: { message: 'pull request does not exist' } } : answer(found)
  }

  #open(body: Record<string, unknown>): Reply {
    const branch = String(body['head'])
    if (this.pulls.some((each) => each.head.ref === branch && each.state === 'open'))
      return { status: 409, json: { message: 'pull request already exists for these targets' } }
    const made = this.pull(this.pulls.length + 7, { branch })
    return { ...this.#change(made, body), status: 201 }
  }

  #change(pull: Pull, body: Record<string, unknown>): Reply {
    if (typeof body['title'] === 'string') pull.title = body['title']
    if (typeof body['body'] === 'string') pull.body = body['body']
    if (typeof body['base'] === 'string') pull.base.ref = body['base']
    return { json: pull }
  }

  #merge(pull: Pull, body: Record<string, unknown>): Reply {
    if (/^wip:/i.test(pull.title)) return { status: 405, json: { message: 'Work in progress PRs cannot be merged' } }
    if (body['head_commit_id'] !== pull.head.sha) return { status: 409, json: { message: 'head out of date' } }
    Object.assign(pull, { state: 'closed', merged: true, merge_commit_sha: oid('e') })
    return { status: 200, text: '' }
  }

  #say(body: string): Reply {
    const id = 1000 + this.comments.length
    this.comments.push({
      id,
      body,
      user: someone('planner'),
      html_url: `https://codeberg.org/acme/widgets/pulls/7#issuecomment-${id}`,
      created_at: '2026-01-01T00:00:00Z',
    })
    return { status: 201, json: this.comments.at(-1) }
  }
}
