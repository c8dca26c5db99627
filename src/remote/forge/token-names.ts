// The environment variables that may hold a token, in order of precedence. A token for one host is never used for
// another.

import type { ForgeKind, ForgeRepository } from './forge.ts'

/** The naming scheme of Terraform: no two hosts get the same name. */
export const ownVariable = (host: string): string =>
  `GIT_PLAN_TOKEN_${host
    .toUpperCase()
    .replaceAll('-', '__')
    .replace(/[^A-Z0-9_]/g, '_')}`

interface Shared {
  readonly variables: readonly string[]
  /** If one of these is set, the token belongs only to the host that it names. The first one set is used. */
  readonly hostVariables: readonly string[]
  /**
   * The hosts of the token if none of them is set. A cloned repository can claim any host to be a forge, so no other
   * host gets it.
   */
  readonly hosts: readonly string[]
}

const shared: Readonly<Record<ForgeKind, readonly Shared[]>> = {
  github: [
    { variables: ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'], hostVariables: ['GH_HOST'], hosts: [] },
    { variables: ['GH_TOKEN', 'GITHUB_TOKEN'], hostVariables: ['GITHUB_SERVER_URL'], hosts: ['github.com'] },
  ],
  // CI_SERVER_URL includes the port, if there is one; CI_SERVER_HOST never does.
  gitlab: [
    {
      variables: ['GITLAB_TOKEN'],
      hostVariables: ['GITLAB_HOST', 'CI_SERVER_URL', 'CI_SERVER_HOST'],
      hosts: ['gitlab.com'],
    },
  ],
  gitea: [{ variables: ['GITEA_TOKEN'], hostVariables: ['GITEA_SERVER_URL'], hosts: ['gitea.com', 'codeberg.org'] }],
}

/** Returns the shared variables that may hold a token for this forge; `hostIn` reads a variable that names a host. */
export const sharedVariables = (
  { kind, host }: ForgeRepository,
  hostIn: (variable: string) => string | undefined = () => undefined,
): readonly string[] =>
  shared[kind].flatMap(({ variables, hostVariables, hosts }) => {
    const named = hostVariables.map((name) => hostIn(name)).find((each) => each !== undefined)
    return (named === undefined ? hosts : [named]).includes(host) ? variables : []
  })

const commands: Readonly<Record<ForgeKind, (host: string) => string>> = {
  github: (host) => `gh auth login --hostname ${host}`,
  gitlab: (host) => `glab auth login --hostname ${host}`,
  gitea: (host) => `tea login add --url https://${host}`,
}

const scopes: Readonly<Record<ForgeKind, string>> = {
  github:
    'repo and read:org (fine-grained: contents, pull requests and commit statuses, and members of the organization to read)',
  gitlab: 'api',
  gitea: 'write:repository, write:issue, read:user and read:organization',
}

/** The hint for a missing token: the required scopes, and where a token is searched. */
export function tokenAdvice(forgeRepo: ForgeRepository): string {
  const { kind, host } = forgeRepo
  const variables = [ownVariable(host), ...sharedVariables(forgeRepo)]
  return `set a token with ${scopes[kind]} in ${variables.join(' or ')}, store it with Git's credential helper, or run: ${commands[kind](host)}`
}
