// A fault at the n-th call of a command, for every n; after each one, the commands that a user would type, and the
// seven promises.

import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { figure, isWhole, many, tell } from './figures.ts'
import { inject, type Action } from './inject.ts'
import {
  complain,
  effectComplaints,
  incomplete,
  lockComplaints,
  momentOf,
  ranAgain,
  userComplaints,
  unsaved,
  type Complaint,
} from './invariants.ts'
import type { Point } from './points.ts'
import { ways, type Way } from './ways.ts'
import { byGit, World } from './faulty-repo.ts'

export type Fault = Exclude<Action, 'record'>

/**
 * Where a fault of this kind can happen. A command of a step is not ours to disturb by errors: only by being killed
 * with us.
 */
const canFail: Record<Fault, (point: Point) => boolean> = {
  group: () => true,
  alone: () => true,
  EIO: ({ who, call }) => who !== 'o' && call !== 'exec',
  ENOSPC: ({ who, call }) => who !== 'o' && ['open', 'write', 'mkdir', 'link', 'rename', 'symlink'].includes(call),
}
/** Two kills with nothing but this call between them find the same files. */
const isSameState = (between: Point | undefined): boolean =>
  between !== undefined && ['fsync', 'exec'].includes(between.call) && between.who !== 'o'
const isError = (fault: Fault): boolean => fault === 'EIO' || fault === 'ENOSPC'

/** A pattern for calls: to look at some of them closely, and for the mutants, each of which is wrong in one place. */
const chosen = process.env['GIT_PLAN_CALLS']
/** Where something was wrong once: these calls are in every sample. */
const wrongOnce: Readonly<Record<string, string>> = {
  'start -j 4 group': 'g write .*(/demo\\.\\d/commondir|\\.plans/demo\\.\\d/\\.git)$',
  'cancel EIO': 'g unlink a\\.txt$',
  'rollback EIO': 'g unlink made\\.txt$',
  'recovery of an event group': 's rename \\.plans/',
  'recovery of a switch EIO': 'g unlink \\.plans/demo\\.md$',
}
const isChosen = ({ phase, who, call, what }: Point, pattern: string | undefined): boolean =>
  pattern === undefined || new RegExp(pattern).test(`${phase} ${who} ${call} ${what}`)

/** One repository, prepared once. */
class Sweep {
  readonly #world = new World()
  readonly #way: Way
  #expected = ''
  #points: readonly Point[] = []

  private constructor(way: Way) {
    this.#way = way
  }

  static async of(way: Way): Promise<Sweep> {
    const sweep = new Sweep(way)
    const world = sweep.#world
    await way.prepare(world)
    world.keep()
    sweep.#expected = await undisturbed(world, way)
    world.reset()
    const { points } = await inject(world.repo, way.command, { at: 0, action: 'record', input: way.input })
    const end = points.findIndex(({ call, what }) => call === 'truncate' && what === '.git/plan/demo/intent.json')
    sweep.#points = way.isRecovery === true ? points.slice(0, end + 1) : points
    return sweep
  }

