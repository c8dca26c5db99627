// The two workflows on their forges, each in a fresh clone: a check of a commit as a pull request triggers it, and a
// run on the default branch.

import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { token as githubToken } from '../forge/servers/github-server.ts'
import { token as gitlabToken } from '../forge/servers/gitlab-server.ts'
import { Runner } from './ci.ts'
import { ForgeRepo } from './forge.ts'
import { GitLabRepo } from './gitlab-repo.ts'
import type { RemoteRepo } from './remote-repo.ts'
import type { Ran } from './repo.ts'

export interface Ci {
  readonly forge: RemoteRepo
  /** Of a head that is to go into main. */
  check(head: string): Promise<Ran>
  /** Of all plans, or as somebody asks for one of them. */
  round(plan?: string): Promise<Ran>
}

const strict = 'approval: { low: review, medium: review, high: review, critical: review }\n'

function runnerOf(forge: RemoteRepo): { runner: Runner; main: () => string } {
  // As the forges have it: any commit can be asked for.
  forge.repo.git(['config', 'uploadpack.allowReachableSHA1InWant', 'true'], { cwd: forge.bare })
  return {
    runner: new Runner(dirname(forge.repo.dir), forge),
    main: () => forge.repo.git(['rev-parse', 'main'], { cwd: forge.bare }),
  }
}

export async function onGitHub(policy = strict): Promise<Ci & { forge: ForgeRepo }> {
  const forge = await ForgeRepo.start(policy)
  const { runner, main } = runnerOf(forge)
  const env = { GITHUB_SERVER_URL: new URL(forge.url).origin }
  return {
    forge,
    check: (head) => {
      const base = main()
      const clone = runner.clone(forge.url, base, ['+refs/heads/*:refs/remotes/origin/*'])
      const context = {
        'github.event.pull_request.head.sha': head,
        'github.event.pull_request.base.sha': base,
        'github.event.repository.default_branch': 'main',
      }
      return runner.onGitHub('check', clone, context, env)
    },
    round: (plan = '') => {
      const clone = runner.clone(forge.url, main(), ['+SHA:refs/remotes/origin/main'], 1)
      const context = {
        'secrets.PLAN_TOKEN': '',
        'github.token': githubToken,
        'github.ref_name': 'main',
        'inputs.plan': plan,
      }
      return runner.onGitHub('run', clone, context, env)
    },
  }
}

export async function onGitLab(policy = strict): Promise<Ci & { forge: GitLabRepo }> {
  const forge = await GitLabRepo.start(policy)
  const { runner, main } = runnerOf(forge)
  const { origin, hostname } = new URL(forge.url)
  const env = {
    CI_DEFAULT_BRANCH: 'main',
    CI_SERVER_URL: origin,
    CI_SERVER_HOST: hostname,
    CI_PROJECT_URL: forge.url.replace(/\.git$/, ''),
    CI_REPOSITORY_URL: forge.url,
  }
  return {
    forge,
    check: (head) => {
      const empty = join(forge.repo.home, 'empty')
      mkdirSync(empty, { recursive: true })
      return runner.onGitLab('plan:check', empty, {
        ...env,
        CI_COMMIT_SHA: head,
        CI_MERGE_REQUEST_DIFF_BASE_SHA: main(),
      })
    },
    round: (plan = '') => {
      const clone = runner.clone(forge.url, main(), ['+SHA:refs/pipelines/1'], 1)
      return runner.onGitLab('plan:run', clone, {
        ...env,
        PLAN_TOKEN: gitlabToken,
        ...(plan === '' ? {} : { PLAN: plan }),
      })
    },
  }
}
