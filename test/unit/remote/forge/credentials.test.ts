// Whose token is taken for which host. A token for one host is never taken for another.

import { expect, test } from 'vitest'
import { tokenFor } from '../../../../src/remote/forge/credentials.ts'
import type { ForgeKind } from '../../../../src/remote/forge/forge.ts'

const token = (kind: ForgeKind, host: string, env: Readonly<Record<string, string>>): Promise<string | undefined> =>
  tokenFor({ kind, host, owner: 'acme', name: 'widgets', api: `https://${host}/api` }, { env, home: '/nowhere' })

test.each<[string, ForgeKind, string, Record<string, string>, string | undefined]>([
  ['github.com', 'github', 'github.com', { GITHUB_TOKEN: 'a' }, 'a'],
  [
    'github.com, in its own workflow',
    'github',
    'github.com',
    { GITHUB_TOKEN: 'a', GITHUB_SERVER_URL: 'https://github.com' },
    'a',
  ],
  [
    'github.com, in a workflow of another host',
    'github',
    'github.com',
    { GITHUB_TOKEN: 'a', GITHUB_SERVER_URL: 'https://git.example.com' },
    undefined,
  ],
  ['a host of its own', 'github', 'git.example.com', { GITHUB_TOKEN: 'a' }, undefined],
  [
    'a host of its own, in its workflow',
    'github',
    'git.example.com',
    { GITHUB_TOKEN: 'a', GITHUB_SERVER_URL: 'https://git.example.com' },
    'a',
  ],
  [
    'a host of its own, in a workflow of github.com',
    'github',
    'git.example.com',
    { GITHUB_TOKEN: 'a', GITHUB_SERVER_URL: 'https://github.com' },
    undefined,
  ],
  ['GitHub Enterprise', 'github', 'git.example.com', { GH_ENTERPRISE_TOKEN: 'a', GH_HOST: 'git.example.com' }, 'a'],
  [
    'GitHub Enterprise, and nothing says which host it is for',
    'github',
    'git.example.com',
    { GH_ENTERPRISE_TOKEN: 'a' },
    undefined,
  ],
  [
    'GitHub Enterprise, for another host',
    'github',
    'git.example.com',
    { GH_ENTERPRISE_TOKEN: 'a', GH_HOST: 'other.example.com' },
    undefined,
  ],
  [
    'the variable of the host before all others',
    'github',
    'github.com',
    { GIT_PLAN_TOKEN_GITHUB_COM: 'a', GITHUB_TOKEN: 'b' },
    'a',
  ],
  ['GitLab', 'gitlab', 'gitlab.com', { GITLAB_TOKEN: 'a' }, 'a'],
  [
    'GitLab, in a job on another one',
    'gitlab',
    'gitlab.com',
    { GITLAB_TOKEN: 'a', CI_SERVER_URL: 'https://git.example.com' },
    undefined,
  ],
  [
    'GitLab on a port, in its own job',
    'gitlab',
    'git.example.com:8443',
    { GITLAB_TOKEN: 'a', CI_SERVER_HOST: 'git.example.com', CI_SERVER_URL: 'https://git.example.com:8443' },
    'a',
  ],
  ['what a repository calls a GitLab', 'gitlab', 'evil.example.com', { GITLAB_TOKEN: 'a' }, undefined],
  ['what a repository calls a Gitea', 'gitea', 'evil.example.com', { GITEA_TOKEN: 'a' }, undefined],
  [
    'a GitLab of its own',
    'gitlab',
    'git.example.com',
    { GITLAB_TOKEN: 'a', GITLAB_HOST: 'https://git.example.com/' },
    'a',
  ],
  [
    'a Gitea of its own',
    'gitea',
    'git.example.com',
    { GITEA_TOKEN: 'a', GITEA_SERVER_URL: 'https://git.example.com' },
    'a',
  ],
  ['Gitea', 'gitea', 'codeberg.org', { GITEA_TOKEN: ' a\n' }, 'a'],
  ['Gitea with the token of another', 'gitea', 'codeberg.org', { GITHUB_TOKEN: 'a', GITLAB_TOKEN: 'b' }, undefined],
])('%s', async (_, kind, host, env, expected) => {
  expect(await token(kind, host, env)).toBe(expected)
})
