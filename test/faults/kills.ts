// SIGKILL at random moments of random plans. After each one comes a recovery, which may be killed too, or started twice
// at once; then the seven promises are checked.

import fc from 'fast-check'
import { expect } from 'vitest'
import { planText } from '../helpers/repo.ts'
import { figure } from './figures.ts'
import { inject, type Injection } from './inject.ts'
import { complain, momentOf, ranAgain, type Complaint } from './invariants.ts'
import { phases, type Phase, type Point } from './points.ts'
import { afterwards } from './sweep.ts'
import { startWay as usual } from './ways.ts'
import { byGit, World } from './faulty-repo.ts'

export type Mode = 'group' | 'alone'

const startWay = { ...usual, saves: undefined, keeps: ['s0', 's1', 's2', 'pay'] }

/** A step of a random plan, as the text of its keys. */
type Shape = (world: World, name: string) => string

const shapes: Record<string, Shape> = {
  writes: ({ ledger }, name) =>
    `run: 'echo ${name} >> ${ledger.path}; echo ${name} > ${name}.txt; echo ${name} >> a.txt'`,
  removes: ({ ledger }, name) =>
    `run: 'echo ${name} >> ${ledger.path}; rm -f gone.txt; mkdir -p d/${name}; echo x > d/${name}/x; echo x > ${name}.log'`,
  creates: (_, name) => `create: made/${name}.txt, content: "made\\n"`,
  retried: ({ ledger, marker }, name) =>
    `retries: 1, run: 'echo ${name} >> ${ledger.path}; echo ${name} > ${name}.txt; test -e ${marker.path} || { touch ${marker.path}; exit 1; }'`,
  checked: ({ ledger }, name) =>
    `verify: ['test -e ${name}.txt && echo seen > seen.log && echo again > again.log; : check'], run: 'echo ${name} >> ${ledger.path}; echo ${name} > ${name}.txt'`,
  allowed: ({ ledger }, name) =>
    `allow_failure: true, run: 'echo ${name} >> ${ledger.path}; echo ${name} > ${name}.txt; echo ${name} >> b.txt; false'`,
}

interface RandomPlan {
  readonly steps: readonly string[]
  /** Where the external effect stands among them. */
  readonly pays: number | undefined
}

const plans: fc.Arbitrary<RandomPlan> = fc.record({
  // A check, a failure and an effect happen in most of them, so that every phase has its moments.
  steps: fc
    .shuffledSubarray(Object.keys(shapes), { minLength: 1, maxLength: 2 })
    .map((names) => [...new Set([...names, 'checked'])]),
  pays: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
})

function textOf(world: World, { steps, pays }: RandomPlan): string {
  const lines = steps.map((shape, index) => `  - {id: s${index}, ${shapes[shape]?.(world, `s${index}`)}}`)
  if (pays !== undefined)
    lines.splice(pays, 0, `  - {id: pay, effect: external, run: 'echo pay >> ${world.ledger.path}'}`)
  return planText(lines.join('\n'))
}

/** Random choices that a seed repeats, each as likely as any other. */
class Dice {
  readonly #numbers: Iterator<number>

  constructor(seed: number) {
    const [numbers] = fc.sample(fc.noBias(fc.infiniteStream(fc.integer({ min: 0, max: 2 ** 32 - 1 }))), {
      seed,
      numRuns: 1,
    })
    if (numbers === undefined) throw new Error('no numbers')
    this.#numbers = numbers
  }

