// What every engine behind the port keeps, with a look that is made up. test/fleet/embedded.test.ts runs it in memory;
// npm run test:fleet also on Redis and PostgreSQL.

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { Dispatch, Hint, Lane, Look, Verdict } from '../../src/fleet/dispatch/port.ts'

const settled: Verdict = { kind: 'settled', tip: null, status: 'completed' }

interface Bench {
  readonly dispatch: Dispatch
  readonly lane: Lane
  readonly campaign: string
  readonly hint: (target: string, more?: Partial<Hint>) => Hint
  /** Serves a lane until the test ends. */
  readonly serve: (look: Look, options?: { width?: number; lane?: Lane; dispatch?: Dispatch }) => AbortController
  /** Another worker, on the same engine. */
  readonly another: () => Promise<Dispatch>
}

/** `open`: a connection to the engine. `flush`: the engine forgets everything, if it can without its process. */
export function contract(name: string, open: () => Promise<Dispatch>, flush?: () => Promise<void>): void {
  describe(`${name} keeps the contract of the port`, () => {
    let cleanups: (() => Promise<void>)[] = []
    afterEach(async () => {
      for (const cleanup of cleanups.toReversed()) await cleanup()
      cleanups = []
    })

    async function bench(): Promise<Bench> {
      const id = randomBytes(6).toString('hex')
      const connect = async (): Promise<Dispatch> => {
        const dispatch = await open()
        cleanups.push(() => dispatch.close())
        return dispatch
      }
      const dispatch = await connect()
      const lane = `h${id}`
      const campaign = `c${id}`
      return {
        dispatch,
        lane,
        campaign,
        hint: (target, more = {}) => ({ campaign, target, lane, epoch: 1, urgency: 'usual', ...more }),
        serve: (look, { width = 4, lane: of = lane, dispatch: by = dispatch } = {}) => {
          const stop = new AbortController()
          const served = by.serve(of, look, { width, signal: stop.signal })
          cleanups.push(async () => {
            stop.abort()
            await served
          })
          return stop
        },
        another: connect,
      }
    }

    test('offered twice, looked at once; offered again after that, once more', async () => {
      const { dispatch, hint, serve } = await bench()
      const looks = new Looks(() => settled)
      await dispatch.offer([hint('a'), hint('b'), hint('a')])
      await dispatch.offer([hint('a')])
      serve(looks.look)
      await looks.count(2)
      await sleep(100)
      expect(looks.targets.toSorted()).toEqual(['a', 'b'])
      await until(() => dispatch.offer([hint('a')]).then(() => looks.targets.length >= 3))
    })

    test('what is being looked at is not looked at a second time', async () => {
      const { dispatch, hint, serve } = await bench()
      const gate = new Gate()
      const looks = new Looks(async () => (await gate.opened, settled))
      serve(looks.look)
      await dispatch.offer([hint('a')])
      await looks.count(1)
      await dispatch.offer([hint('a')])
      await sleep(100)
      expect(looks.targets).toEqual(['a'])
      gate.open()
    })

    test('held: looked at again, and not before its time', async () => {
      const { dispatch, hint, serve } = await bench()
      const end = Date.now() + 400
      const looks = new Looks((_, number) =>
        number === 1 ? { kind: 'held', until: new Date(end), by: 'somebody' } : settled,
      )
      serve(looks.look)
      await dispatch.offer([hint('a')])
      await looks.count(2)
      expect(looks.times[1]).toBeGreaterThanOrEqual(end)
    })

    test('limited: its lane waits, and no other', async () => {
      const { dispatch, hint, serve, lane } = await bench()
      const end = Date.now() + 600
      const looks = new Looks((_, number) => (number === 1 ? { kind: 'limited', until: new Date(end) } : settled))
      const others = new Looks(() => settled)
      serve(looks.look, { width: 1 })
      serve(others.look, { lane: `${lane}x` })
      await dispatch.offer([hint('a'), hint('b')])
      await looks.count(1)
      await dispatch.offer([hint('c', { lane: `${lane}x` })])
      await others.count(1)
      expect(looks.targets).toHaveLength(1)
      await looks.count(3)
      for (const at of looks.times.slice(1)) expect(at).toBeGreaterThanOrEqual(end)
    })

    test('a rate is kept over its window', async () => {
      const { dispatch, hint, serve, lane } = await bench()
      await dispatch.tune(lane, { rate: { most: 3, perMs: 2000 } })
      const looks = new Looks(() => settled)
      serve(looks.look)
      await dispatch.offer(['a', 'b', 'c', 'd', 'e'].map((target) => hint(target)))
      await looks.count(5)
      // The window begins when the first is taken, which may be told late on a busy machine.
      expect(looks.times[3]! - looks.times[0]!).toBeGreaterThanOrEqual(1000)
    })

    test('a width is kept over all workers', async () => {
      const { dispatch, hint, serve, lane, another } = await bench()
      await dispatch.tune(lane, { width: 2 })
      let [active, most] = [0, 0]
      const looks = new Looks(async () => {
        active += 1
        most = Math.max(most, active)
        await sleep(30)
        active -= 1
        return settled
      })
      serve(looks.look, { width: 3 })
      serve(looks.look, { width: 3, dispatch: name === 'embedded' ? dispatch : await another() })
      await dispatch.offer(Array.from({ length: 8 }, (_, at) => hint(`t${at}`)))
      await looks.count(8)
      expect(most).toBeLessThanOrEqual(2)
    })

    test('a width can be changed and removed', async () => {
      const { dispatch, hint, serve, lane } = await bench()
      await dispatch.tune(lane, { width: 1, rate: { most: 1, perMs: 60_000 } })
      await dispatch.tune(lane, { width: 2, rate: null })
      const gate = new Gate()
      const looks = new Looks(async () => (await gate.opened, settled))
      serve(looks.look, { width: 3 })
      await dispatch.offer(['a', 'b', 'c'].map((target) => hint(target)))
      await looks.count(2)
      await sleep(100)
      expect(looks.targets).toHaveLength(2)
      await dispatch.tune(lane, { width: null })
      await dispatch.offer([hint('d')])
      await looks.count(3)
      gate.open()
      await looks.count(4)
    })

    test.skipIf(flush === undefined)('limits that are set again hold in an engine that was emptied', async () => {
      const { dispatch, hint, serve, lane } = await bench()
      const limits = { width: 1, rate: { most: 2, perMs: 2500 } }
      await dispatch.tune(lane, limits)
      let [active, most] = [0, 0]
      const looks = new Looks(async () => {
        active += 1
        most = Math.max(most, active)
        await sleep(30)
        active -= 1
        return settled
      })
      serve(looks.look, { width: 3 })
      await flush?.()
      await dispatch.tune(lane, limits)
      await dispatch.offer(['a', 'b', 'c', 'd'].map((target) => hint(target)))
      await looks.count(4)
      expect(most).toBe(1)
      expect(looks.times[2]! - looks.times[0]!).toBeGreaterThanOrEqual(1500)
    })

    test('what fails again and again is given up, and after that it can be offered again', async () => {
      const { dispatch, hint, serve, campaign } = await bench()
      let isBroken = true
      const looks = new Looks(() => (isBroken ? { kind: 'again', why: 'no network' } : settled))
      serve(looks.look)
      await dispatch.offer([hint('a')])
      const given = await until(async () => {
        const all = (await dispatch.abandoned()).filter((each) => each.hint.campaign === campaign)
        return all.length > 0 ? all : undefined
      })
      expect(given).toEqual([{ hint: hint('a'), why: 'no network' }])
      expect(looks.targets).toHaveLength(5)
      isBroken = false
      await dispatch.offer([hint('a')])
      await sleep(100)
      expect(looks.targets).toHaveLength(5)
      await dispatch.withdraw([hint('a')])
      await dispatch.offer([hint('a')])
      await looks.count(6)
    })

    test('a look that breaks is given up in the end, and the others go on', async () => {
      const { dispatch, hint, serve, campaign } = await bench()
      const looks = new Looks(({ target }) => (target === 'poison' ? Promise.reject(new Error('it broke')) : settled))
      serve(looks.look)
      await dispatch.offer([hint('poison'), hint('a'), hint('b')])
      await until(async () => (await dispatch.abandoned()).some((each) => each.hint.campaign === campaign))
      expect(looks.targets).toEqual(expect.arrayContaining(['a', 'b']))
    })

    test('paused: what runs ends, and nothing new begins until it goes on', async () => {
      const { dispatch, hint, serve, lane } = await bench()
      const gate = new Gate()
      const looks = new Looks(async () => (await gate.opened, settled))
      serve(looks.look, { width: 1 })
      await dispatch.offer([hint('a'), hint('b')])
      await looks.count(1)
      await dispatch.tune(lane, { paused: true })
      gate.open()
      await sleep(200)
      expect(looks.targets).toHaveLength(1)
      await dispatch.tune(lane, { paused: false })
      await looks.count(2)
    })

    test('a stop reaches the look that runs, and is waited for', async () => {
      const { dispatch, hint, serve } = await bench()
      let isStopped = false
      const looks = new Looks(async (_, __, signal) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        isStopped = true
        return { kind: 'dropped', why: 'it was interrupted' }
      })
      const stop = serve(looks.look)
      await dispatch.offer([hint('a')])
      await looks.count(1)
      stop.abort()
      await until(() => Promise.resolve(isStopped))
    })

    test('the urgent come first', async () => {
      const { dispatch, hint, serve } = await bench()
      await dispatch.offer([hint('later', { urgency: 'later' }), hint('usual'), hint('canary', { urgency: 'canary' })])
      const looks = new Looks(() => settled)
      serve(looks.look, { width: 1 })
      await looks.count(3)
      expect(looks.targets).toEqual(['canary', 'usual', 'later'])
    })

    test('the hint of a new epoch is looked at, though one of the old epoch is there', async () => {
      const { dispatch, hint, serve } = await bench()
      await dispatch.offer([hint('a')])
      await dispatch.offer([hint('a', { epoch: 2 })])
      const epochs: number[] = []
      const looks = new Looks(({ epoch }) => (epochs.push(epoch), settled))
      serve(looks.look, { width: 1 })
      await until(() => Promise.resolve(epochs.includes(2)))
    })

    test('the census counts what is there', async () => {
      const { dispatch, hint, lane } = await bench()
      await dispatch.offer([hint('a'), hint('b')])
      const own = (await dispatch.census()).filter((each) => each.lane === lane)
      expect(own).toEqual([{ lane, waiting: 2, active: 0, later: 0 }])
      await dispatch.withdraw([hint('a')])
      expect((await dispatch.census()).find((each) => each.lane === lane)?.waiting).toBe(1)
    })
  })
}

type Answer = Verdict | Promise<Verdict>

class Looks {
  readonly targets: string[] = []
  readonly times: number[] = []
  readonly look: Look

  constructor(answer: (hint: Hint, number: number, signal: AbortSignal) => Answer) {
    this.look = async (hint, signal) => {
      this.targets.push(hint.target)
      this.times.push(Date.now())
      return answer(hint, this.targets.length, signal)
    }
  }

  count(number: number): Promise<unknown> {
    return until(() => Promise.resolve(this.targets.length >= number))
  }
}

class Gate {
  open: () => void = () => {}
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve
  })
}

/** Asks until the answer is true, or something. */
async function until<T>(ask: () => Promise<T | false | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask()
    if (answer !== false && answer !== undefined) return answer
    await sleep(20)
  }
}
