// The reconciler: compares what the campaign wants with what the refs of the targets say, offers what is open to the
// engine, opens waves, and records in Git what has to outlive the engine. It can be killed at any line: the next one reads
// the same refs and goes on.

import { setTimeout as sleep } from 'node:timers/promises'
import { PlanError } from '../errors.ts'
import type { Environment } from '../process/environment.ts'
import type { Target } from './campaign.ts'
import { limitsOf } from './campaign.ts'
import type { CampaignState } from './campaign-state.ts'
import type { Control } from './control.ts'
import { nameOf, type Dispatch, type Hint, type Lane, type Look, type Verdict } from './dispatch/port.ts'
import type { FleetHome } from './fleet-home.ts'
import { hostOfLane, isRequestLane, tuningOf } from './lanes.ts'
import { oneLine } from './look.ts'
import { blocked, hintsOf, isOver, nextWave } from './next-work.ts'
import { overviewOf, type Known, type Overview, type TargetState } from './overview.ts'
import { noTip, Tips, type Tip } from './tips.ts'

export interface ReconcileParts {
  readonly control: Control
  readonly home: FleetHome
  readonly env: Environment
  readonly dispatch: Dispatch
  /** undefined: others do the work. */
  readonly look: Look | undefined
  /** Workers elsewhere answer too. */
  readonly hasOthers: boolean
  /** How many repositories this process works on at the same time. */
  readonly jobs: number
  readonly now: () => Date
  readonly signal: AbortSignal
  /** The aborted looks are those of this signal: the lease was lost, or the user has had enough. */
  readonly onChange: (campaign: CampaignState, overview: Overview, changed: TargetState | undefined) => void
  readonly pollMs?: number
}

export interface Reconciled {
  readonly campaign: CampaignState
  readonly overview: Overview
  /** Why it stopped with targets that are not done; null: there is nothing left to do. */
  readonly why: string | null
}

const usualPollMs = 3000
/** Answers of workers say whose refs to read; all that are open are read once in this time. */
const readAllMs = 30_000
const mostInVain = 2

export async function reconcile(parts: ReconcileParts): Promise<Reconciled> {
  const { control, home, env } = parts
  await control.refresh(parts.now().getTime())
  const { campaign } = await control.require()
  const tips = new Tips(home, campaign.plan, env)
  const stop = new AbortController()
  const reconciler = new Reconciler(parts, tips, AbortSignal.any([parts.signal, stop.signal]))
  try {
    return await reconciler.run()
  } finally {
    stop.abort()
    await reconciler.ended()
    await tips.close()
  }
}

class Reconciler {
  readonly #parts: ReconcileParts
  readonly #tips: Tips
  readonly #signal: AbortSignal
  readonly #known = new Map<string, Known>()
  readonly #serving = new Map<Lane, Promise<void>>()
  /** Fulfilled when the user wants to stop. */
  readonly #stopped: Promise<undefined>
  /** By the name of the hint: how often it was looked at in vain, at these tips of the campaign and of the plan. */
  readonly #vain = new Map<string, { readonly at: string; readonly times: number; readonly why: string }>()
  #readAllAt = 0
  #working = 0
  #wake: () => void = () => {}
  #failure: Error | undefined

  constructor(parts: ReconcileParts, tips: Tips, signal: AbortSignal) {
    this.#parts = parts
    this.#tips = tips
    this.#signal = signal
    this.#stopped = stopped(signal)
  }

