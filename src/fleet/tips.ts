// How far each target is, as its refs say: the tip of the plan there, and the event that its commit records.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PlanError } from '../errors.ts'
import type { GitRunner } from '../git/command/runner.ts'
import { Repository } from '../git/repository.ts'
import type { Oid, PlanId } from '../plan/model/ids.ts'
import { finalRef, isOid, notesRef, planBranch } from '../plan/model/ids.ts'
import type { PlanEventName } from '../plan/model/lifecycle.ts'
import type { PlanStatus } from '../plan/model/plan.ts'
import { eventOf } from '../plan/record/trailers.ts'
import { gitEnvironment, type Environment } from '../process/environment.ts'
import { gitAt, initBare } from './control.ts'
import type { FleetHome } from './fleet-home.ts'
import { openServerRefs } from './server-refs.ts'

export interface Tip {
  /** null: there is no plan yet. */
  readonly tip: string | null
  /** null: it is not known yet what the tip records. */
  readonly status: PlanStatus | 'absent' | 'merged' | null
  readonly step: string | null
  /** The last line of the output of a failed step, or why it waits. */
  readonly line: string | null
}

interface MergedTarget {
  readonly key: string
  readonly address: string
  readonly base: string
}

export interface Merge {
  readonly oid: string
  /** It has two parents; otherwise the plan was squashed. */
  readonly isMerge: boolean
}

export const noTip: Tip = { tip: null, status: 'absent', step: null, line: null }

/** At most this many at the same time: a forge resets the connections of more. */
export const readersWide = 8

export class Tips {
  readonly #plan: PlanId
  readonly #home: FleetHome
  readonly #env: Environment
  readonly #git: GitRunner
  #askServer: ReturnType<typeof openServerRefs> | undefined
  /**
   * The commits of the tips. A fetch that leaves history out writes a file of its repository, so two at the same time need
   * two repositories: each reader has its own.
   */
  readonly #stores: (Promise<Repository> | undefined)[] = []

  constructor(home: FleetHome, plan: PlanId, env: Environment) {
    this.#plan = plan
    this.#home = home
    this.#env = env
    this.#git = gitAt(home.root, env)
  }

