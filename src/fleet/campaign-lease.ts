// One reconciler for a campaign: `refs/plan-lease/campaign-<id>` in the control repository, taken, renewed and released by
// pushes that expect its old value. Two reconcilers would do no harm; they would only repeat each other's work.

import { hostname } from 'node:os'
import { setInterval } from 'node:timers'
import { PlanError } from '../errors.ts'
import { runPorcelain } from '../git/command/porcelain.ts'
import { identityOf, livenessOf, type Identity } from '../process/identity.ts'
import { leaseIn } from '../store/lease-text.ts'
import type { Control } from './control.ts'

export class CampaignLease {
  readonly #control: Control
  readonly #now: () => Date
  readonly #lost: () => void
  readonly #timer: NodeJS.Timeout
  #oid: string
  #renewing: Promise<void> = Promise.resolve()

  private constructor(control: Control, oid: string, options: LeaseOptions) {
    this.#control = control
    this.#oid = oid
    this.#now = options.now
    this.#lost = options.onLost
    this.#timer = setInterval(() => {
      this.#renewing = this.#renewing.then(() => this.#renew(options.leaseMs))
    }, options.leaseMs / 3).unref()
  }

  static async take(control: Control, options: LeaseOptions): Promise<CampaignLease> {
    const there = await current(control)
    if (there !== undefined) {
      const text = await textOf(control, there)
      const held = leaseIn(text, options.now())
      if (held !== undefined && !(await isDeadHere(text)))
        throw new PlanError('held', `campaign ${control.id} is being run by ${held.holder}`, {
          hint: `git plan fleet status ${control.id}`,
          facts: { holder: held.holder, until: held.until.toISOString() },
        })
    }
    return new CampaignLease(control, await push(control, there, options), options)
  }

  async release(): Promise<void> {
    clearInterval(this.#timer)
    await this.#renewing
    const ref = refOf(this.#control)
    await runPorcelain(this.#control.repo.git, [
      'push',
      '--verbose',
      '--no-verify',
      `--force-with-lease=${ref}:${this.#oid}`,
      'origin',
      `:${ref}`,
    ]).catch(ignoreRefusal)
  }

  async #renew(leaseMs: number): Promise<void> {
    try {
      this.#oid = await push(this.#control, this.#oid, { leaseMs, now: this.#now })
    } catch (error) {
      ignoreRefusal(error)
      const there = await current(this.#control).catch(() => this.#oid)
      if (there !== this.#oid) this.#lost()
    }
  }
}

interface LeaseOptions {
  readonly leaseMs: number
  readonly now: () => Date
  readonly onLost: () => void
}

// A remote that is briefly unreachable is asked again; without the lease nothing is lost.
const ignoreRefusal = (error: unknown): void => {
  if (!(error instanceof PlanError)) throw error
}

const refOf = ({ id }: Control): string => `refs/plan-lease/campaign-${id}`

async function current(control: Control): Promise<string | undefined> {
  const listed = await control.repo.git.network(['ls-remote', 'origin', refOf(control)])
  return /^([0-9a-f]{40,64})\t/m.exec(listed)?.[1]
}

async function textOf(control: Control, oid: string): Promise<string> {
  const { repo } = control
  if ((await repo.resolve(oid, 'blob')) === undefined)
    await repo.git
      .network(['fetch', '--no-tags', '--no-write-fetch-head', 'origin', refOf(control)])
      .catch(ignoreRefusal)
  return (await repo.readBlob(oid))?.toString() ?? ''
}

/** The holder was a process of this machine that is gone. */
async function isDeadHere(text: string): Promise<boolean> {
  const identity = identityIn(text)
  return identity !== undefined && (await livenessOf(identity)) === 'dead'
}

function identityIn(text: string): Identity | undefined {
  const { process: holder } = JSON.parse(text.slice(0, 2000)) as {
    readonly process?: Partial<Record<keyof Identity, unknown>>
  }
  const { host, boot, namespace, pid, start } = holder ?? {}
  const isWhole =
    typeof host === 'string' && typeof boot === 'string' && typeof namespace === 'string' && typeof start === 'string'
  return isWhole && Number.isSafeInteger(pid) ? { host, boot, namespace, pid: Number(pid), start } : undefined
}

async function push(
  control: Control,
  from: string | undefined,
  { leaseMs, now }: Pick<LeaseOptions, 'leaseMs' | 'now'>,
): Promise<string> {
  const text = `${JSON.stringify({
    holder: `${hostname()}, process ${process.pid}`,
    run: `campaign-${control.id}`,
    until: new Date(now().getTime() + leaseMs).toISOString(),
    process: await identityOf(process.pid),
  })}\n`
  const oid = await control.repo.git.text(['hash-object', '-w', '--stdin'], { input: text, isUnnamed: true })
  const ref = refOf(control)
  try {
    await runPorcelain(control.repo.git, [
      'push',
      '--verbose',
      '--no-verify',
      `--force-with-lease=${ref}:${from ?? ''}`,
      'origin',
      `${oid}:${ref}`,
    ])
  } catch (error) {
    if (!(error instanceof PlanError) || !/stale info|fetch first|already exists|cannot lock ref/.test(error.message))
      throw error
    throw new PlanError('held', `another machine has just begun to run campaign ${control.id}`, {
      hint: `git plan fleet status ${control.id}`,
      cause: error,
    })
  }
  return oid
}
