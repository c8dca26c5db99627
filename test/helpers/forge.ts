// A repository whose remote is a forge on loopback: pushes go to a bare repository beside it, questions to a server that answers as GitHub does.

import { join } from 'node:path'
import { GitHubServer, token } from '../forge/servers/github-server.ts'
import { planText, TestRepo, type Ran } from './repo.ts'

export class ForgeRepo {
  readonly repo: TestRepo
  readonly server: GitHubServer
  readonly bare: string

  private constructor(repo: TestRepo, server: GitHubServer) {
    this.repo = repo
    this.server = server
    this.bare = join(repo.home, 'remote.git')
  }

  static async start(policy: string): Promise<ForgeRepo> {
    const forge = new ForgeRepo(new TestRepo(), await GitHubServer.start())
    const { repo, server, bare } = forge
    repo.env['GH_ENTERPRISE_TOKEN'] = token
    repo.git(['init', '-q', '--bare', '-b', 'main', bare])
    forge.connect(repo.dir)
    repo.write('.plans/config.yml', `version: 1\nforges: { "${server.http.host}": { kind: github } }\n${policy}`)
    repo.commit('Policy')
    repo.git(['push', '-q', 'origin', 'main'])
    repo.git(['fetch', '-q', 'origin'])
    repo.git(['remote', 'set-head', 'origin', 'main'])
    return forge
  }

  /** What a clone would be told of the remote. */
  connect(directory: string): void {
    const url = `${this.server.http.origin}/acme/widgets.git`
    const git = (args: readonly string[]): string => this.repo.git(args, { cwd: directory })
    git(['config', `url.${this.bare}.insteadOf`, url])
    git(['remote', 'add', 'origin', url])
  }

  async propose(steps: string, id = 'p'): Promise<void> {
    await this.expect(0, ['new', '--from', '-', '--id', id], planText(steps))
  }

  async expect(code: number, args: readonly string[], input?: string): Promise<Ran> {
    const ran = await this.repo.plan(args, input === undefined ? {} : { input })
    if (ran.code !== code) throw new Error(`git plan ${args.join(' ')}: ${ran.code}, not ${code}: ${ran.all}`)
    return ran
  }

  tip(id = 'p'): string {
    return this.repo.git(['rev-parse', `plan/${id}`])
  }

  /** By somebody who may write, of what is there now. */
  approve(login: string, given: { commit_id?: string; type?: string; permission?: string } = {}): void {
    const { permission = 'write', ...rest } = given
    this.server.state.permissions[login] = { permission, role_name: permission }
    this.server.review(login, 'APPROVED', { commit_id: this.tip(), ...rest })
  }

  async close(): Promise<void> {
    await this.server.http.close()
    this.repo.remove()
  }
}
