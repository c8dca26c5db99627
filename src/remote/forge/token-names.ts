// The variables in which a token for a place may be, the first one that is set counts. A token for one host is never
// taken for another.

import type { ForgeKind, Place } from './forge.ts'

/** As Terraform does it: no two hosts have the same name. */
export const ownVariable = (host: string): string =>
  `GIT_PLAN_TOKEN_${host
    .toUpperCase()
    .replaceAll('-', '__')
    .replace(/[^A-Z0-9_]/g, '_')}`

interface Shared {
  readonly variables: readonly string[]
  /**
   * Where one of these is set, the token is for the host that it names, and for no other. The first that is set counts.
   */
  readonly hostVariables: readonly string[]
  /**
   * For whom it is where none of them is set. Which host is which forge a cloned repository can say, so no other host
   * gets it by that.
   */
  readonly hosts: readonly string[]
}

const shared: Readonly<Record<ForgeKind, readonly Shared[]>> = {
  github: [
    { variables: ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'], hostVariables: ['GH_HOST'], hosts: [] },
    { variables: ['GH_TOKEN', 'GITHUB_TOKEN'], hostVariables: ['GITHUB_SERVER_URL'], hosts: ['github.com'] },
  ],
  // The address has a port where it has one, the host never.
  gitlab: [
    {
      variables: ['GITLAB_TOKEN'],
      hostVariables: ['GITLAB_HOST', 'CI_SERVER_URL', 'CI_SERVER_HOST'],
      hosts: ['gitlab.com'],
    },
  ],
  gitea: [{ variables: ['GITEA_TOKEN'], hostVariables: ['GITEA_SERVER_URL'], hosts: ['gitea.com', 'codeberg.org'] }],
}

/** Where a token of theirs for this place may be; `hostIn` reads a variable that names a host. */
export const sharedVariables = (
  { kind, host }: Place,
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

/** For a hint: what a token needs, and where it is looked for. */
export function tokenAdvice(place: Place): string {
  const { kind, host } = place
  const variables = [ownVariable(host), ...sharedVariables(place)]
  return `set a token with ${scopes[kind]} in ${variables.join(' or ')}, store it with Git's credential helper, or run: ${commands[kind](host)}`
}
