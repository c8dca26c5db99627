// The settings in force, each with its source: the user's git config, .plans/config.yml on the policy ref, or the
// default.

import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import {
  defaultConfig,
  defaultEntries,
  type ConfigEntry,
  type ConfigResult,
  type PlanConfig,
} from '../plan/config/config.ts'
import { pathProblem } from '../plan/text/repo-path.ts'
import { parseMessage } from '../plan/record/trailers.ts'
import { isId, localRefs, parseDuration, type PlanId } from '../plan/model/ids.ts'
import { longestLeaseMs, shortestLeaseMs } from '../store/lease-text.ts'
import { isRemoteName, remoteOf } from '../store/remote-name.ts'
import type { ViewSettings } from '../view/plan-view.ts'
import type { RunSettings } from '../engine/run/run.ts'
import { notifySetting, withoutSecrets, type NotifyEntries, type NotifySetting } from '../plan/config/notify.ts'
import { gitSettings } from './git-settings.ts'
import { protectedSetting } from './protected-branches.ts'

export interface SettingEntry extends ConfigEntry {
  /** `default`, `git config (local)`, `.plans/config.yml on refs/…`. */
  readonly source: string
}

export interface Settings {
  /** plan.dir */
  readonly dir: string
  /** plan.worktree */
  readonly worktree: boolean
  readonly worktreeDir: string | undefined
  /** plan.jobs */
  readonly jobs: number
  /** plan.lease */
  readonly leaseMs: number
  /** Commands of agents from git config and from the policy, by name. */
  readonly agents: Readonly<Record<string, string>>
  /**
   * A full ref, or the value of plan.policyRef; undefined if there is no policy to read, so that the defaults apply.
   */
  readonly policyRef: string | undefined
  /** True if the location of the policy is unknown. A policy may exist, so its requirements are unknown too. */
  readonly isPolicyUnknown: boolean
  /** The object id of the configuration; `none` if there is none. */
  readonly policyBlob: string
  readonly config: PlanConfig
  /** Of the policy and of git config; empty: nobody is notified. */
  readonly notify: readonly NotifySetting[]
  /** Of `notify`, what a command may use that only reads: the repository names no program and no address. */
  readonly notifyOfReader: readonly NotifySetting[]
  /** Keys of plan.notify in git config whose values are not valid. */
  readonly invalidNotify: readonly string[]
  readonly entries: readonly SettingEntry[]
}

export interface PolicySource {
  readonly ref: string | undefined
  readonly source: string
}

