// One writer across clones: who runs a plan with `--push` holds `refs/plan-lease/<id>` on the remote, for a quarter of
// an hour at a time. It is a blob that says who it is and until when; to take, renew and give it back are pushes that
// name what was there before, so that of two one is refused.

import { hostname } from 'node:os'
import { noneIfTooLarge, PlanError } from '../errors.ts'
import { runPorcelain } from '../git/command/porcelain.ts'
import type { Repository } from '../git/repository.ts'
import type { PlanId } from '../plan/model/ids.ts'
import { fieldsIn, leaseIn, leaseMs, type LeaseHolder } from '../store/lease-text.ts'
import { PlanDir } from '../engine/workspace/plan-dir.ts'
import type { Run } from '../engine/run/run.ts'
import { remoteOf } from '../store/remote-name.ts'
import { leaseRef, refsThere } from './ask-remote.ts'
import { forgetHolder } from './remote-marks.ts'
import type { Fence } from './push.ts'
import type { WriteContext } from '../operation/with-run.ts'

/**
 * What this clone has pushed, so that it can go on at once after it was killed: its own lock says that nobody else here
 * holds the plan.
 */
const ownFile = 'lease.json'

const renewEveryMs = 5 * 60_000

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
    }, renewEveryMs).unref()
  }

  /** undefined: the server takes no such ref. Then the branch itself is what two runs meet at. */
  static async take(
    writing: WriteContext,
    { isTaken, again }: { readonly isTaken: boolean; readonly again: string },
  ): Promise<Lease | undefined> {
    const { run } = writing
    const remote = await remoteOf(run.home)
    const there = await leaseThere(run.home, run.id)
    await refuseHeldElsewhere(writing, { isTaken, there, again })
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

  /** Throws where somebody else has it by now: this process slept for too long, or the remote was away. */
  check(): void {
    if (this.#lost !== undefined) throw this.#lost
  }

  /** A push of the plan, which goes through only while the lease is on the remote. It is not renewed meanwhile. */
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
      '--quiet',
      '--no-verify',
      `--force-with-lease=${ref}:${this.#oid}`,
      this.#remote,
      `:${ref}`,
    ]
    try {
      await runPorcelain(run.home.git, giveBack)
    } catch (error) {
      // A clone that has taken it over keeps it. One that could not be given back expires, and is still known as ours.
      if (error instanceof PlanError) return
      throw error
    }
    await run.dir.remove(ownFile)
  }

  async #renew(): Promise<void> {
    try {
      this.#oid = await pushLease(this.#writing, this.#remote, this.#oid)
    } catch (error) {
      // A remote that is away for a moment is asked again; whether the plan can go on, its checkpoints find out.
      if (!(error instanceof PlanError) || error.code !== 'held') return
      // An answer that was lost on its way leaves a lease of ours there that we do not know to be the one.
      const { run } = this.#writing
      const there = await leaseThere(run.home, run.id).catch(() => undefined)
      if (there !== undefined && (await ownLeases(run.dir)).includes(there)) this.#oid = there
      else this.#lost = error
    }
  }
}

/** Before anything is recorded here. `isTaken`: whoever holds it, the user says that it is gone. */
export async function refuseHeldElsewhere(
  { run, context }: WriteContext,
  { isTaken, there, again }: { readonly isTaken: boolean; readonly there: string | undefined; readonly again: string },
): Promise<void> {
  if (there === undefined || isTaken || (await ownLeases(run.dir)).includes(there)) return
  const text = await leaseText(run.home, run.id, there)
  const held = leaseIn(text, context.now())
  if (held !== undefined) throw heldElsewhere(run.id, held, again)
  // By the clock of this machine, which may be wrong.
  const { holder, until } = fieldsIn(text)
  if (holder !== '')
    run.world.emit({
      kind: 'notice',
      message: `the lease on ${run.id} of ${holder.slice(0, 200)}, in another clone, expired at ${until.slice(0, 30)}: taking over`,
    })
}

