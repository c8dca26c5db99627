// Random plans and commands for the machine. They shrink to fewer steps, fewer commands, and simpler ones.

import fc from 'fast-check'
import type { Command, Step } from './words.ts'

const often = <T>(usual: T, ...rare: T[]): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 3 }, ...rare.map((value) => fc.constant(value)))

/** Ids are s1, s2, …; `needs` has a bit for each step above, and one for the step directly above. */
export const steps: fc.Arbitrary<readonly Step[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom<Step['kind']>('run', 'run', 'run', 'create', 'external', 'external', 'manual', 'gate'),
      above: fc.option(fc.nat(7), { freq: 2 }),
      fails: often(0, 1, 2, 9),
      failsBy: fc.constantFrom<Step['failsBy']>('exit', 'killed', 'late', 'verify'),
      retries: often(0, 1, 2),
      allowFailure: often(false, true),
      pause: often(false, true),
      idempotent: often(false, true),
      probe: fc.boolean(),
      undo: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4, size: 'max' },
  )
  .map((drawn) =>
    drawn.map(({ above, ...step }, index) => {
      const earlier = drawn.slice(0, index).map((_, each) => `s${each + 1}`)
      const needs = above === null ? earlier.slice(-1) : earlier.filter((_, each) => (above >> each) % 2 === 1)
      return { ...step, id: `s${index + 1}`, needs, text: `s${index + 1}\n` }
    }),
  )

const approve = often(true, false)
const index = fc.nat(3)
const file = fc.constantFrom('own.txt', 'a.txt', 'common.txt', 's1.txt', 's2.txt')
const text = fc.constantFrom('mine\n', 'half\n', undefined)

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('start' as const), approve }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('race' as const), approve }) },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('resume' as const),
      how: fc.constantFrom('plain', 'plain', 'retry', 'from-attempt', 'skip', 'done', 'fix'),
      step: index,
      attempt: fc.constantFrom(1, 1, 2),
      approve,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('rollback' as const),
      how: fc.constantFrom('last', 'to', 'all', 'undo', 'undo'),
      step: index,
      keep: often(false, true),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('replan' as const),
      how: fc.constantFrom('append', 'change', 'drop', 'same'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('edit' as const, 'commit' as const), file, text }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reset' as const), back: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('mark' as const), step: index }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('cancel' as const, 'clean' as const, 'clean' as const, 'switch' as const, 'clone' as const),
    }),
  },
)

/** Most of what can be typed is refused in most states, so a refusal is tried only where it was drawn for that. */
export interface Drawn {
  readonly command: Command
  readonly isRefusalTried: boolean
}

/** A plan is started first, now and then by two at once: without one there is little to do. */
export const drawn = (most: number): fc.Arbitrary<readonly Drawn[]> =>
  fc
    .tuple(
      often<'start' | 'race'>('start', 'race'),
      fc.array(fc.record({ command, isRefusalTried: often(false, true) }), {
        minLength: 1,
        maxLength: most,
        size: 'max',
      }),
    )
    .map(([kind, rest]) => [{ command: { kind, approve: true }, isRefusalTried: true }, ...rest])