  below(limit: number): number {
    return Math.floor((Number(this.#numbers.next().value) / 2 ** 32) * limit)
  }

  of<T>(all: readonly T[]): T {
    return all[this.below(all.length)] as T
  }

  /**
   * First the phase, so that the short ones are met as often as the long ones; then the moment in it, or a little
   * later.
   */
  injection(points: readonly Point[], action: Mode): Injection {
    const phase = this.of(phases.filter((name) => points.some((point) => point.phase === name)))
    const { shape, nth } = this.of(points.filter((point) => point.phase === phase))
    return { at: { shape, nth }, action, waitUs: this.below(2) === 0 ? 0 : 1 + this.below(600) }
  }
}

export interface Kills {
  readonly seed: number
  readonly plans: number
  /** For each plan, of each mode. */
  readonly each: number
}

export async function killAtRandom({ seed, plans: count, each }: Kills): Promise<void> {
  const dice = new Dice(seed)
  const met = new Map<Mode, Map<Phase, number>>([
    ['group', new Map()],
    ['alone', new Map()],
  ])
  const more = { 'recoveries killed': 0, 'two at once': 0 }
  const wrong: string[] = []
  const wrongOf = new Map<Mode, number>()
  for (const plan of fc.sample(plans, { seed, numRuns: count })) {
    const world = new World()
    try {
      world.prepare(textOf(world, plan))
      world.keep()
      const { points } = await inject(world.repo, startWay.command, { at: 0, action: 'record' })
      const ended = await startWay.goOn(world)
      if (ended.code !== 0) throw new Error(ended.all)
      const expected = startWay.outcome(world)
      for (let number = 0; number < 2 * each; number += 1) {
        const mode: Mode = number % 2 === 0 ? 'group' : 'alone'
        world.reset()
        const injection = dice.injection(points, mode)
        const killed = await inject(world.repo, startWay.command, injection)
        if (!killed.isFired) continue
        const phase = killed.points.at(-1)?.phase ?? 'look'
        met.get(mode)?.set(phase, (met.get(mode)?.get(phase) ?? 0) + 1)
        const moment = momentOf(world)
        const complaints = await disturbedRecovery(world, dice, more)
        complaints.push(...(await afterwards(world, startWay, expected)), ...ranAgain(world, moment, startWay.keeps))
        if (complaints.length > 0) wrongOf.set(mode, (wrongOf.get(mode) ?? 0) + 1)
        if (complaints.length > 0)
          wrong.push(
            `seed ${seed}, ${JSON.stringify(plan)}, ${JSON.stringify(injection)}, ${phase}: ${complaints.map(({ promise, what }) => `${promise}: ${what}`).join('; ')}`,
          )
      }
    } finally {
      world.remove()
    }
  }
  for (const [mode, counts] of met) {
    const total = [...counts.values()].reduce((sum, next) => sum + next, 0)
    const shares = Object.fromEntries(
      phases.map((phase) => [phase, `${Math.round((100 * (counts.get(phase) ?? 0)) / Math.max(1, total))} %`]),
    )
    figure('random kills', mode, { kills: total, ...shares, violations: wrongOf.get(mode) ?? 0 })
    // What comes last in a run may be over before the signal does.
    expect(total).toBeGreaterThanOrEqual(Math.floor(count * each * 0.8))
    if (total >= 200)
      for (const phase of phases)
        expect((counts.get(phase) ?? 0) / total, `${mode} kills in ${phase}`).toBeGreaterThanOrEqual(0.05)
  }
  figure('recovery', 'after random kills', more)
  expect(wrong).toEqual([])
}

/** Half of the time recovery itself is killed, once or more; sometimes two are started at once. */
async function disturbedRecovery(
  world: World,
  dice: Dice,
  count: { 'recoveries killed': number; 'two at once': number },
): Promise<Complaint[]> {
  const command = (): readonly string[] =>
    world.hasBranch() ? ['resume', 'demo', '--approve', '--autostash'] : startWay.command
  const fate = dice.below(8)
  if (fate < 3) {
    for (let times = 0; times <= fate; times += 1) {
      const { isFired } = await inject(world.repo, command(), {
        at: 1 + dice.below(200),
        action: dice.of(['group', 'alone'] as const),
        waitUs: dice.below(300),
      })
      if (isFired) count['recoveries killed'] += 1
    }
  }
  if (fate !== 3) return []
  count['two at once'] += 1
  const both = await Promise.all([world.repo.plan(command(), byGit), world.repo.plan(command(), byGit)])
  const codes = both.map(({ code }) => code)
  const isFine = codes.some((code) => code !== 4) && codes.every((code) => [0, 2, 4, 5].includes(code))
  return isFine
    ? []
    : [
        complain(
          'single',
          `two at once ended with ${codes.join(' and ')}: ${both.map(({ all }) => all.trim().split('\n').at(-1)).join(' / ')}`,
        ),
      ]
}

/** Ten waves of four steps: files of their own, a file that two change, a retry, a failure that is allowed. */
const manySteps = ({ ledger }: World): string =>
  planText(
    Array.from({ length: 40 }, (_, at) => {
      const [wave, lane] = [Math.floor(at / 4), at % 4]
      const needs = wave === 0 ? '' : `s${at - 4}, s${4 * wave - 1 - lane}`
      const work = [
        `run: 'echo s${at} >> ${ledger.path}; echo ${at} > own-${at}.txt; sleep 0.0${lane}'`,
        `create: made/${at}.txt, content: "${at}\\n"`,
        `run: 'echo ${at} >> a.txt'`,
        wave % 3 === 0
          ? `run: 'echo ${at} >> a.txt'`
          : `allow_failure: ${wave % 3 === 1}, run: 'echo ${at} > t-${at}.txt; test ${wave % 3} = 2'`,
      ][lane]
      return `  - {id: s${at}, needs: [${needs}], ${work}}`
    }).join('\n'),
  )

/** Kills a plan of 40 steps with -j 4 again and again, and lets it come to its end after every fifth kill. */
export async function killParallel({ seed, kills }: { readonly seed: number; readonly kills: number }): Promise<void> {
  const dice = new Dice(seed)
  const world = new World()
  const wrong: string[] = []
  let fired = 0
  try {
    world.prepare(manySteps(world))
    world.repo.git(['config', 'plan.jobs', '4'])
    world.keep()
    const { points } = await inject(world.repo, startWay.command, { at: 0, action: 'record' })
    const ended = await startWay.goOn(world)
    if (ended.code !== 0) throw new Error(ended.all)
    const expected = startWay.outcome(world)
    while (fired < kills) {
      world.reset()
      const at: string[] = []
      for (let round = 0; round < 5 && fired < kills; round += 1) {
        const command = world.hasBranch() ? ['resume', 'demo', '--approve', '--autostash'] : startWay.command
        const injection =
          round === 0 ? dice.injection(points, 'group') : { at: 1 + dice.below(900), action: 'group' as const }
        const killed = await inject(world.repo, command, injection)
        at.push(JSON.stringify(injection))
        if (!killed.isFired) break
        fired += 1
      }
      const complaints = await afterwards(world, startWay, expected)
      if (complaints.length > 0)
        wrong.push(`${at.join(', ')}: ${complaints.map(({ promise, what }) => `${promise}: ${what}`).join('; ')}`)
    }
  } finally {
    world.remove()
  }
  figure('random kills of 40 parallel steps', `seed ${seed}`, { kills: fired, violations: wrong.length })
  expect(wrong).toEqual([])
}
