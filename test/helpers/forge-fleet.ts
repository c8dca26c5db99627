// Repositories on a server that answers like GitHub and counts its requests, as GitHub does for its limits.

import { execFileSync } from 'node:child_process'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { GitHubServer, token } from '../forge/servers/github-server.ts'
import { Loopback, type Asked, type Reply } from '../forge/servers/loopback.ts'
import { signedFleet, type Fleet } from './fleet.ts'
import type { TestRepo } from './repo.ts'

/** Requests that create or change something: GitHub allows fewer of them. */
export const isChange = ({ method, path, body }: Asked): boolean =>
  method !== 'GET' && !(path.endsWith('/graphql') && !String(body['query']).includes('mutation'))

/** What a repository costs whose campaign is approved: its run, and its pull request. */
export const requestsPerRepository = {
  git: { reads: 0, changes: 0 },
  request: { reads: 2, changes: 2 },
} as const

export class ForgeFleet {
  readonly fleet: Fleet
  readonly http: Loopback
  /** Says no instead of an answer. */
  refuse: (asked: Asked) => Reply | undefined = () => undefined
  refused = 0
  readonly #repositories = new Map<string, GitHubServer>()

  private constructor(fleet: Fleet, http: Loopback) {
    this.fleet = fleet
    this.http = http
  }

  /** The first `onForge` repositories are on the forge, the others on the disk. */
  static async start(
    repo: TestRepo,
    { count, onForge, ...options }: { count: number; onForge: number; approval?: string },
  ): Promise<ForgeFleet> {
    const http: Loopback = await Loopback.start('/api/v3', (asked) => made.#answer(asked))
    const policy = `forges: { "${http.host}": { kind: github } }`
    const fleet = signedFleet(repo, { ...options, count, policy, files: (number) => ({ name: `r${number}\n` }) })
    repo.env['GH_HOST'] = http.host
    repo.env['GH_ENTERPRISE_TOKEN'] = token
    const made = new ForgeFleet(fleet, http)
    for (const address of fleet.addresses.slice(0, onForge)) made.#move(address)
    const onDisk = fleet.addresses.slice(onForge)
    writeFileSync(fleet.list, [...made.addresses, ...onDisk].map((address) => `${address}\n`).join(''))
    return made
  }

  get addresses(): string[] {
    return [...this.#repositories.keys()].map((name) => `${this.http.origin}/acme/${name}.git`)
  }

  /** The pull requests of all repositories. */
  readonly pulls = (): { readonly draft: boolean; readonly state: string }[] =>
    [...this.#repositories.values()].flatMap(({ state }) => state.pulls)

  /** An owner of each repository approves the pull request there as it is. */
  review(login: string): void {
    for (const server of this.#repositories.values()) {
      server.state.permissions[login] = { permission: 'write', role_name: 'write' }
      for (const { number, head } of server.state.pulls)
        server.review(login, 'APPROVED', { pull: number, commit_id: server.pushed(head.ref)?.sha ?? null })
    }
  }

  async close(): Promise<void> {
    await this.http.close()
  }

  #move(bare: string): void {
    const { repo } = this.fleet
    const name = basename(bare, '.git')
    const server = GitHubServer.behind(this.http, name)
    server.pushed = (branch) => {
      const sha = execFileSync('git', ['for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`], {
        cwd: bare,
        encoding: 'utf8',
      }).trim()
      return sha === '' ? undefined : { sha, login: 'planner' }
    }
    this.#repositories.set(name, server)
    const config = join(repo.home, '.gitconfig')
    appendFileSync(config, `[url "file://${bare}"]\n\tinsteadOf = ${this.http.origin}/acme/${name}.git\n`)
    if (!readFileSync(config, 'utf8').includes('[protocol "file"]'))
      appendFileSync(config, '[protocol "file"]\n\tallow = always\n')
  }

  #answer(asked: Asked): Reply {
    const no = this.refuse(asked)
    if (no !== undefined) {
      this.refused += 1
      return no
    }
    const [, name = ''] = /^\/repos\/acme\/([\w-]+)/.exec(asked.path) ?? []
    const [first] = this.#repositories.values()
    const node = (asked.body['variables'] as { readonly id?: string } | undefined)?.id
    const owner =
      this.#repositories.get(name) ??
      [...this.#repositories.values()].find(({ state }) => state.pulls.some((pull) => pull.node_id === node))
    return (owner ?? first)!.answer({
      ...asked,
      path: asked.path.replace(/^\/repos\/acme\/[\w-]+/, '/repos/acme/widgets'),
    })
  }
}
