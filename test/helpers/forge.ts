// A repository on a server that answers like GitHub.

import { GitHubServer, token } from '../forge/servers/github-server.ts'
import { RemoteRepo } from './remote-repo.ts'
import { TestRepo } from './repo.ts'

export class ForgeRepo extends RemoteRepo {
  readonly server: GitHubServer

  private constructor(repo: TestRepo, server: GitHubServer) {
    super(repo, server.http, 'acme/widgets')
    this.server = server
    server.pushed = (branch) => this.pushed(branch)
  }

  static async start(policy: string): Promise<ForgeRepo> {
    const forge = new ForgeRepo(new TestRepo(), await GitHubServer.start())
    forge.repo.env['GH_HOST'] = forge.server.http.host
    forge.repo.env['GH_ENTERPRISE_TOKEN'] = token
    forge.begin('github', policy)
    return forge
  }

  override approve(login: string, given: { commit_id?: string; type?: string; permission?: string } = {}): void {
    const { permission = 'write', ...rest } = given
    this.server.state.permissions[login] = { permission, role_name: permission }
    this.server.review(login, 'APPROVED', 'commit_id' in rest ? rest : { ...rest, commit_id: this.tip() })
  }

  override fromFork(): void {
    for (const { head } of this.server.state.pulls) head.repo = { id: 2, full_name: 'eve/widgets' }
  }
}