/** `source` overrides the policy ref that the repository implies: the hook on a server determines its own. */
export async function readSettings(repo: Repository, source?: PolicySource): Promise<Settings> {
  const configured = await gitConfig(repo)
  const valueOf = (name: keyof typeof gitSettings): Configured | undefined =>
    configured.get(gitSettings[name].key.toLowerCase())
  const dir = valueOf('dir')
  const worktree = valueOf('worktree')
  const worktreeDir = valueOf('worktreeDir')
  const directory = dir?.value ?? '.plans'
  const problem = pathProblem(directory)
  if (problem !== undefined)
    throw new PlanError('usage', `plan.dir in git config is ${JSON.stringify(directory)}: ${problem}`, {
      hint: 'git config plan.dir .plans',
    })
  const isWorktree = worktree === undefined ? false : boolOf(worktree.value)
  if (isWorktree === undefined)
    throw new PlanError(
      'usage',
      `plan.worktree in git config is ${JSON.stringify(worktree?.value)}: not true or false`,
      {
        hint: 'git config plan.worktree true',
      },
    )

  const jobs = jobsOf(valueOf('jobs')?.value ?? '1')
  if (jobs === undefined)
    throw new PlanError('usage', `plan.jobs in git config is ${JSON.stringify(valueOf('jobs')?.value)}: not a number`, {
      hint: 'git config plan.jobs 4',
    })

  const lease = valueOf('lease')?.value ?? '15m'
  const leaseMs = parseDuration(lease)
  if (leaseMs === undefined || leaseMs < shortestLeaseMs || leaseMs > longestLeaseMs)
    throw new PlanError('usage', `plan.lease in git config is ${JSON.stringify(lease)}: not a time from 10s to 1h`, {
      hint: 'git config plan.lease 15m',
    })

  const policy = source ?? (await policyOf(repo, valueOf('policyRef')))
  const file = `${directory}/config.yml`
  const read = await configAt(repo, policy.ref, file)
  const configEntries = new Map(
    read.entries.map((entry) => [
      entry.name,
      entry.name === 'notify' ? { ...entry, value: { ...withoutSecrets(read.config.notify) } } : entry,
    ]),
  )
  const own = await ownNotify(configured)
  const ofUser = await ownNotify(new Map([...configured].filter(([, { isOfRepository }]) => !isOfRepository)))
  const notify = notifySettings(read.config.notify, own.entries)
  const entries: SettingEntry[] = [
    { name: gitSettings.dir.key, value: directory, source: dir?.source ?? 'default' },
    { name: gitSettings.policyRef.key, value: policy.ref ?? null, source: policy.source },
    await protectedEntry(repo, [policy.ref, ...read.config.bases]),
    {
      name: gitSettings.remote.key,
      value: valueOf('remote')?.value ?? 'origin',
      source: valueOf('remote')?.source ?? 'default',
    },
    { name: gitSettings.worktree.key, value: isWorktree, source: worktree?.source ?? 'default' },
    { name: gitSettings.worktreeDir.key, value: worktreeDir?.value ?? null, source: worktreeDir?.source ?? 'default' },
    { name: gitSettings.jobs.key, value: jobs, source: valueOf('jobs')?.source ?? 'default' },
    { name: gitSettings.lease.key, value: lease, source: valueOf('lease')?.source ?? 'default' },
    {
      name: gitSettings.pager.key,
      value: boolOf(valueOf('pager')?.value ?? 'true') !== false,
      source: valueOf('pager')?.source ?? 'default',
    },
    ...(own.isSet ? [{ name: 'plan.notify', value: { ...withoutSecrets(own.entries) }, source: 'git config' }] : []),
    ...defaultEntries.map((entry) => {
      const given = configEntries.get(entry.name)
      return given === undefined ? { ...entry, source: 'default' } : { ...given, source: `${file} on ${policy.ref}` }
    }),
  ]
  return {
    dir: directory,
    worktree: isWorktree,
    worktreeDir: worktreeDir?.value,
    jobs,
    leaseMs,
    agents: { ...read.config.agents, ...(await agentCommands(repo)) },
    policyRef: policy.ref,
    isPolicyUnknown: policy.source === noneFound,
    policyBlob: read.blob,
    config: read.config,
    notify,
    notifyOfReader: [...notify.map(ofTerminal), ...notifySettings(ofUser.entries)],
    invalidNotify: own.invalid,
    entries,
  }
}

async function protectedEntry(repo: Repository, usual: readonly (string | undefined)[]): Promise<SettingEntry> {
  const named = await protectedSetting(repo)
  const names =
    named.length > 0
      ? named.map(({ value }) => value)
      : usual.flatMap((name) => (name === undefined ? [] : [shortBranchName(name)]))
  return {
    name: gitSettings.protected.key,
    value: [...new Set(names)],
    source: named.length > 0 ? `git config (${named.at(-1)?.scope})` : 'default',
  }
}

