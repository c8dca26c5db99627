// Ensures one writer across clones: a run with `--push` holds `refs/plan-lease/<id>` on the remote, for a quarter of an
// hour (`plan.lease`) at a time. The lease is a blob that names its holder and expiry. It is taken, renewed and released by pushes
// that name the expected old value, so that of two concurrent pushes one is refused.

import { hostname } from 'node:os'
import { noneIfTooLarge, PlanError } from '../errors.ts'
import { runPorcelain } from '../git/command/porcelain.ts'
import type { Repository } from '../git/repository.ts'
import type { PlanId } from '../plan/model/ids.ts'
import { fieldsIn, leaseIn, mostAheadMs, type LeaseHolder } from '../store/lease-text.ts'
import { PlanDir } from '../engine/workspace/plan-dir.ts'
import type { Run } from '../engine/run/run.ts'
import { remoteOf } from '../store/remote-name.ts'
import { leaseRef, remoteRefs } from './ask-remote.ts'
import { forgetHolder } from './remote-marks.ts'
import type { Fence } from './push.ts'
import type { WriteContext } from '../operation/with-run.ts'

/**
 * The leases that this clone pushed, so that it can resume at once after a kill: the local lock proves that nobody else
 * here holds the plan.
 */
const ownFile = 'lease.json'

export class Lease {
  readonly #writing: WriteContext
  readonly #remote: string
  readonly #timer: NodeJS.Timeout
  #oid: string
  #lost: PlanError | undefined
  #renewing: Promise<void> = Promise.resolve()

