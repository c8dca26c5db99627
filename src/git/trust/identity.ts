// Who commits, as commits have it.

import { readFileSync } from 'node:fs'
import { PlanError } from '../../errors.ts'
import type { ConfigEntry, GitConfig } from '../command/git-config.ts'
import type { Repository } from '../repository.ts'

type Role = 'AUTHOR' | 'COMMITTER'

/**
 * `Name <mail> seconds zone`. Found out once; the time is that of the commit, unless the environment fixes it. Refuses
 * where the user has no identity.
 */
export async function identityOf(repo: Repository, role: Role): Promise<string> {
  const entries = await repo.config.entries()
  const known = found.get(entries) ?? new Map<Role, Promise<string>>()
  found.set(entries, known)
  const identity = known.get(role) ?? findOut(repo, role)
  known.set(role, identity)
  const isFixed = (repo.git.env[`GIT_${role}_DATE`] ?? '') !== ''
  return isFixed ? identity : (await identity).replace(/ \d+ ([+-]\d{4})$/, ` ${Math.floor(Date.now() / 1000)} $1`)
}

/** By the configuration that it comes from, which is another one on another branch, or in another work tree. */
const found = new WeakMap<readonly ConfigEntry[], Map<Role, Promise<string>>>()

const findOut = async (repo: Repository, role: Role): Promise<string> =>
  (await plainIdentity(role, repo.git.env, repo.config)) ?? askIdentity(repo, role)

async function askIdentity(repo: Repository, role: Role): Promise<string> {
  const answer = await repo.git.run(['var', `GIT_${role}_IDENT`], { ok: [0, 1, 128] })
  if (answer.code !== 0)
    throw /invalid date/i.test(answer.stderr) ? badDate(role, answer.stderr) : noIdentity(answer.stderr)
  return answer.stdout.toString().replace(/\n$/, '')
}

/** Git takes marks off both ends of a name, and some out of its middle: none of those here. */
const isPlainName = (name: string): boolean =>
  // Most names need no classes of Unicode, which take a millisecond to make.
  /^[A-Za-z0-9](?:[A-Za-z0-9 ._()+-]*[A-Za-z0-9)])?$/.test(name) ||
  /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._()+-]*[\p{L}\p{M}\p{N})])?$/u.test(name)
const plainAddress = /^[A-Za-z0-9](?:[A-Za-z0-9._+@-]*[A-Za-z0-9])?$/

/**
 * Where it is said plainly, by the environment or the configuration, in letters that git takes as they are. Undefined:
 * git has to be asked.
 */
async function plainIdentity(
  role: Role,
  env: Readonly<Record<string, string>>,
  config: GitConfig,
): Promise<string | undefined> {
  // A date can be said in many ways, and so can a zone.
  if (env[`GIT_${role}_DATE`] !== undefined || !isUtc(env['TZ'])) return undefined
  const said = async (what: 'NAME' | 'EMAIL'): Promise<string | undefined> => {
    const [key, own] = [what.toLowerCase(), role.toLowerCase()]
    return env[`GIT_${role}_${what}`] ?? (await config.value(`${own}.${key}`)) ?? (await config.value(`user.${key}`))
  }
  const [name, address] = [await said('NAME'), await said('EMAIL')]
  if (name === undefined || address === undefined || !isPlainName(name) || !plainAddress.test(address)) return undefined
  return `${name} <${address}> 0 +0000`
}

/**
 * The one zone that git and we cannot have different opinions on. Without TZ it is that of the file which every program
 * reads; without a file UTC.
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
