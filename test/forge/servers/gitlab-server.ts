// GitLab, as much of it as is asked, in the shapes that its REST API documents.

import { Loopback, oid, paged, routed, type Asked, type Reply, type Route } from './loopback.ts'

export const token = 'glpat-aTokenThatIsOnlyForTheTests'

interface User {
  id: number
  username: string
  name: string
  state: string
}

export const someone = (username: string): User => ({
  id: [...username].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 1_000_000_007,
  username,
  name: username.toUpperCase(),
  state: 'active',
})

interface Note {
  id: number
  body: string
  system: boolean
  author: User
  created_at: string
}

interface MergeRequest {
  iid: number
  web_url: string
  state: string
  draft: boolean
  sha: string
  source_branch: string
  target_branch: string
  source_project_id: number | null
  target_project_id: number
  author: User
  title: string
  description: string | null
  merge_commit_sha: string | null
  squash_commit_sha: string | null
}

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString().replace('Z', '+00:00')

export class GitLabServer {
  readonly http: Loopback
  requests: MergeRequest[] = []
  notes: Note[] = []
  versions: { id: number; head_commit_sha: string; base_commit_sha: string; created_at: string }[] = []
  approvedBy: { user: User; approved_at?: string }[] = []
  reviewers: { user: User; state: string; created_at: string }[] = []
  bots: Record<string, string | undefined> = {}
  /** By the path of a project or group. */
  members: Record<string, Record<string, { access_level: number; state?: string; expires_at?: string | null }>> = {
    'acme/tools/widgets': {},
  }
  branches: Record<string, string> = {}
  events: {
    author: User
    action_name: string
    push_data: { ref: string | null; ref_type: string; commit_to: string | null; ref_count?: number }
  }[] = []
  statuses: Record<string, unknown>[] = []
  mergeMethod = 'merge'
  /**
   * Where there is a repository: the tip of a branch and who pushed it, unless `branches` and `events` say something
   * else.
   */
  pushed: (branch: string) => { sha: string; login: string } | undefined = () => undefined

  private constructor(http: Loopback) {
    this.http = http
  }

  static async start(): Promise<GitLabServer> {
    const http: Loopback = await Loopback.start('/api/v4', (asked) => server.#answer(asked))
    const server = new GitLabServer(http)
    return server
  }

  request(
    iid: number,
    given: {
      branch?: string
      state?: string
      sha?: string
      title?: string
      draft?: boolean
      from?: number | null
    } = {},
  ): MergeRequest {
    const made: MergeRequest = {
      iid,
      web_url: `https://gitlab.example/acme/tools/widgets/-/merge_requests/${iid}`,
      state: given.state ?? 'opened',
      draft: given.draft ?? false,
      sha: given.sha ?? oid('a'),
      source_branch: given.branch ?? 'plan/upgrade',
      target_branch: 'main',
      source_project_id: given.from === undefined ? 1 : given.from,
      target_project_id: 1,
      author: someone('author'),
      title: given.title ?? 'Upgrade',
      description: 'Why',
      merge_commit_sha: null,
      squash_commit_sha: null,
    }
    this.requests.unshift(made)
    return made
  }

  /** A push: the head from then on, as a commit or a digit of one. */
  version(minute: number, head: string): void {
    this.versions.unshift({
      id: minute,
      head_commit_sha: head.length === 1 ? oid(head) : head,
      base_commit_sha: oid('0'),
      created_at: at(minute),
    })
  }

  note(minute: number, username: string, body: string, system = true): void {
    this.notes.push({ id: 100 + minute, body, system, author: someone(username), created_at: at(minute) })
  }

  approve(minute: number, username: string): void {
    this.note(minute, username, 'approved this merge request')
    this.approvedBy.push({ user: someone(username) })
  }

  #answer(asked: Asked): Reply {
    if (asked.headers.authorization !== `Bearer ${token}`) return { status: 401, json: { message: '401 Unauthorized' } }
    return routed(this.#routes, asked)
  }

  #list(asked: Asked, all: readonly unknown[]): Reply {
    return paged(asked, all, (page) => {
      const query = new URLSearchParams(asked.query)
      query.set('page', String(page))
      return `${this.http.api}${asked.path}?${query.toString()}`
    })
  }

