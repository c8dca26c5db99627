// Which repository on which forge an address is, and that no address makes a token go anywhere else.

import { describe, expect, test } from 'vitest'
import { forgeRepositoryOf, type Hosts } from '../../../../src/remote/forge/forge-repository.ts'

const own: Hosts = { 'git.example.com': { kind: 'gitlab' }, 'code.example.com:8443': { kind: 'gitea' } }
const shown = (url: string, hosts?: Hosts): string | undefined => {
  const forgeRepo = forgeRepositoryOf(url, hosts)
  return forgeRepo === undefined ? undefined : `${forgeRepo.kind} ${forgeRepo.owner} ${forgeRepo.name} ${forgeRepo.api}`
}

test.each([
  ['https://github.com/acme/widgets.git', 'github acme widgets https://api.github.com'],
  ['https://someone:secret@github.com/acme/widgets', 'github acme widgets https://api.github.com'],
  ['git@github.com:acme/widgets.git', 'github acme widgets https://api.github.com'],
  ['ssh://git@ssh.github.com:443/acme/widgets.git', 'github acme widgets https://api.github.com'],
  ['https://GitHub.com./acme/widgets/', 'github acme widgets https://api.github.com'],
  ['git@gitlab.com:acme/tools/widgets.git', 'gitlab acme/tools widgets https://gitlab.com/api/v4'],
  ['https://codeberg.org/acme/widgets', 'gitea acme widgets https://codeberg.org/api/v1'],
  ['ssh://git@git.example.com:2222/acme/widgets.git', 'gitlab acme widgets https://git.example.com/api/v4'],
  ['https://code.example.com:8443/acme/widgets', 'gitea acme widgets https://code.example.com:8443/api/v1'],
])('%s', (url, expected) => {
  expect(shown(url, own)).toBe(expected)
})

describe('no forge that is known', () => {
  test.each([
    'https://git.other.example/acme/widgets.git',
    'git@git.other.example:widgets.git',
    'https://github.com.other.example/acme/widgets',
    '/srv/git/widgets.git',
    '../widgets.git',
    'file:///srv/git/widgets.git',
    'C:\\widgets',
    'ext::sh -c "touch /tmp/x"',
    'https://constructor/acme/widgets',
    '',
  ])('%s', (url) => {
    expect(forgeRepositoryOf(url, own)).toBeUndefined()
  })
})

test.each([
  ['https://github.com/acme', {}, /does not name a repository/],
  ['https://github.com/acme/tools/widgets', {}, /does not name a repository/],
  ['https://github.com/acme/..', {}, /does not name a repository/],
  [
    'https://git.example.com/a/b',
    { 'git.example.com': { kind: 'gitlab', api: 'https://elsewhere.example/api/v4' } },
    /not on git\.example\.com/,
  ],
  [
    'https://git.example.com/a/b',
    { 'git.example.com': { kind: 'gitlab', api: 'http://git.example.com/api/v4' } },
    /plain HTTP/,
  ],
  [
    'https://git.example.com/a/b',
    { 'git.example.com': { kind: 'gitlab', api: 'https://x:y@git.example.com/api/v4' } },
    /is not a URL/,
  ],
] as const)('refused: %s', (url, hosts, message) => {
  expect(() => forgeRepositoryOf(url, hosts)).toThrow(message)
})
