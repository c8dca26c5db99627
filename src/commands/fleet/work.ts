// `git plan fleet work ADDRESS`: carries out what a server hints at, for all campaigns of one control repository. It takes
// nothing from a job but which target of which campaign: what is to be done there it reads itself from the campaign.

import { setTimeout as sleep } from 'node:timers/promises'
import { PlanError } from '../../errors.ts'
import { campaignsIn, Control } from '../../fleet/control.ts'
import { fleetHome } from '../../fleet/fleet-home.ts'
import { hostOf, gitLane, requestLane } from '../../fleet/lanes.ts'
import { namespaceOf, openDispatch } from '../../fleet/dispatch/open-dispatch.ts'
import { makeLook } from '../../fleet/look.ts'
import type { Dispatch, Hint, Lane, Look, Verdict } from '../../fleet/dispatch/port.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { planId, type PlanId } from '../../plan/model/ids.ts'
import { readApprovals } from './approve.ts'
import { addressOf } from './read-targets.ts'
import type { FleetCall } from './request.ts'
import { jobsOf, onTrouble } from './run.ts'

interface WorkData {
  /** How many looks ended in which way. */
  readonly looks: Readonly<Record<string, number>>
  readonly message: string
}

const usage = 'git plan fleet work redis://HOST:PORT --control ADDRESS'
/** New campaigns are begun with after this time. */
const askEveryMs = 5000

export async function workForServer(request: FleetCall, context: CommandContext): Promise<CommandResult<WorkData>> {
  const [engine, more] = request.words
  if (engine === undefined || request.control === undefined || more !== undefined)
    throw new PlanError('usage', 'name the server and the control repository', { hint: usage })
  if (request.campaign !== undefined)
    throw new PlanError('usage', '`work` works on all campaigns of the control repository: --campaign is not for it', {
      hint: usage,
    })
  const address = await addressOf(request.control, context)
  const width = jobsOf({ ...request, jobs: request.jobs ?? '4' })
  const dispatch = await openDispatch(engine, {
    now: () => context.now().getTime(),
    namespace: namespaceOf(address),
    onTrouble: onTrouble(context),
  })
  const campaigns = new Campaigns(address, context)
  const looks: Record<string, number> = {}
  const counted: Look = async (hint, stop) => {
    const verdict = await campaigns.look(hint, stop)
    looks[verdict.kind] = (looks[verdict.kind] ?? 0) + 1
    context.emit({
      kind: 'notice',
      message: `${hint.campaign} ${hint.target}: ${verdict.kind}${'why' in verdict ? `: ${verdict.why}` : ''}`,
    })
    return verdict
  }
  try {
    await serveAll({ dispatch, campaigns, look: counted, width, isDraining: request.drain === true }, context)
  } finally {
    await dispatch.close()
    campaigns.close()
  }
  const text = Object.entries(looks).map(([kind, count]) => `${count} ${kind}`)
  return {
    kind: 'worked',
    exitCode: 0,
    data: { looks, message: text.length === 0 ? 'No looks' : `Looks: ${text.join(', ')}` },
  }
}

interface Serving {
  readonly dispatch: Dispatch
  readonly campaigns: Campaigns
  readonly look: Look
  readonly width: number
  readonly isDraining: boolean
}

/** Serves the lanes of all campaigns, and those of campaigns that begin meanwhile. */
async function serveAll(
  { dispatch, campaigns, look, width, isDraining }: Serving,
  context: CommandContext,
): Promise<void> {
  const ended = new AbortController()
  const signal = AbortSignal.any([context.signal, ended.signal])
  const served = new Map<Lane, Promise<void>>()
  const failures: unknown[] = []
  try {
    for (let empty = 0; !signal.aborted && empty < mostEmpty;) {
      for (const lane of await campaigns.lanes())
        if (!served.has(lane))
          served.set(
            lane,
            dispatch.serve(lane, look, { width, signal }).catch((error: unknown) => {
              failures.push(error)
              ended.abort()
            }),
          )
      await sleep(isDraining ? drainEveryMs : askEveryMs, undefined, { signal }).catch(() => {})
      empty = isDraining && (await isEmpty(dispatch)) ? empty + 1 : 0
    }
  } finally {
    ended.abort()
    await Promise.all(served.values())
  }
  for (const failure of failures) throw failure
}

const drainEveryMs = 1000
/** For a job of a CI: it ends when nothing was left to do so many times in a row. */
const mostEmpty = 3

async function isEmpty(dispatch: Dispatch): Promise<boolean> {
  const census = await dispatch.census().catch(() => undefined)
  return census?.every(({ waiting, active, later }) => waiting + active + later === 0) === true
}

/** The campaigns of a control repository, each opened when it is first needed. */
class Campaigns {
  readonly #address: string
  readonly #context: CommandContext
  readonly #opened = new Map<PlanId, Promise<{ readonly control: Control; readonly look: Look }>>()
  readonly #controls = new Set<Control>()
  #known: readonly PlanId[] = []

  constructor(address: string, context: CommandContext) {
    this.#address = address
    this.#context = context
  }

  close(): void {
    for (const control of this.#controls) control.close()
  }

  /** The control repository may be unreachable for a while: the lanes that are known are served. */
  async lanes(): Promise<Set<Lane>> {
    const context = this.#context
    const lanes = new Set<Lane>()
    try {
      this.#known = await campaignsIn(this.#address, context)
      for (const id of this.#known) {
        const { control } = await this.#open(id)
        await control.refresh(context.now().getTime(), askEveryMs / 2)
        const state = await control.read()
        for (const { address } of state === undefined || state.isClosed ? [] : state.campaign.targets)
          for (const lane of [gitLane(hostOf(address)), requestLane(hostOf(address))]) lanes.add(lane)
      }
    } catch (error) {
      if (!(error instanceof PlanError)) throw error
      this.#context.emit({ kind: 'notice', message: error.message })
    }
    return lanes
  }

  async look(hint: Hint, signal: AbortSignal): Promise<Verdict> {
    // The name comes from a server that others may write to: only campaigns of the control repository are opened.
    const id = planId(hint.campaign)
    if (!this.#known.includes(id)) this.#known = await campaignsIn(this.#address, this.#context)
    if (!this.#known.includes(id)) return { kind: 'dropped', why: 'there is no such campaign' }
    const { look } = await this.#open(id)
    return look(hint, signal)
  }

  #open(id: PlanId): Promise<{ readonly control: Control; readonly look: Look }> {
    const known = this.#opened.get(id)
    if (known !== undefined) return known
    const opened = this.#make(id)
    this.#opened.set(id, opened)
    opened.catch(() => this.#opened.delete(id))
    return opened
  }

  async #make(id: PlanId): Promise<{ readonly control: Control; readonly look: Look }> {
    const { env } = this.#context
    const home = fleetHome(env, id)
    const control = await Control.open(id, { home, env, address: this.#address })
    this.#controls.add(control)
    const approvals = (): Promise<Set<string>> => readApprovals(home.approvals)
    return { control, look: makeLook({ control, home, env, now: () => this.#context.now(), approvals }) }
  }
}