  async run(fault: Fault, { atMost }: { atMost: number }): Promise<void> {
    const all = this.#points.filter(canFail[fault])
    const pattern = chosen ?? (isWhole ? undefined : wrongOnce[`${this.#way.name} ${fault}`])
    const possible = all.filter(
      (point) => isChosen(point, pattern) && (isError(fault) || !isSameState(this.#points[point.at - 2])),
    )
    const stride = Math.max(1, Math.ceil(possible.length / atMost))
    const numbers = possible.filter((_, index) => index % stride === stride >> 1)
    const wrong: string[] = []
    let fired = 0
    for (const point of numbers) {
      const complaints = await this.#try(point, fault)
      if (complaints === undefined) continue
      fired += 1
      if (fired % 100 === 0) tell(`${this.#way.name}, ${fault}: ${fired} of ${numbers.length}`)
      const said = complaints.map(({ promise, what }) => `${promise}: ${what}`).join('; ')
      if (said === '') continue
      wrong.push(`${point.at} ${point.who} ${point.call} ${point.what}: ${said}`)
      tell(`${this.#way.name}, ${fault}: ${wrong.at(-1)}`)
      if (chosen !== undefined) break
    }
    figure('sweep', `${this.#way.name}, ${fault}`, {
      points: all.length,
      'same state': all.length - possible.length,
      swept: fired,
      violations: wrong.length,
    })
    expect(wrong).toEqual([])
    // A few calls depend on how fast others were: all but these are reached.
    expect(fired).toBeGreaterThanOrEqual(Math.floor(numbers.length * 0.9))
  }

  /** undefined: this time the call was not made. */
  async #try(point: Point, fault: Fault): Promise<Complaint[] | undefined> {
    const world = this.#world
    world.reset()
    const { code, all, isFired } = await inject(world.repo, this.#way.command, {
      at: point,
      action: fault,
      input: this.#way.input,
    })
    if (!isFired) return undefined
    // A disk that refuses to remove a lock has left one: that is for a person, as the message says.
    if (fault === 'EIO' && point.call === 'unlink' && point.what.endsWith('.lock'))
      rmSync(world.repo.path(point.what), { force: true })
    return [...(isError(fault) ? saneEnd({ code, all }) : []), ...(await afterwards(world, this.#way, this.#expected))]
  }

  remove(): void {
    this.#world.remove()
  }
}

/** What the end looks like without a fault. */
async function undisturbed(world: World, way: Way): Promise<string> {
  const ran =
    way.input === undefined
      ? await world.repo.plan(way.command, byGit)
      : await inject(world.repo, way.command, { at: 0, action: 'record', input: way.input })
  if (ran.code !== 0) throw new Error(ran.all)
  const answer = await way.goOn(world)
  if (answer.code !== 0) throw new Error(answer.all)
  return way.outcome(world)
}

export async function afterwards(world: World, way: Way, expected: string): Promise<Complaint[]> {
  const moment = momentOf(world)
  const complaints = [
    ...incomplete(world, { isRecovered: false }),
    ...(way.isForgetting === true ? [] : await effectComplaints(world, moment)),
  ]
  const answer = await way.goOn(world)
  if (answer.code === 0) {
    const outcome = withoutFailures(way.outcome(world))
    if (outcome !== withoutFailures(expected)) complaints.push(complain('converges', `another end: ${outcome}`))
    complaints.push(...userComplaints(world), ...unsaved(world, way))
  } else complaints.push(complain('converges', `exit ${answer.code}: ${answer.all}`))
  complaints.push(
    ...incomplete(world, { isRecovered: true }),
    ...ranAgain(world, moment, way.keeps),
    ...lockComplaints(world),
  )
  return complaints
}

/** An error makes a step fail where a kill does not: that failure is a commit of its own. */
const withoutFailures = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('Failed: '))
    .join('\n')

/** Never a bug of ours, never a stack. */
function saneEnd({ code, all }: { code: number; all: string }): Complaint[] {
  const isSane = code !== 70 && code !== 256 && !/^\s+at .*\.[cm]?[jt]s:\d+/m.test(all)
  return isSane ? [] : [complain('converges', `ended with ${code}: ${all.trim().split('\n').slice(-6).join(' / ')}`)]
}

/** How many injections of each kind `npm run test:slow` tries. */
const samples: Readonly<Record<string, number>> = {
  'start group': 2,
  'start EIO': 1,
  'start ENOSPC': 1,
  'resume group': 1,
  'start -j 4 group': 2,
  'start -j 4 EIO': 1,
  'resume -j 4 group': 1,
  'start of an agent group': 2,
  'start of an agent EIO': 1,
  'next group': 1,
  'next --done group': 1,
  'next --release group': 1,
  'plan_run_script over MCP group': 1,
  'rollback group': 1,
  'rollback EIO': 1,
  'cancel EIO': 1,
  'recovery of an event group': 1,
  'recovery of a switch EIO': 1,
}
const atMost = (name: string, fault: Fault): number =>
  Number(process.env['GIT_PLAN_MOST'] ?? (chosen === undefined ? many(samples[`${name} ${fault}`] ?? 0, Infinity) : 40))

const faults = ['group', 'EIO', 'ENOSPC'] as const

export function sweepAll(name: string): void {
  const way = ways.find((each) => each.name === name)
  if (way === undefined) throw new Error(`there is no way ${name}`)
  describe(`a fault at any call of ${name}`, () => {
    let sweep: Sweep | undefined
    beforeAll(async () => {
      if (faults.some((fault) => atMost(name, fault) > 0)) sweep = await Sweep.of(way)
    }, 120_000)
    afterAll(() => sweep?.remove())
    // A server does not end with the error of a call.
    for (const fault of way.input === undefined ? faults : (['group'] as const))
      test.skipIf(atMost(name, fault) === 0)(`${fault}: what is promised holds`, { timeout: 7_200_000 }, () =>
        sweep?.run(fault, { atMost: atMost(name, fault) }),
      )
  })
}
