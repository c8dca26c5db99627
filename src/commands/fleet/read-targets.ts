// The targets of a campaign: from a file with one address per line, a directory of clones, or an owner on a forge.

import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isAddress, withoutPassword } from '../../approval/rules/campaign-proof.ts'
import { PlanError } from '../../errors.ts'
import { gitAt } from '../../fleet/control.ts'
import { readersWide } from '../../fleet/tips.ts'
import { credentialHelpers } from '../../git/command/credential.ts'
import { tokenFor } from '../../remote/forge/credentials.ts'
import { forgeRepositoryOf } from '../../remote/forge/forge-repository.ts'
import { listRepositories } from '../../remote/forge/list-repositories.ts'
import type { CommandContext } from '../../operation/context.ts'

export interface ListedTarget {
  readonly address: string
  /** `NAME=VALUE` */
  readonly params: readonly string[]
}

export interface FoundTarget extends ListedTarget {
  /** The default branch. */
  readonly base: string
}

const maxTargets = 20_000

export async function readTargets(name: string, context: CommandContext): Promise<ListedTarget[]> {
  const path = resolve(context.cwd, name)
  const owner = /^https?:\/\//.test(name) && URL.canParse(name) ? new URL(name) : undefined
  const facts = await stat(path).catch(() => undefined)
  const found =
    owner !== undefined
      ? await fromForge(owner, context)
      : facts === undefined
        ? refuse(`there is no file or directory ${name}`)
        : facts.isDirectory()
          ? await fromDirectory(path, context)
          : await fromFile(path, context)
  if (found.length === 0) refuse(`${name} names no repositories`)
  if (found.length > maxTargets) refuse(`${name} names ${found.length} repositories; at most ${maxTargets} are taken`)
  const twice = found.find(({ address }, at) => found.findIndex((each) => each.address === address) < at)
  if (twice !== undefined) refuse(`${name} names ${twice.address} twice`)
  return found
}

const refuse = (message: string): never => {
  throw new PlanError('usage', message, { hint: 'git plan fleet run REPOSITORIES.txt PLAN.md' })
}

const forgeKinds = ['github', 'gitlab', 'gitea'] as const

/** `https://HOST/OWNER`, with `topic=`, `kind=` for a forge of one's own, and `ssh=1` for addresses of SSH. */
async function fromForge(url: URL, context: CommandContext): Promise<ListedTarget[]> {
  const { searchParams: query } = url
  const unknown = [...query.keys()].find((key) => !['topic', 'kind', 'ssh'].includes(key))
  if (unknown !== undefined) refuse(`${JSON.stringify(unknown)} is not topic, kind or ssh`)
  const kind = forgeKinds.find((each) => each === query.get('kind'))
  const owner = url.pathname.replace(/^\/+|\/+$/g, '')
  const at = forgeRepositoryOf(`${url.origin}/${owner}/any`, kind === undefined ? {} : { [url.host]: { kind } })
  if (at === undefined || owner === '')
    return refuse(`${url.href} is not the owner of repositories on a known forge: https://HOST/OWNER?kind=gitlab`)
  const token = await tokenFor(at, {
    env: context.env,
    gitCredential: credentialHelpers({ env: context.env }),
    home: context.env['HOME'] ?? '/',
  })
  const topic = query.get('topic') ?? undefined
  const found = await listRepositories(at, { token, topic, clock: () => context.now(), signal: context.signal })
  return found.map(({ https, ssh }) => ({ address: query.has('ssh') ? ssh : https, params: [] }))
}

/** A line: an address, and values of parameters for it. What follows a `#` is a comment. */
async function fromFile(path: string, context: CommandContext): Promise<ListedTarget[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').map((line) => line.replace(/(^|\s)#.*$/, '').trim())
  return Promise.all(
    lines
      .filter((line) => line !== '')
      .map(async (line) => {
        const [given = '', ...params] = line.split(/\s+/)
        const wrong = params.find((each) => !/^[A-Za-z][\w-]*=/.test(each))
        if (wrong !== undefined) refuse(`${given}: ${JSON.stringify(wrong)} is not NAME=VALUE`)
        return { address: await addressOf(given, context), params }
      }),
  )
}

/** Of each clone in the directory, where it was cloned from. */
async function fromDirectory(path: string, context: CommandContext): Promise<ListedTarget[]> {
  const found: ListedTarget[] = []
  for (const name of (await readdir(path)).toSorted()) {
    const directory = join(path, name)
    const isClone = [join(directory, '.git'), join(directory, 'HEAD')].map((each) => stat(each).catch(() => undefined))
    if ((await Promise.all(isClone)).every((each) => each === undefined)) continue
    const url = await gitAt(directory, context.env).run(['config', '--get', 'remote.origin.url'], { ok: [0, 1] })
    const remote = url.stdout.toString().trim()
    found.push({
      address: await addressOf(remote === '' ? directory : remote, { ...context, cwd: directory }),
      params: [],
    })
  }
  return found
}

/** A path becomes absolute: workers start elsewhere. */
export async function addressOf(named: string, { cwd }: Pick<CommandContext, 'cwd'>): Promise<string> {
  const given = withoutPassword(named)
  if (isAddress(given) && !given.startsWith('/')) return given
  const path = await realpath(resolve(cwd, given)).catch(() => undefined)
  if (path !== undefined && isAddress(path)) return path
  return refuse(`${JSON.stringify(given.slice(0, 200))} is not the address of a repository`)
}

/** Asks each repository for its default branch. */
export async function findBases(targets: readonly ListedTarget[], context: CommandContext): Promise<FoundTarget[]> {
  const git = gitAt(context.cwd, context.env)
  const found = new Map<string, FoundTarget>()
  const left = [...targets]
  const reader = async (): Promise<void> => {
    for (let target = left.shift(); target !== undefined; target = left.shift()) {
      const answer = await git.network(['ls-remote', '--symref', target.address, 'HEAD'])
      const base = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(answer)?.[1]
      if (base === undefined) refuse(`${target.address} has no default branch: it has no commits`)
      else found.set(target.address, { ...target, base })
    }
  }
  await Promise.all(Array.from({ length: readersWide }, reader))
  return targets.flatMap(({ address }) => found.get(address) ?? [])
}
