// The author and committer identity for new commits.

import { readFileSync } from 'node:fs'
import { PlanError } from '../../errors.ts'
import type { ConfigEntry, GitConfig } from '../command/git-config.ts'
import type { Repository } from '../repository.ts'

type Role = 'AUTHOR' | 'COMMITTER'

/**
 * `Name <mail> seconds zone`. The identity is determined once; the time is now, unless the environment fixes it. Throws
 * if the user has no identity.
 */
export async function identityOf(repo: Repository, role: Role): Promise<string> {
  const entries = await repo.config.entries()
  const known = identities.get(entries) ?? new Map<Role, Promise<string>>()
  identities.set(entries, known)
  const identity = known.get(role) ?? readIdentity(repo, role)
  known.set(role, identity)
  const isFixed = (repo.git.env[`GIT_${role}_DATE`] ?? '') !== ''
  return isFixed ? identity : (await identity).replace(/ \d+ ([+-]\d{4})$/, ` ${Math.floor(Date.now() / 1000)} $1`)
}

/** Keyed by the configuration that it comes from, which differs between branches and work trees. */
const identities = new WeakMap<readonly ConfigEntry[], Map<Role, Promise<string>>>()

const readIdentity = async (repo: Repository, role: Role): Promise<string> =>
  (await simpleIdentity(role, repo.git.env, repo.config)) ?? askIdentity(repo, role)

async function askIdentity(repo: Repository, role: Role): Promise<string> {
  const answer = await repo.git.run(['var', `GIT_${role}_IDENT`], { ok: [0, 1, 128] })
  if (answer.code !== 0)
    throw /invalid date/i.test(answer.stderr) ? badDate(role, answer.stderr) : noIdentity(answer.stderr)
  return answer.stdout.toString().replace(/\n$/, '')
}

/** Git strips certain characters from both ends of a name and some from its middle: a simple name has none of them. */
const isSimpleName = (name: string): boolean =>
  // Most names need no Unicode classes, which take a millisecond to compile.
  /^[A-Za-z0-9](?:[A-Za-z0-9 ._()+-]*[A-Za-z0-9)])?$/.test(name) ||
  /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._()+-]*[\p{L}\p{M}\p{N})])?$/u.test(name)
const simpleAddress = /^[A-Za-z0-9](?:[A-Za-z0-9._+@-]*[A-Za-z0-9])?$/

/**
 * The identity, if the environment or the configuration sets it in characters that Git uses unchanged. undefined: ask
 * Git.
 */
async function simpleIdentity(
  role: Role,
  env: Readonly<Record<string, string>>,
  config: GitConfig,
): Promise<string | undefined> {
  // Dates and time zones have many notations: leave them to Git.
  if (env[`GIT_${role}_DATE`] !== undefined || !isUtc(env['TZ'])) return undefined
  const setting = async (what: 'NAME' | 'EMAIL'): Promise<string | undefined> => {
    const [key, own] = [what.toLowerCase(), role.toLowerCase()]
    return env[`GIT_${role}_${what}`] ?? (await config.value(`${own}.${key}`)) ?? (await config.value(`user.${key}`))
  }
  const [name, address] = [await setting('NAME'), await setting('EMAIL')]
  if (name === undefined || address === undefined || !isSimpleName(name) || !simpleAddress.test(address))
    return undefined
  return `${name} <${address}> 0 +0000`
}

/**
 * UTC is the one zone on which Git and we cannot disagree. Without TZ the zone is that of /etc/localtime; without that
 * file it is UTC.
 */
function isUtc(zone: string | undefined): boolean {
  if (zone !== undefined) return zone === 'UTC'
  try {
    return readFileSync('/etc/localtime', 'latin1').endsWith('\nUTC0\n')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

function badDate(role: Role, stderr: string): PlanError {
  return new PlanError(
    'usage',
    `GIT_${role}_DATE is not a date that Git can parse: ${stderr.trim().replace(/^fatal: /, '')}`,
    {
      hint: `unset GIT_${role}_DATE`,
    },
  )
}

export function noIdentity(stderr: string): PlanError {
  return new PlanError('no-identity', 'Git does not know your name and email', {
    hint: 'git config user.name "Your Name" && git config user.email you@example.com',
    facts: { git: stderr.trim().split('\n')[0] },
  })
}
