// A repository whose remote is a forge on loopback: pushes go to a bare repository beside it, API requests to a server
// that answers like the forge.

import { join } from 'node:path'
import type { Loopback } from '../forge/servers/loopback.ts'
import { planText, TestRepo, type Ran } from './repo.ts'

export abstract class RemoteRepo {
  readonly repo: TestRepo
  readonly bare: string
  readonly url: string
  /** Who pushed each branch last, as the forge tells it. */
  pusher = 'planner'
  readonly #http: Loopback

  protected constructor(repo: TestRepo, http: Loopback, path: string) {
    this.repo = repo
    repo.hasForge = true
    this.bare = join(repo.home, 'remote.git')
    this.url = `${http.origin}/${path}.git`
    this.#http = http
  }

  /** The policy on the default branch, there and here. */
  protected begin(kind: string, policy: string): void {
    const { repo, bare } = this
    repo.git(['init', '-q', '--bare', '-b', 'main', bare])
    this.connect(repo.dir)
    repo.write('.plans/config.yml', `version: 1\nforges: { "${this.#http.host}": { kind: ${kind} } }\n${policy}`)
    repo.commit('Policy')
    repo.git(['push', '-q', 'origin', 'main'])
    repo.git(['fetch', '-q', 'origin'])
    repo.git(['remote', 'set-head', 'origin', 'main'])
  }

  /** What a clone would be told of the remote. */
  connect(directory: string): void {
    const git = (args: readonly string[]): string => this.repo.git(args, { cwd: directory })
    git(['config', `url.${this.bare}.insteadOf`, this.url])
    git(['remote', 'add', 'origin', this.url])
  }

  async propose(steps: string, id = 'p'): Promise<void> {
    await this.expect(0, ['new', '--from', '-', '--id', id], planText(steps))
  }

  async expect(code: number, args: readonly string[], input?: string): Promise<Ran> {
    const ran = await this.repo.plan(args, input === undefined ? {} : { input })
    if (ran.code !== code) throw new Error(`git plan ${args.join(' ')}: ${ran.code}, not ${code}: ${ran.all}`)
    return ran
  }

  /** What the forge knows of a branch. */
  protected pushed(branch: string): { sha: string; login: string } | undefined {
    const [sha] = this.repo
      .git(['for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`], { cwd: this.bare })
      .split('\n')
    return sha === undefined || sha === '' ? undefined : { sha, login: this.pusher }
  }

  tip(id = 'p'): string {
    return this.repo.git(['rev-parse', `plan/${id}`])
  }

  /** By somebody who may write, of what is there now, or of another commit. */
  abstract approve(login: string, given?: { readonly commit_id?: string }): void

  /** The pull request was of a branch of this name in another repository. */
  abstract fromFork(): void

  async close(): Promise<void> {
    await this.#http.close()
    this.repo.remove()
  }
}