  async close(): Promise<void> {
    for (const store of this.#stores) (await store?.catch(() => undefined))?.close()
  }

  /** Asks the targets. `onTip` is called for each as it answers. */
  async read(
    targets: readonly { readonly key: string; readonly address: string }[],
    onTip: (key: string, tip: Tip | Error) => void,
  ): Promise<void> {
    const reader = async (store: number): Promise<void> => {
      for (const target of targets.filter(({ key }) => storeOf(key) === store))
        onTip(target.key, await this.#one(target).catch((error: unknown) => error as Error))
    }
    await Promise.all(Array.from({ length: readersWide }, (_, store) => reader(store)))
  }

  async #one({ key, address }: { readonly key: string; readonly address: string }): Promise<Tip> {
    const [branch, final] = [planBranch(this.#plan), finalRef(this.#plan)]
    this.#askServer ??= openServerRefs(this.#git, this.#env)
    const askServer = await this.#askServer
    const refs = (await askServer(address, [branch, final])) ?? (await this.#askGit(address, [branch, final]))
    const tip = refs.get(branch)
    const merged = refs.get(final)
    // A branch that goes on from there was reopened.
    if (merged !== undefined && (tip === undefined || tip === merged))
      return { tip: merged, status: 'merged', step: null, line: null }
    if (tip === undefined) return noTip
    const event = await this.#event(key, address, tip as Oid)
    const status = event === undefined ? null : statusAfter[event.event]
    if (status !== 'failed' && status !== 'waiting') return { tip, status, step: null, line: null }
    const line =
      (await this.#lastLineHere(key, tip)) ?? (await this.#lastLine(key, address, tip)) ?? event?.reason ?? null
    return { tip, status, step: event?.step ?? null, line }
  }

  async #askGit(address: string, names: readonly string[]): Promise<Map<string, string>> {
    const listed = await this.#git.network(['ls-remote', address, ...names])
    return new Map(
      listed.split('\n').flatMap((line): [string, string][] => {
        const [oid = '', name = ''] = line.split('\t')
        return isOid(oid) ? [[name, oid]] : []
      }),
    )
  }

  async #event(key: string, address: string, tip: Oid): Promise<ReturnType<typeof eventOf>> {
    // A commit without its files: a server that cannot leave them out sends them.
    const store = await this.#store(key)
    if ((await store.resolve(tip)) === undefined)
      await this.#bring(key, address, `+${planBranch(this.#plan)}:refs/tips/${key}`)
    const commit = await store.readCommit(tip).catch(() => undefined)
    return commit === undefined ? undefined : eventOf(commit.message)
  }

  /** The output of the step, if it ran on this machine. */
  async #lastLineHere(key: string, tip: string): Promise<string | undefined> {
    const clone = join(this.#home.target(key), 'repository')
    return existsSync(clone) ? outputAt(gitAt(clone, this.#env), notesRef(this.#plan), tip) : undefined
  }

  async #lastLine(key: string, address: string, tip: string): Promise<string | undefined> {
    const ref = `refs/notes/output-${key}`
    await this.#bring(key, address, `+${notesRef(this.#plan)}:${ref}`).catch(ignoreRefusal)
    return outputAt((await this.#store(key)).git, ref, tip)
  }

  async #bring(key: string, address: string, spec: string, history: 'tip' | 'all' = 'tip'): Promise<void> {
    // The remote has no name in the configuration: thousands of them would make every command slow.
    const remote = `t-${key}`
    const settings = { url: address, promisor: 'true', partialclonefilter: 'tree:0' }
    const store = await this.#store(key)
    await store.git.network(
      [
        'fetch',
        ...(history === 'tip' ? ['--depth=1'] : []),
        '--no-tags',
        '--no-write-fetch-head',
        '--quiet',
        '--filter=tree:0',
        remote,
        spec,
      ],
      Object.fromEntries(Object.entries(settings).map(([name, value]) => [`remote.${remote}.${name}`, value])),
    )
  }

  /** The commit with which the plan became part of its base there; undefined: it cannot be told. */
  async mergeOf({ key, address, base }: MergedTarget, final: string): Promise<Merge | undefined> {
    const ref = `refs/bases/${key}`
    await this.#bring(key, address, `+refs/heads/${base}:${ref}`, 'all')
    const { git } = await this.#store(key)
    const log = await git.text(['log', '-z', '--first-parent', '--format=%H%x00%P%x00%T%x00%B', ref])
    const fields = log.split('\0')
    const squashes: { oid: string; tree: string }[] = []
    for (let at = 0; at + 3 < fields.length; at += 4) {
      const [oid = '', parents = '', tree = '', message = ''] = fields.slice(at)
      const [, ...more] = parents.split(' ')
      if (oid === final) return undefined
      if (more.includes(final)) return { oid, isMerge: true }
      const event = more.length === 0 && parents !== '' ? eventOf(message) : undefined
      if (event?.event === 'completed' && event.plan === this.#plan) squashes.push({ oid, tree })
    }
    // Anybody can write such a message: it is the one with the result of the plan, or the only one.
    const result = (await git.text(['rev-parse', `${final}^{tree}`])).trim()
    const { oid } =
      squashes.find(({ tree }) => tree === result) ?? (squashes.length === 1 ? squashes[0] : undefined) ?? {}
    return oid === undefined ? undefined : { oid, isMerge: false }
  }

  #store(key: string): Promise<Repository> {
    const number = storeOf(key)
    const opened = this.#stores[number] ?? this.#open(join(this.#home.tips, `${number}.git`))
    this.#stores[number] = opened
    return opened
  }

  async #open(directory: string): Promise<Repository> {
    if (!existsSync(directory)) await initBare(this.#git, directory)
    return Repository.openStore({ cwd: directory, env: gitEnvironment(this.#env) })
  }
}

const storeOf = (key: string): number => Number.parseInt(key.slice(0, 4), 16) % readersWide

async function outputAt(git: GitRunner, ref: string, commit: string): Promise<string | undefined> {
  const note = await git.run(['notes', `--ref=${ref}`, 'show', commit], { ok: [0, 1, 128] })
  return note.code === 0 ? lastLineOf(note.stdout.toString()) : undefined
}

const ignoreRefusal = (error: unknown): void => {
  if (!(error instanceof PlanError)) throw error
}

export const lastLineOf = (text: string): string | undefined =>
  text
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '')
    ?.slice(0, 200)

/** The status that the plan has after the event, as far as the commit alone tells. */
const statusAfter: Readonly<Record<PlanEventName, PlanStatus>> = {
  proposed: 'proposed',
  rebased: 'proposed',
  replanned: 'proposed',
  approved: 'approved',
  rejected: 'rejected',
  baseline: 'active',
  step: 'active',
  skipped: 'active',
  declared: 'active',
  fixed: 'active',
  waiting: 'waiting',
  failed: 'failed',
  completed: 'completed',
  cancelled: 'cancelled',
}