  readonly #routes: readonly Route[] = [
    ['GET', /^\/user$/, () => ({ json: { ...someone('planner'), bot: false } })],
    ['GET', /^\/users$/, ({ query }) => this.#users(query.get('username') ?? '')],
    ['GET', /^\/users\/(\d+)$/, (_, id) => this.#user(Number(id))],
    [
      'GET',
      /^\/(?:projects|groups)\/([^/]+)\/members\/all\/(\d+)$/,
      (_, path = '', id = '') => this.#member(path, Number(id)),
    ],
    [
      'GET',
      /^\/groups\/([^/]+)$/,
      (_, path = '') =>
        path in this.members
          ? { json: { id: 3, full_path: path } }
          : { status: 404, json: { message: '404 Group Not Found' } },
    ],
    ['GET', /^\/projects\/acme%2Ftools%2Fwidgets$/, () => ({ json: { id: 1, merge_method: this.mergeMethod } })],
    [
      'GET',
      /^\/projects\/acme%2Ftools%2Fwidgets\/merge_requests$/,
      (asked) =>
        this.#list(
          asked,
          this.requests.filter(
            (each) =>
              each.source_branch === asked.query.get('source_branch') &&
              (asked.query.get('state') === 'all' || each.state === asked.query.get('state')),
          ),
        ),
    ],
    ['POST', /^\/projects\/acme%2Ftools%2Fwidgets\/merge_requests$/, ({ body }) => this.#open(body)],
    ['GET', /\/merge_requests\/(\d+)$/, (_, iid) => this.#with(iid, (json) => ({ json }))],
    ['PUT', /\/merge_requests\/(\d+)$/, ({ body }, iid) => this.#with(iid, (request) => this.#change(request, body))],
    [
      'PUT',
      /\/merge_requests\/(\d+)\/merge$/,
      ({ body }, iid) => this.#with(iid, (request) => this.#merge(request, body)),
    ],
    [
      'GET',
      /\/merge_requests\/\d+\/approvals$/,
      () => ({ json: { approved: this.approvedBy.length > 0, approved_by: this.approvedBy } }),
    ],
    ['GET', /\/merge_requests\/\d+\/versions$/, (asked) => this.#list(asked, this.versions)],
    ['GET', /\/merge_requests\/\d+\/reviewers$/, (asked) => this.#list(asked, this.reviewers)],
    ['GET', /\/merge_requests\/\d+\/notes$/, (asked) => this.#list(asked, this.notes)],
    [
      'POST',
      /\/merge_requests\/\d+\/notes$/,
      ({ body }) => (this.note(59, 'planner', String(body['body']), false), { status: 201, json: this.notes.at(-1) }),
    ],
    [
      'PUT',
      /\/merge_requests\/\d+\/notes\/(\d+)$/,
      ({ body }, id) => ({
        json: Object.assign(this.notes.find((each) => each.id === Number(id)) ?? {}, { body: body['body'] }),
      }),
    ],
    ['GET', /\/repository\/branches\/([^/]+)$/, (_, name = '') => this.#branch(name)],
    [
      'GET',
      /^\/projects\/acme%2Ftools%2Fwidgets\/events$/,
      (asked) => this.#list(asked, this.events.length > 0 ? this.events : this.#pushes()),
    ],
    ['POST', /\/statuses\/([0-9a-f]+)$/, ({ body }, commit) => this.#status({ commit, ...body })],
  ]

  #branch(name: string): Reply {
    const id = this.branches[name] ?? this.pushed(name)?.sha
    return id === undefined
      ? { status: 404, json: { message: '404 Branch Not Found' } }
      : { json: { name, commit: { id } } }
  }

  #pushes(): typeof this.events {
    return this.requests.flatMap(({ source_branch: ref }) => {
      const found = this.pushed(ref)
      return found === undefined
        ? []
        : [
            {
              author: someone(found.login),
              action_name: 'pushed to',
              push_data: { ref, ref_type: 'branch', commit_to: found.sha },
            },
          ]
    })
  }

  #users(username: string): Reply {
    const all = ['author', 'planner', ...Object.values(this.members).flatMap((each) => Object.keys(each))]
    return { json: all.includes(username) ? [someone(username)] : [] }
  }

  #user(id: number): Reply {
    const bot = Object.keys(this.bots).find((name) => someone(name).id === id)
    if (bot === undefined) return { json: { id, username: 'whoever', bot: false } }
    const by = this.bots[bot]
    return { json: { ...someone(bot), bot: true, ...(by === undefined ? {} : { created_by: someone(by) }) } }
  }

  #member(path: string, id: number): Reply {
    const [, found] = Object.entries(this.members[path] ?? {}).find(([name]) => someone(name).id === id) ?? []
    return found === undefined
      ? { status: 404, json: { message: '404 Not found' } }
      : { json: { ...someone('x'), id, state: 'active', expires_at: null, ...found } }
  }

  #with(iid: string | undefined, answer: (request: MergeRequest) => Reply): Reply {
    const found = this.requests.find((each) => each.iid === Number(iid))
    return found === undefined ? { status: 404, json: { message: '404 Not found' } } : answer(found)
  }

  #open(body: Record<string, unknown>): Reply {
    const branch = String(body['source_branch'])
    if (this.requests.some((each) => each.source_branch === branch && each.state === 'opened'))
      return {
        status: 409,
        json: { message: ['Another open merge request already exists for this source branch: !1'] },
      }
    const made = this.request(this.requests.length + 7, { branch })
    return { ...this.#change(made, body), status: 201 }
  }

  #change(request: MergeRequest, body: Record<string, unknown>): Reply {
    if (typeof body['title'] === 'string') request.title = body['title']
    if (typeof body['description'] === 'string') request.description = body['description']
    if (typeof body['target_branch'] === 'string') request.target_branch = body['target_branch']
    request.draft = /^(draft:|\[draft\]|\(draft\))/i.test(request.title)
    return { json: request }
  }

  #merge(request: MergeRequest, body: Record<string, unknown>): Reply {
    if (request.draft) return { status: 405, json: { message: '405 Method Not Allowed' } }
    if (body['sha'] !== request.sha)
      return { status: 409, json: { message: 'SHA does not match HEAD of source branch' } }
    request.state = 'merged'
    if (body['squash'] === true) request.squash_commit_sha = oid('d')
    else if (this.mergeMethod !== 'ff') request.merge_commit_sha = oid('e')
    return { json: request }
  }

  #status(given: Record<string, unknown>): Reply {
    const before = this.statuses.findLast(
      (each) => each['name'] === given['name'] && each['commit'] === given['commit'],
    )
    if (before?.['state'] === given['state'])
      return {
        status: 400,
        json: {
          message: `Cannot transition status via :enqueue from :${String(given['state'])} (Reason(s): Status cannot transition via "enqueue")`,
        },
      }
    this.statuses.push(given)
    return { status: 201, json: given }
  }
}
