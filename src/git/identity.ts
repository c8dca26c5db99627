// Who commits, as commits have it.

import { PlanError } from '../errors.ts'
import type { GitConfig } from './git-config.ts'
import type { Repository } from './repository.ts'

type Role = 'AUTHOR' | 'COMMITTER'

/** `Name <mail> seconds zone`. Found out once; the time is that of the commit, unless the environment fixes it. Refuses where the user has no identity. */
export async function identityOf(repo: Repository, role: Role): Promise<string> {
  const found = await repo.once(`identity ${role}`, async () => (await plainIdentity(role, repo.git.env, repo.config)) ?? askIdentity(repo, role))
  const isFixed = (repo.git.env[`GIT_${role}_DATE`] ?? '') !== ''
  return isFixed ? found : found.replace(/ \d+ ([+-]\d{4})$/, ` ${Math.floor(Date.now() / 1000)} $1`)
}

async function askIdentity(repo: Repository, role: Role): Promise<string> {
  const answer = await repo.git.run(['var', `GIT_${role}_IDENT`], { ok: [0, 1, 128] })
  if (answer.code !== 0) throw /invalid date/i.test(answer.stderr) ? badDate(role, answer.stderr) : noIdentity(answer.stderr)
  return answer.stdout.toString().replace(/\n$/, '')
}

/** Git takes marks off both ends of a name, and some out of its middle: none of those here. */
const plainName = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._()+-]*[\p{L}\p{M}\p{N})])?$/u
const plainAddress = /^[A-Za-z0-9](?:[A-Za-z0-9._+@-]*[A-Za-z0-9])?$/

/** Where it is said plainly, by the environment or the configuration, in letters that git takes as they are. Undefined: git has to be asked. */
async function plainIdentity(role: Role, env: Readonly<Record<string, string>>, config: GitConfig): Promise<string | undefined> {
  // A date can be said in many ways, and so can a zone that is not that of this process.
  const isOwnZone = env['TZ'] === undefined || env['TZ'] === Intl.DateTimeFormat().resolvedOptions().timeZone
  if (env[`GIT_${role}_DATE`] !== undefined || !isOwnZone) return undefined
  const said = async (what: 'NAME' | 'EMAIL'): Promise<string | undefined> => {
    const [key, own] = [what.toLowerCase(), role.toLowerCase()]
    return env[`GIT_${role}_${what}`] ?? (await config.value(`${own}.${key}`)) ?? (await config.value(`user.${key}`))
  }
  const [name, address] = [await said('NAME'), await said('EMAIL')]
  if (name === undefined || address === undefined || !plainName.test(name) || !plainAddress.test(address)) return undefined
  const now = Date.now()
  return `${name} <${address}> ${Math.floor(now / 1000)} ${zoneAt(now)}`
}

function zoneAt(time: number): string {
  const minutes = -new Date(time).getTimezoneOffset()
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}${two(Math.abs(minutes) % 60)}`
}

function badDate(role: Role, stderr: string): PlanError {
  return new PlanError('usage', `GIT_${role}_DATE is no date that git can read: ${stderr.trim().replace(/^fatal: /, '')}`, { hint: `unset GIT_${role}_DATE` })
}

export function noIdentity(stderr: string): PlanError {
  return new PlanError('no-identity', 'git does not know who you are', {
    hint: 'git config user.name "Your Name" && git config user.email you@example.com',
    facts: { git: stderr.trim().split('\n')[0] },
  })
}
