// The policies in force: the current one, and those that the policy branch had since the plan's base.

import { ownerFiles } from '../approval/rules/owners.ts'
import type { Repository } from '../git/repository.ts'
import { defaultConfig, type PlanConfig } from '../plan/config/config.ts'
import { readConfig } from '../plan/config/read-config.ts'
import type { Oid } from '../plan/model/ids.ts'

export interface Policy {
  /** Object id of the configuration; `none` if there is none. */
  readonly blob: string
  readonly config: PlanConfig
  /** The ref that owners and signers are read from; undefined: there is no policy branch. */
  readonly ref: string | undefined
}

/** A policy with the time span in which it was in force. */
interface DatedPolicy extends Policy {
  readonly since: number
  readonly until: number
}

/** Clocks differ, and a new policy does not reach every clone at once. */
const toleranceMs = 15 * 60_000

export class Policies {
  readonly #repo: Repository
  readonly #dir: string
  readonly #current: Policy
  readonly #isCurrentOnly: boolean
  #past: Promise<readonly DatedPolicy[]> | undefined

  constructor(repo: Repository, options: { dir: string; current: Policy; isCurrentOnly?: boolean | undefined }) {
    this.#repo = repo
    this.#dir = options.dir
    this.#current = options.current
    this.#isCurrentOnly = options.isCurrentOnly === true
  }

  get current(): Policy {
    return this.#current
  }

  /**
   * The policy that an approval names; undefined if it was not in force at that time, so that no approval can be bound
   * to it. The dates of the policy branch since `base` decide: a forged branch can be backdated, but not before its
   * base.
   */
  async named(blob: string | undefined, base: Oid | undefined, at: string): Promise<Policy | undefined> {
    if (blob === this.#current.blob) return this.#current
    if (blob === undefined || this.#isCurrentOnly || this.#current.ref === undefined || base === undefined)
      return undefined
    this.#past ??= this.#since(base, this.#current.ref)
    const when = Date.parse(at)
    return (await this.#past).find(
      (each) => each.blob === blob && each.since - toleranceMs <= when && when <= each.until + toleranceMs,
    )
  }

  async #since(base: Oid, ref: string): Promise<DatedPolicy[]> {
    const tip = await this.#repo.resolve(ref)
    const from = tip === undefined ? undefined : await this.#repo.mergeBase(base, tip)
    if (tip === undefined || from === undefined) return []
    const file = `${this.#dir}/config.yml`
    // A policy is read with the signers and the owners of its time.
    const files = [file, `${this.#dir}/allowed_signers`, ...ownerFiles]
    const changed = await this.#repo.git.text(['rev-list', '--first-parent', `${from}..${tip}`, '--', ...files])
    const found: DatedPolicy[] = []
    // Newest first: each policy was in force until the one before it in this list.
    let until = Number.POSITIVE_INFINITY
    for (const commit of [...changed.split('\n').filter((line) => line !== ''), from]) {
      const since = commit === from ? 0 : (await this.#repo.readCommit(commit))!.committer.seconds * 1000
      const policy = await this.#at(commit, file)
      if (policy !== undefined) found.push({ ...policy, since, until })
      until = since
    }
    return found
  }

  async #at(commit: string, file: string): Promise<Policy | undefined> {
    const object = await this.#repo.readObject(`${commit}:${file}`)
    if (object?.type !== 'blob') return { blob: 'none', config: defaultConfig, ref: commit }
    const read = readConfig(object.bytes, file)
    return read.ok ? { blob: object.oid, config: read.config, ref: commit } : undefined
  }
}