  async ended(): Promise<void> {
    await Promise.allSettled(this.#serving.values())
  }

  async run(): Promise<Reconciled> {
    const { control, now, signal, onChange } = this.#parts
    let campaign = await control.require()
    await this.#readTips(campaign.campaign.targets)
    this.#readAllAt = now().getTime()
    campaign = await this.#retryRevised(campaign)
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure
      campaign = await this.#record(campaign)
      const overview = overviewOf(campaign, this.#known)
      onChange(campaign, overview, undefined)
      if (signal.aborted) return { campaign, overview, why: 'it was interrupted' }
      if (campaign.isClosed) return { campaign, overview, why: isOver(overview) ? null : 'the campaign is closed' }
      if (campaign.isPaused && this.#working === 0) return { campaign, overview, why: 'the campaign is paused' }
      const wanted = campaign.isPaused ? [] : hintsOf(campaign, overview)
      const vain = this.#vainOf(campaign, wanted)
      const hints = wanted.filter((hint) => !vain.has(hint))
      if (hints.length === 0 && !campaign.isPaused)
        return { campaign, overview, why: blocked(campaign, overview, new Set(vain.values())) }
      await this.#unlessStopped(this.#offer(campaign, hints))
      await this.#changed()
      await control.refresh(now().getTime(), this.#parts.look === undefined ? 0 : 1000)
      campaign = await control.require()
      if (this.#parts.hasOthers) await this.#hear(campaign, hints)
    }
  }

  /** The server of the engine may not answer, however long it is waited for. undefined: the user wants to stop. */
  #unlessStopped<T>(asked: Promise<T>): Promise<T | undefined> {
    return Promise.race([asked, this.#stopped])
  }

  /** What the workers answered, and what the refs say of it. */
  async #hear({ campaign }: CampaignState, hints: readonly Hint[]): Promise<void> {
    const { dispatch, now } = this.#parts
    const answers = ((await this.#unlessStopped(dispatch.answers())) ?? []).filter(
      ({ hint }) => hint.campaign === campaign.id,
    )
    const isTime = now().getTime() - this.#readAllAt >= readAllMs
    if (isTime) this.#readAllAt = now().getTime()
    const changed = new Set([
      ...answers.map(({ hint }) => hint.target),
      ...(isTime ? hints.map(({ target }) => target) : []),
    ])
    await this.#readTips(campaign.targets.filter(({ key }) => changed.has(key)))
    for (const { hint, verdict } of answers) {
      // That a plan is done, its refs say.
      if (verdict.kind === 'dropped') this.#noteVain(hint, verdict)
      const known = this.#known.get(hint.target)
      if (known === undefined || known.verdict?.state === 'running') continue
      // Of an answer nothing is believed but why nothing is to be done at this tip.
      const { tip } = known
      this.#know(hint.target, { tip, ...verdictAt(verdict, tip.tip) })
    }
  }

  /** What stopped with the text of an earlier epoch runs again with the new one. */
  async #retryRevised(campaign: CampaignState): Promise<CampaignState> {
    const { control, now } = this.#parts
    if (campaign.epoch === 1 || campaign.wave > 0 || campaign.approved === undefined || campaign.isClosed)
      return campaign
    const lines = overviewOf(campaign, this.#known)
      .targets.filter(({ state }) => ['failed', 'waiting', 'parked'].includes(state))
      .map(({ key, tip }) => [key, tip ?? ''] as const)
    if (lines.length === 0) return campaign
    return control.record(
      () => ({
        event: 'retried',
        subject: `Retried: ${lines.length} of ${campaign.campaign.title}`,
        lines,
      }),
      () => now().getTime(),
    )
  }

  /** Records what has to outlive the engine: waves that open, and what was given up. */
  async #record(before: CampaignState): Promise<CampaignState> {
    const { control, dispatch, now } = this.#parts
    const clock = (): number => now().getTime()
    let campaign = before
    const given = ((await this.#unlessStopped(dispatch.abandoned())) ?? []).filter(
      ({ hint }) => hint.campaign === control.id,
    )
    const runs = given.filter(({ hint }) => !isRequestLane(hint.lane))
    const requests = given.filter(({ hint }) => isRequestLane(hint.lane))
    if (runs.length > 0)
      campaign = await control.record(
        () => ({
          event: 'parked',
          subject: `Parked: ${runs.length} of ${before.campaign.title}`,
          lines: runs.map(({ hint, why }) => [hint.target, oneLine(why)] as const),
        }),
        clock,
      )
    // A plan that is parked does not run; one that could not be merged or withdrawn is asked about again by `landing`.
    if (requests.length > 0)
      campaign = await control.record(
        () => ({
          event: 'landed',
          subject: `Landed: ${requests.length} of ${before.campaign.title}`,
          lines: requests.map(
            ({ hint, why }) =>
              [hint.target, `${this.#known.get(hint.target)?.tip.tip ?? null} refused ${oneLine(why)}`] as const,
          ),
        }),
        clock,
      )
    if (given.length > 0) await dispatch.withdraw(given.map(({ hint }) => hint))
    const next = nextWave(campaign, overviewOf(campaign, this.#known))
    if (next === undefined) return campaign
    return control.record(
      (state) =>
        state === undefined || state.wave >= next
          ? undefined
          : { event: 'wave', subject: `Wave ${next}: ${before.campaign.title}`, value: String(next) },
      clock,
    )
  }

  #noteVain(hint: Hint, verdict: Verdict): void {
    const why = vainly(verdict)
    const vain = this.#vain.get(nameOf(hint))
    if (why !== undefined && vain !== undefined) this.#vain.set(nameOf(hint), { ...vain, times: vain.times + 1, why })
  }

  /** What was looked at in vain is looked at once more, and then not until something has changed: with the reasons. */
  #vainOf({ tip }: CampaignState, hints: readonly Hint[]): Map<Hint, string> {
    const vain = new Map<Hint, string>()
    for (const hint of hints) {
      const at = `${tip} ${this.#known.get(hint.target)?.tip.tip ?? ''}`
      const known = this.#vain.get(nameOf(hint))
      if (known?.at !== at) this.#vain.set(nameOf(hint), { at, times: 0, why: '' })
      else if (known.times >= mostInVain) vain.set(hint, known.why)
    }
    return vain
  }

  async #offer(campaign: CampaignState, hints: readonly Hint[]): Promise<void> {
    const { dispatch } = this.#parts
    for (const lane of new Set(hints.map((hint) => hint.lane))) {
      // Each time: a new epoch may have other limits, and a server that came back empty has none.
      await dispatch.tune(lane, tuningOf(lane, limitsOf(campaign.campaign, hostOfLane(lane))))
      if (!this.#serving.has(lane)) this.#serving.set(lane, this.#serve(lane))
    }
    await dispatch.offer(hints)
  }

  async #serve(lane: Lane): Promise<void> {
    const { dispatch, look, jobs } = this.#parts
    if (look === undefined) return
    await dispatch
      .serve(lane, (hint, signal) => this.#work(look, hint, signal), { width: jobs, signal: this.#signal })
      .catch((error: unknown) => this.#fail(error))
  }

  async #work(look: Look, hint: Hint, signal: AbortSignal): Promise<Verdict> {
    // The engine works on lanes one by one; this process has one number of jobs for all of them.
    while (this.#working >= this.#parts.jobs && !signal.aborted) await sleep(20)
    this.#working += 1
    const before = this.#known.get(hint.target)?.tip ?? noTip
    if (!isRequestLane(hint.lane))
      this.#know(hint.target, { tip: before, verdict: { state: 'running', tip: before.tip, line: null } })
    try {
      const verdict = await look(hint, signal)
      this.#noteVain(hint, verdict)
      await this.#learn(hint, verdict, before)
      return verdict
    } catch (error) {
      this.#know(hint.target, { tip: before })
      throw error
    } finally {
      this.#working -= 1
      this.#wake()
    }
  }

  /** What a look of this process found. */
  async #learn({ target: key }: Hint, verdict: Verdict, before: Tip): Promise<void> {
    if (verdict.kind !== 'settled') return this.#know(key, { tip: before, ...verdictAt(verdict, before.tip) })
    const { tip, status, step = null, line = null } = verdict
    const isMerged = status === 'completed' && verdict.isMerged === true
    this.#know(key, { tip: { tip, status: isMerged ? 'merged' : status, step, line }, ...verdictAt(verdict, tip) })
    if ((status !== 'failed' && status !== 'waiting') || step !== null) return
    // It was so before: the refs say which step.
    const { campaign } = await this.#parts.control.require()
    await this.#readTips(campaign.targets.filter((target) => target.key === key))
    this.#know(key, this.#known.get(key) ?? { tip: noTip })
  }

  #know(key: string, known: Known): void {
    this.#known.set(key, known)
    this.#tellChange(key).catch((error: unknown) => this.#fail(error))
  }

  async #tellChange(key: string): Promise<void> {
    const campaign = await this.#parts.control.read()
    if (campaign === undefined) return
    const overview = overviewOf(campaign, this.#known)
    const changed = overview.targets.find((each) => each.key === key)
    this.#parts.onChange(campaign, overview, changed)
  }

  #fail(error: unknown): void {
    this.#failure = error instanceof Error ? error : new Error(String(error))
    this.#wake()
  }

  async #readTips(targets: readonly Target[]): Promise<void> {
    await this.#tips.read(targets, (key, tip) => {
      const before = this.#known.get(key)
      if (before?.verdict?.state === 'running') return
      if (!(tip instanceof Error)) return void this.#known.set(key, { ...before, tip })
      if (!(tip instanceof PlanError)) throw tip
      // It may answer when its turn comes.
      if (before === undefined) this.#known.set(key, { tip: noTip })
    })
  }

