// A repository on a server that answers like GitLab.

import { GitLabServer, token } from '../forge/servers/gitlab-server.ts'
import { RemoteRepo } from './remote-repo.ts'
import { TestRepo } from './repo.ts'

const project = 'acme/tools/widgets'

export class GitLabRepo extends RemoteRepo {
  readonly server: GitLabServer
  #minute = 0

  private constructor(repo: TestRepo, server: GitLabServer) {
    super(repo, server.http, project)
    this.server = server
    server.pushed = (branch) => this.pushed(branch)
  }

  static async start(policy: string): Promise<GitLabRepo> {
    const forge = new GitLabRepo(new TestRepo(), await GitLabServer.start())
    forge.repo.env['GITLAB_HOST'] = forge.server.http.origin
    forge.repo.env['GITLAB_TOKEN'] = token
    forge.begin('gitlab', policy)
    return forge
  }

  /** An approval names no commit: it is of what was pushed before it. */
  override approve(login: string, { commit_id: commit = this.tip() }: { readonly commit_id?: string } = {}): void {
    const { server } = this
    server.members[project] = { ...server.members[project], [login]: { access_level: 30 } }
    server.version((this.#minute += 1), commit)
    server.approve((this.#minute += 1), login)
  }

  override fromFork(): void {
    for (const request of this.server.requests) request.source_project_id = 2
  }
}