  private constructor(writing: WriteContext, remote: string, oid: string) {
    this.#writing = writing
    this.#remote = remote
    this.#oid = oid
    this.#timer = setInterval(() => {
      this.#renewing = this.#renewing.then(() => this.#renew())
    }, writing.settings.leaseMs / 3).unref()
  }

  /** Returns undefined if the server rejects such a ref. Then two runs only collide when they push the branch. */
  static async take(
    writing: WriteContext,
    { isTakeOver, again }: { readonly isTakeOver: boolean; readonly again: string },
  ): Promise<Lease | undefined> {
    const { run } = writing
    const remote = await remoteOf(run.home)
    const there = await remoteLease(run.home, run.id)
    await refuseHeldElsewhere(writing, { isTakeOver, there, again })
    try {
      const oid = await pushLease(writing, remote, there)
      await forgetHolder(run.home, run.id)
      return new Lease(writing, remote, oid)
    } catch (error) {
      if (!(error instanceof PlanError) || error.code !== 'git-failed') throw error
      run.world.emit({
        kind: 'notice',
        message: `${remote} rejects ${leaseRef(run.id)}, so other clones cannot see that this one runs the plan`,
      })
      return undefined
    }
  }

  get isLost(): boolean {
    return this.#lost !== undefined
  }

  /** Throws if another clone holds the lease by now: this process slept for too long, or the remote was unreachable. */
  check(): void {
    if (this.#lost !== undefined) throw this.#lost
  }

  /**
   * Runs a push of the plan that succeeds only while the lease is on the remote. The lease is not renewed meanwhile.
   */
  async during<T>(push: (fence: Fence) => Promise<T>): Promise<T> {
    const pushed = this.#renewing.then(() => push({ ref: leaseRef(this.#writing.run.id), oid: this.#oid }))
    this.#renewing = pushed.then(
      () => undefined,
      () => undefined,
    )
    return pushed.catch((error: unknown) => {
      if (error instanceof PlanError && error.code === 'held') this.#lost = error
      throw error
    })
  }

  async release(): Promise<void> {
    clearInterval(this.#timer)
    await this.#renewing
    const { run } = this.#writing
    const ref = leaseRef(run.id)
    const giveBack = [
      'push',
      '--verbose',
      '--no-verify',
      `--force-with-lease=${ref}:${this.#oid}`,
      this.#remote,
      `:${ref}`,
    ]
    try {
      await runPorcelain(run.home.git, giveBack)
    } catch (error) {
      // Another clone that took the lease over keeps it. One that could not be released expires, and is still known as
      // ours.
      if (error instanceof PlanError) return
      throw error
    }
    await run.dir.remove(ownFile)
  }

  /** Keeps the lease without this process: a driver works on a step, and comes back with another command. */
  async leave(until: Date): Promise<void> {
    clearInterval(this.#timer)
    await this.#renewing
    try {
      await pushLease(this.#writing, this.#remote, this.#oid, until)
    } catch (error) {
      // The next command of the driver finds out who has the plan.
      if (!(error instanceof PlanError)) throw error
    }
  }

  async #renew(): Promise<void> {
    try {
      this.#oid = await pushLease(this.#writing, this.#remote, this.#oid)
    } catch (error) {
      // A remote that is briefly unreachable is asked again; the next checkpoint finds out whether the plan can
      // continue.
      if (!(error instanceof PlanError) || error.code !== 'held') return
      // If the answer to our push was lost, the lease on the remote is ours without our knowing it.
      const { run } = this.#writing
      const there = await remoteLease(run.home, run.id).catch(() => undefined)
      if (there !== undefined && (await ownLeases(run.dir)).includes(there)) this.#oid = there
      else this.#lost = error
    }
  }
}

/** Runs before anything is recorded here. `isTakeOver`: the user says that the holder is gone. */
export async function refuseHeldElsewhere(
  { run, context }: WriteContext,
  {
    isTakeOver,
    there,
    again,
  }: { readonly isTakeOver: boolean; readonly there: string | undefined; readonly again: string },
): Promise<void> {
  if (there === undefined || isTakeOver || (await ownLeases(run.dir)).includes(there)) return
  const text = await leaseText(run.home, run.id, there)
  const held = leaseIn(text, context.now())
  if (held !== undefined) throw heldElsewhereError(run.id, held, again)
  // By the clock of this machine, which may be wrong.
  const { holder, until } = fieldsIn(text)
  if (holder !== '')
    run.world.emit({
      kind: 'notice',
      message: `the lease on ${run.id} of ${holder.slice(0, 200)}, in another clone, expired at ${until.slice(0, 30)}: taking over`,
    })
}

/** `again`: the command that was refused. */
export const heldElsewhereError = (id: PlanId, { holder, until }: LeaseHolder, again: string): PlanError =>
  new PlanError('held', `plan ${id} is being run by ${holder}, in another clone`, {
    hint: { 'see its progress': `git plan fetch ${id}`, 'take it over if it has died': `${again} --push --take-over` },
    facts: { holder, until: until.toISOString() },
  })

/** For readers: returns the text of the remote's lease unless it is this clone's own. */
export async function leaseTextOf(repo: Repository, id: PlanId, oid: string | undefined): Promise<string | undefined> {
  if (oid === undefined || (await ownLeases(new PlanDir(repo.commonDir, id))).includes(oid)) return undefined
  return (await leaseText(repo, id, oid)).slice(0, 2000)
}

/**
 * After a fetch: a lease of ours that is no longer on the remote cannot be released, and the fetch brought whatever
 * came after it.
 */
export async function forgetOwnLease(repo: Repository, id: PlanId, there: string | undefined): Promise<void> {
  const dir = new PlanDir(repo.commonDir, id)
  const own = await ownLeases(dir)
  if (own.length > 0 && !own.includes(there)) await dir.remove(ownFile)
}

/**
 * True if a pushing run of this clone was killed without releasing its lease: another clone may have taken the plan
 * over.
 */
export const wasKilledPushing = async ({ dir }: Run): Promise<boolean> => (await ownLeases(dir)).length > 0

const ownLeases = async (dir: PlanDir): Promise<readonly unknown[]> => {
  const own = (await dir.readJson(ownFile))?.value
  return Array.isArray(own) ? (own as readonly unknown[]) : []
}

const remoteLease = async (repo: Repository, id: PlanId): Promise<string | undefined> =>
  (await remoteRefs(repo, id)).lease

async function leaseText(repo: Repository, id: PlanId, oid: string): Promise<string> {
  // Fetched by name, since not every server serves objects by id. If another lease is there by now, a push that expects
  // this one is refused.
  if ((await repo.resolve(oid, 'blob')) === undefined)
    await runPorcelain(repo.git, [
      'fetch',
      '--verbose',
      '--no-tags',
      '--no-write-fetch-head',
      await remoteOf(repo),
      leaseRef(id),
    ]).catch((error: unknown) => {
      // It was released meanwhile.
      if (!(error instanceof PlanError) || !/couldn't find remote ref/.test(error.message)) throw error
    })
  return (await repo.readBlob(oid).catch(noneIfTooLarge))?.toString('utf8') ?? ''
}

/** Replaces the lease `from` by a new one of ours. */
async function pushLease(
  { run, settings, context }: WriteContext,
  remote: string,
  from: string | undefined,
  wanted?: Date,
): Promise<string> {
  const by = (await run.objects.committer()).replace(/ \d+ [+-]\d{4}$/, '')
  const now = context.now().getTime()
  const until = new Date(
    Math.min(wanted?.getTime() ?? now + settings.leaseMs, now + mostAheadMs - 60_000),
  ).toISOString()
  const text = `${JSON.stringify({ holder: `${by} on ${hostname()}, process ${process.pid}`, run: run.token, until })}\n`
  const oid = await run.home.git.text(['hash-object', '-w', '--stdin'], { input: text, isUnnamed: true })
  const ref = leaseRef(run.id)
  // Written before the push: a push that succeeds is ours even if this process dies before it learns of it.
  await run.dir.overwriteJson(ownFile, [oid, ...(await ownLeases(run.dir))].slice(0, 50))
  try {
    await runPorcelain(run.home.git, [
      'push',
      '--verbose',
      '--no-verify',
      `--force-with-lease=${ref}:${from ?? ''}`,
      remote,
      `${oid}:${ref}`,
    ])
  } catch (error) {
    if (!(error instanceof PlanError) || !/stale info|fetch first|already exists|cannot lock ref/.test(error.message))
      throw error
    // If the ref does not exist, Git may match a branch whose name ends with it. Then nobody holds a lease, and none
    // can be held.
    if ((await remoteLease(run.home, run.id)) === from)
      throw new PlanError('git-failed', error.message, { cause: error })
    throw new PlanError('held', `another clone has just started to run plan ${run.id}`, {
      hint: `git plan fetch ${run.id} && git plan status ${run.id}`,
      cause: error,
    })
  }
  return oid
}