  /** Resolves when a look has ended, the user wants to stop, or it is time to ask again. */
  async #changed(): Promise<void> {
    const wait = new AbortController()
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    const timer = sleep(this.#parts.pollMs ?? usualPollMs, undefined, {
      signal: AbortSignal.any([this.#signal, wait.signal]),
    }).catch(() => {})
    await Promise.race([woken, timer])
    wait.abort()
  }
}

const stopped = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })

/** Why nothing is to be done, for as long as the plan there has this tip. */
function verdictAt(verdict: Verdict, tip: string | null): Pick<Known, 'verdict'> {
  switch (verdict.kind) {
    case 'held':
      return { verdict: { state: 'held', tip, line: verdict.by } }
    case 'refused':
      return { verdict: { state: 'refused', tip, line: verdict.why } }
    case 'settled':
      return verdict.status === 'proposed'
        ? { verdict: { state: 'approval', tip: verdict.tip, line: verdict.line ?? null } }
        : {}
    default:
      return {}
  }
}

/** Why the look has changed nothing, if the refs say the same as before; undefined: it is to be repeated. */
function vainly(verdict: Verdict): string | undefined {
  if (verdict.kind === 'dropped') return verdict.isInterrupted === true ? undefined : verdict.why
  return verdict.kind === 'settled' ? `the plan is ${verdict.status}` : undefined
}