/** Returns the short name of a branch. */
const shortBranchName = (ref: string): string => ref.replace(/^refs\/(heads|remotes\/[^/]+)\//, '')

export const viewSettings = (settings: Settings): ViewSettings => ({
  staleAfterMs: settings.config.staleAfter,
  stalledAfterMs: settings.config.stalledAfter,
  policyRef: mergeRef(settings),
  signersRef: settings.policyRef,
  isFileDropped: settings.config.finish.planFile === 'drop',
  critical: settings.config.risk.critical,
  safety: settings.config.safety,
  approval: settings.config.approval,
  policyBlob: settings.policyBlob,
})

// Without a remote or a setting, the plan's base decides whether a plan is merged, not the branch that happens to be
// checked out.
const mergeRef = (settings: Settings): string | undefined =>
  settings.entries.some(
    (entry) =>
      entry.name === gitSettings.policyRef.key &&
      (entry.source.startsWith('git config') || entry.source.startsWith('remote')),
  )
    ? settings.policyRef
    : undefined

export const runSettings = (settings: Settings): RunSettings => ({
  dir: settings.dir,
  subject: settings.config.commit.subject,
  timeoutMs: settings.config.limits.timeout,
  planTimeoutMs: settings.config.limits.planTimeout,
  outputLimit: settings.config.limits.output,
  pauseEvery: settings.config.limits.pauseEvery,
  cache: settings.config.cache,
  automaticRollback: settings.config.rollback.automatic,
  secrets: settings.config.validation.secrets,
  syntax: settings.config.validation.syntax,
  worktree: settings.worktree,
  worktreeDir: settings.worktreeDir,
  agents: settings.agents,
})

interface Configured {
  readonly value: string
  readonly source: string
  readonly isOfRepository: boolean
}

const notifySettings = (...given: readonly NotifyEntries[]): NotifySetting[] =>
  given.filter((each) => Object.keys(each).length > 0).map(notifySetting)

const ofTerminal = ({ on, timeoutMs, bell, desktop }: NotifySetting): NotifySetting => ({
  on,
  timeoutMs,
  bell,
  desktop,
})

async function gitConfig(repo: Repository): Promise<Map<string, Configured>> {
  const entries = (await repo.config.entries()).filter(({ key }) => key.startsWith('plan.'))
  return new Map(
    entries.map(({ scope, key, value }) => [
      key.toLowerCase(),
      { value, source: `git config (${scope})`, isOfRepository: scope === 'local' || scope === 'worktree' },
    ]),
  )
}

const noNotify = { isSet: false, entries: {} as NotifyEntries, invalid: [] as readonly string[] }

/** `plan.notify.KEY` */
async function ownNotify(configured: ReadonlyMap<string, Configured>): Promise<typeof noNotify> {
  const values = [...configured].flatMap(([key, { value }]): [string, string][] =>
    key.startsWith('plan.notify.') ? [[key.slice('plan.notify.'.length), value]] : [],
  )
  if (values.length === 0) return noNotify
  const { readOwnNotify } = await import('../plan/config/read-notify.ts')
  return { isSet: true, ...readOwnNotify(new Map(values), boolOf) }
}

/** `plan.agent.NAME.run`; git config keeps the case of the name. */
async function agentCommands(repo: Repository): Promise<Record<string, string>> {
  const named = (await repo.config.entries()).flatMap(({ key, value }) => {
    const [, name] = /^plan\.agent\.(.+)\.run$/i.exec(key) ?? []
    return name === undefined || value === '' ? [] : [[name, value] as const]
  })
  return Object.fromEntries(named)
}

/** A number of steps that run at the same time; undefined: not such a number. */
export const jobsOf = (text: string): number | undefined => (/^\d{1,3}$/.test(text) ? Number(text) : undefined)

export function boolOf(text: string): boolean | undefined {
  const word = text.toLowerCase()
  if (['true', 'yes', 'on', '1'].includes(word)) return true
  return ['false', 'no', 'off', '0', ''].includes(word) ? false : undefined
}

const noneFound = 'none found'

async function policyOf(repo: Repository, configured: Configured | undefined): Promise<PolicySource> {
  if (configured !== undefined) {
    const name = configured.value
    const isSafe = name !== '' && !name.startsWith('-') && !/[\s:\0]/.test(name)
    // Unlike Git, a branch wins over a tag of the same name: a fetch of a plan's branch also fetches tags, and anybody
    // can push a tag called `main`.
    const names =
      name.startsWith('refs/') || name === 'HEAD' ? [name] : [`refs/heads/${name}`, `refs/remotes/${name}`, name]
    for (const ref of isSafe ? names : [])
      if ((await repo.resolve(ref)) !== undefined) return { ref, source: configured.source }
    throw new PlanError(
      'usage',
      `plan.policyRef in git config names ${JSON.stringify(name)}, which is not a commit here`,
      {
        hint: 'git config plan.policyRef refs/heads/main',
      },
    )
  }
  // A bare repository has no remote-tracking branches: its own default branch holds the policy, as for its hooks.
  const ofRemote = repo.isBare ? undefined : await policyOfRemote(repo)
  if (ofRemote !== undefined) return ofRemote
  const head = await repo.headAtOpen()
  // Never a plan's own branch or commit, since a plan must not write its own policy; a detached HEAD may be at one.
  if (head !== undefined && !head.startsWith('refs/heads/plan/')) {
    return (await repo.resolve('HEAD')) === undefined
      ? { ref: undefined, source: 'no commits' }
      : { ref: head, source: repo.isBare ? 'default branch' : 'checked out' }
  }
  const origin = head === undefined ? undefined : await branchAtStart(repo, head)
  if (origin !== undefined && (await repo.resolve(origin)) !== undefined)
    return { ref: origin, source: 'where the plan was started from' }
  for (const ref of ['refs/heads/main', 'refs/heads/master'])
    if ((await repo.resolve(ref)) !== undefined) return { ref, source: 'found' }
  return { ref: undefined, source: noneFound }
}

/** undefined: there is no remote. */
async function policyOfRemote(repo: Repository): Promise<PolicySource | undefined> {
  const remote = await remoteOf(repo)
  const target = isRemoteName(remote) ? await repo.remoteHead(remote) : undefined
  if (target !== undefined) return { ref: target, source: 'remote default branch' }
  // There is a remote, but its default branch is unknown here. The current branch, or one called main, need not hold
  // its policy.
  return (await repo.config.entries()).some(({ key }) => /^remote\..*\.url$/i.test(key))
    ? { ref: undefined, source: noneFound }
    : undefined
}

/** The branch that was checked out when the plan was started in this work tree. */
async function branchAtStart(repo: Repository, head: string): Promise<string | undefined> {
  const id = head.slice('refs/heads/plan/'.length)
  const commit = isId(id) ? await repo.readCommit(`${localRefs(id as PlanId)}origin`) : undefined
  const branch = commit === undefined ? undefined : parseMessage(commit.message).trailers.get('Plan-Head')
  return branch?.startsWith('refs/heads/') === true && !branch.startsWith('refs/heads/plan/') ? branch : undefined
}

/** The hint for a configuration in force that is not valid. */
export const correctionHint = (file: string, ref: string | undefined): string =>
  `correct it on ${ref?.replace(/^refs\/(heads|remotes)\//, '')}, then: git plan check ${file}`

async function configAt(
  repo: Repository,
  ref: string | undefined,
  file: string,
): Promise<Extract<ConfigResult, { ok: true }> & { readonly blob: string }> {
  const found = ref === undefined ? undefined : await repo.readObject(`${ref}:${file}`)
  if (found === undefined || found.type !== 'blob')
    return { ok: true, config: defaultConfig, entries: [], blob: 'none' }
  const { bytes, oid: blob } = found
  // Loaded on demand: most repositories have no configuration, and the guard runs at each tool call of an agent.
  const { readConfig } = await import('../plan/config/read-config.ts')
  const parsed = readConfig(bytes, file)
  if (parsed.ok) return { ...parsed, blob }
  const first = parsed.findings[0]
  throw new PlanError(
    'invalid-plan',
    `${file} on ${ref} is not valid: line ${first?.line ?? 1}: ${first?.message ?? ''}`,
    {
      hint: correctionHint(file, ref),
      facts: { findings: parsed.findings },
    },
  )
}