/** `again`: the command that was refused. */
export const heldElsewhere = (id: PlanId, { holder, until }: LeaseHolder, again: string): PlanError =>
  new PlanError('held', `plan ${id} is being run by ${holder}, in another clone`, {
    hint: { 'see its progress': `git plan fetch ${id}`, 'take it over if it has died': `${again} --push --take-over` },
    facts: { holder, until: until.toISOString() },
  })

/** For readers: what the lease there says, where it is not this clone's own. */
export async function leaseTextOf(repo: Repository, id: PlanId, oid: string | undefined): Promise<string | undefined> {
  if (oid === undefined || (await ownLeases(new PlanDir(repo.commonDir, id))).includes(oid)) return undefined
  return (await leaseText(repo, id, oid)).slice(0, 2000)
}

/** After a fetch: a lease of ours that is not there any more cannot be given back, and what came after it is here. */
export async function forgetOwnLease(repo: Repository, id: PlanId, there: string | undefined): Promise<void> {
  const dir = new PlanDir(repo.commonDir, id)
  const own = await ownLeases(dir)
  if (own.length > 0 && !own.includes(there)) await dir.remove(ownFile)
}

/**
 * A run of this clone that pushed was killed, and nobody has told the remote: another clone may have taken the plan
 * over.
 */
export const wasKilledPushing = async ({ dir }: Run): Promise<boolean> => (await ownLeases(dir)).length > 0

const ownLeases = async (dir: PlanDir): Promise<readonly unknown[]> => {
  const own = (await dir.readJson(ownFile))?.value
  return Array.isArray(own) ? (own as readonly unknown[]) : []
}

const leaseThere = async (repo: Repository, id: PlanId): Promise<string | undefined> =>
  (await refsThere(repo, id)).lease

async function leaseText(repo: Repository, id: PlanId, oid: string): Promise<string> {
  // By its name: not every server hands out what is asked for by id. Where another one is there by now, a push that
  // names this one is refused.
  if ((await repo.resolve(oid, 'blob')) === undefined)
    await runPorcelain(repo.git, [
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      await remoteOf(repo),
      leaseRef(id),
    ]).catch((error: unknown) => {
      // Given back since.
      if (!(error instanceof PlanError) || !/couldn't find remote ref/.test(error.message)) throw error
    })
  return (await repo.readBlob(oid).catch(noneIfTooLarge))?.toString('utf8') ?? ''
}

/** From what was there to a new one of ours. */
async function pushLease({ run, context }: WriteContext, remote: string, from: string | undefined): Promise<string> {
  const by = (await run.objects.committer()).replace(/ \d+ [+-]\d{4}$/, '')
  const until = new Date(context.now().getTime() + leaseMs).toISOString()
  const text = `${JSON.stringify({ holder: `${by} on ${hostname()}, process ${process.pid}`, run: run.token, until })}\n`
  const oid = await run.home.git.text(['hash-object', '-w', '--stdin'], { input: text, isUnnamed: true })
  const ref = leaseRef(run.id)
  // Before the push: one that went through is ours, also if nobody lives to be told.
  await run.dir.overwriteJson(ownFile, [oid, ...(await ownLeases(run.dir))].slice(0, 50))
  try {
    await runPorcelain(run.home.git, [
      'push',
      '--quiet',
      '--no-verify',
      `--force-with-lease=${ref}:${from ?? ''}`,
      remote,
      `${oid}:${ref}`,
    ])
  } catch (error) {
    if (!(error instanceof PlanError) || !/stale info|fetch first|already exists|cannot lock ref/.test(error.message))
      throw error
    // Git takes a branch whose name ends so for it, where it is not there itself: then nobody holds anything, and
    // nothing can be held.
    if ((await leaseThere(run.home, run.id)) === from)
      throw new PlanError('git-failed', error.message, { cause: error })
    throw new PlanError('held', `another clone has just started to run plan ${run.id}`, {
      hint: `git plan fetch ${run.id} && git plan status ${run.id}`,
      cause: error,
    })
  }
  return oid
}
