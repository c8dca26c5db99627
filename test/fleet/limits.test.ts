// A thousand repositories on a forge with the limits that GitHub documents, on a clock that runs as fast as it can. What a
// repository costs is counted in test/e2e/fleet-forge.test.ts.

import { expect, test } from 'vitest'
import { Embedded } from '../../src/fleet/dispatch/embedded.ts'
import { usualOptions, type Hint, type Verdict } from '../../src/fleet/dispatch/port.ts'
import { gitLane, requestLane, tuningOf, usualLimits } from '../../src/fleet/lanes.ts'
import { requestsPerRepository } from '../helpers/forge-fleet.ts'
import { VirtualClock } from '../helpers/virtual-clock.ts'

const minute = 60_000
const hour = 60 * minute
const settled: Verdict = { kind: 'settled', tip: null, status: 'completed' }

/** https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api, for a user. */
const documented = [
  { most: 5000, perMs: hour, costs: () => 1 },
  { most: 900, perMs: minute, costs: (isChange: boolean) => (isChange ? 5 : 1) },
  { most: 80, perMs: minute, costs: (isChange: boolean) => (isChange ? 1 : 0) },
  { most: 500, perMs: hour, costs: (isChange: boolean) => (isChange ? 1 : 0) },
]

class Forge {
  refused = 0
  readonly #clock: VirtualClock
  readonly #taken = documented.map((): { at: number; cost: number }[] => [])

  constructor(clock: VirtualClock) {
    this.#clock = clock
  }

  /** When it may be asked again, if not now. */
  ask(isChange: boolean): Date | undefined {
    const now = this.#clock.now()
    const over = documented.flatMap(({ most, perMs, costs }, at) => {
      const taken = (this.#taken[at] = this.#taken[at]!.filter((each) => each.at > now - perMs))
      const sum = taken.reduce((total, { cost }) => total + cost, 0)
      return sum + costs(isChange) > most ? [taken[0]!.at + perMs] : []
    })
    if (over.length > 0) {
      this.refused += 1
      return new Date(Math.max(...over))
    }
    for (const [at, { costs }] of documented.entries()) this.#taken[at]!.push({ at: now, cost: costs(isChange) })
    return undefined
  }
}

/** How long a thousand repositories take with the usual limits. */
async function campaign(): Promise<{ ms: number; refused: number; done: number }> {
  const clock = new VirtualClock()
  const forge = new Forge(clock)
  const dispatch = new Embedded(usualOptions, clock.now, clock.sleep)
  const [git, request] = [gitLane('github.com'), requestLane('github.com')]
  for (const lane of [git, request]) await dispatch.tune(lane, tuningOf(lane, usualLimits('github.com')))
  const done = new Set<string>()
  const stop = new AbortController()
  const hint = (target: string, lane: string): Hint => ({ campaign: 'c', target, lane, epoch: 1, urgency: 'usual' })

  const asked = async ({ reads, changes }: { reads: number; changes: number }): Promise<Verdict | undefined> => {
    for (let at = 0; at < reads + changes; at += 1) {
      await clock.sleep(200)
      const until = forge.ask(at >= reads)
      if (until !== undefined) return { kind: 'limited', until }
    }
    return undefined
  }
  const serving = [
    dispatch.serve(
      git,
      async ({ target }) => {
        await clock.sleep(20_000)
        const limited = await asked(requestsPerRepository.git)
        if (limited === undefined) await dispatch.offer([hint(target, request)])
        return limited ?? settled
      },
      { width: 8, signal: stop.signal },
    ),
    dispatch.serve(
      request,
      async ({ target }) => {
        const limited = await asked(requestsPerRepository.request)
        if (limited === undefined) done.add(target)
        if (done.size === 1000) stop.abort()
        return limited ?? settled
      },
      { width: 8, signal: stop.signal },
    ),
  ]
  await dispatch.offer(Array.from({ length: 1000 }, (_, at) => hint(`t${at}`, git)))
  await clock.runUntil(() => stop.signal.aborted)
  await Promise.all(serving)
  return { ms: clock.now(), refused: forge.refused, done: done.size }
}

/** As long as the limits take for so many requests, at the rates that they allow. */
const allowed = Math.max(
  ...documented.map(({ most, perMs, costs }) => {
    const { git, request } = requestsPerRepository
    const [reads, changes] = [git.reads + request.reads, git.changes + request.changes]
    return ((1000 * (reads * costs(false) + changes * costs(true))) / most) * perMs
  }),
)

test('a thousand repositories: no request is refused, and they take 1.2 times as long as the limits allow', async () => {
  const { ms, refused, done } = await campaign()
  expect({ refused, done }).toEqual({ refused: 0, done: 1000 })
  expect(ms / allowed).toBeLessThan(1.2)
})
