// The loop, with steps that are only said to be performed: what it runs, in which order, what it records, and how it
// ends.

import { expect, test, vi } from 'vitest'
import { Permit } from '../../src/approval/rules/permit.ts'
import type { Fingerprint } from '../../src/git/trust/fingerprint.ts'
import { stepId } from '../../src/plan/model/ids.ts'
import { planAfter, type EventRequest } from '../../src/engine/record/record-event.ts'
import type { RunOptions } from '../../src/engine/schedule/loop.ts'
import type { RunEnd } from '../../src/engine/schedule/run-end.ts'
import { runPlan } from '../../src/engine/schedule/run-plan.ts'
import type { RunEvent } from '../../src/engine/run/events.ts'
import type { Run } from '../../src/engine/run/run.ts'
import { fenced, parsed } from '../helpers/plans.ts'

/** What a fake step comes to; the last one is repeated. */
type Result = 'done' | 'fails' | 'interrupted' | 'unknown' | 'waits'
type Effect = 'intended' | 'happened' | 'failed' | 'kept' | undefined

const fake = vi.hoisted(() => ({
  results: {} as Record<string, Result[]>,
  effects: {} as Record<string, Effect>,
  probe: 'unknown' as 'happened' | 'not' | 'unknown',
  failingCheck: undefined as string | undefined,
  log: [] as string[],
}))

vi.mock('../../src/git/trust/fingerprint.ts', () => ({ Fingerprint: { take: async () => ({}) as Fingerprint } }))
vi.mock('../../src/engine/run/other-plans.ts', () => ({
  OtherPlans: { of: async () => ({ refuseChanges: async () => {} }) },
}))
vi.mock('../../src/engine/record/restore.ts', () => ({ nextAttempt: async () => 1 }))
vi.mock('../../src/engine/step/step-output.ts', () => ({
  StepOutput: class {
    end = async () => {}
  },
}))
vi.mock('../../src/engine/step/step-shell.ts', () => ({ shellFor: () => undefined }))
vi.mock('../../src/engine/record/quarantine-journal.ts', () => ({ forgetQuarantined: async () => {} }))
vi.mock('../../src/engine/step/plan-command.ts', () => ({ tryPlanCommand: async () => fake.failingCheck }))
vi.mock('../../src/engine/step/effects.ts', () => ({
  newestEffect: async (_: Run, step: string) =>
    fake.effects[step] === undefined ? undefined : { state: fake.effects[step], ref: 'ref' },
  effectsOf: async (_: unknown, step: string) =>
    fake.effects[step] === undefined ? [] : [{ state: fake.effects[step], ref: 'ref' }],
  recordEffect: async (_: Run, __: unknown, step: string, state: Effect) => {
    fake.effects[step] = state
    fake.log.push(`effect of ${step}: ${state}`)
  },
}))
vi.mock('../../src/engine/record/record-event.ts', async (original) => {
  const module = await original<typeof import('../../src/engine/record/record-event.ts')>()
  return {
    ...module,
    recordEvent: async (run: Run, request: EventRequest) => {
      run.at = { ...run.at, ...module.planAfter(run, run.at, request) }
      fake.log.push(
        `recorded ${request.event}${request.facts?.step === undefined ? '' : ` of ${request.facts.step}`}: ${run.at.plan.status}`,
      )
    },
  }
})
vi.mock('../../src/engine/step/settle-effect.ts', () => ({ probeEffect: async () => fake.probe }))
vi.mock('../../src/engine/pool/results.ts', () => ({ waitingResults: async () => new Map() }))
vi.mock('../../src/engine/pool/remove-pool.ts', () => ({ poolOwner: () => undefined, removePool: async () => [] }))
vi.mock('../../src/engine/step/perform-step.ts', () => ({
  performStep: async (
    { run }: { run: Run },
    { id }: { id: string },
    options: { keepTree: boolean; fromAttempt?: string },
  ) => {
    const [result = 'done', ...more] = fake.results[id] ?? []
    if (more.length > 0) fake.results[id] = more
    fake.log.push(
      [
        id,
        ...(options.keepTree ? ['keeps its tree'] : []),
        ...(options.fromAttempt === undefined ? [] : [`from ${options.fromAttempt}`]),
      ].join(', '),
    )
    if (result === 'waits') return { kind: 'waiting', for: 'person', message: 'please' }
    if (result !== 'done') {
      const isUnknown = result === 'unknown'
      const reason = result === 'interrupted' ? 'interrupted' : 'exit'
      return {
        kind: 'failed',
        status: 'failed',
        reason,
        message: `${id} is broken`,
        attempt: 1,
        times: { startedAt: '', endedAt: '' },
        note: new Uint8Array(),
        isUnknown,
      }
    }
    run.at = { ...run.at, ...planAfter(run, run.at, { event: 'step', steps: new Map([[stepId(id), 'done']]) }) }
    return { kind: 'done', commit: id, attempt: 1, times: { startedAt: '', endedAt: '' } }
  },
}))

interface Given {
  readonly results?: Record<string, Result[]>
  readonly effects?: Record<string, Effect>
  readonly probe?: typeof fake.probe
  readonly failingCheck?: string
  readonly pauseEvery?: number
  readonly more?: string
  readonly options?: Partial<RunOptions>
  readonly signal?: AbortSignal
}

async function prepare(steps: readonly string[], given: Given = {}) {
  const { plan, source } = parsed(
    fenced(
      `${given.more ?? ''}steps:\n${steps.map((step) => `  - {title: A step, ${step}}`).join('\n')}\nstatus: approved\nstate: {}`,
    ),
  )
  const run = {
    id: plan.id,
    token: 'a run',
    at: { plan, source, tip: 'tip' },
    permit: new Permit(plan),
    checkedOut: { tree: { root: '/' } },
    get worker() {
      return { run: this, emit: (event: RunEvent) => run.world.emit(event) }
    },
    settings: { pauseEvery: given.pauseEvery ?? 0 },
    world: {
      signal: given.signal ?? new AbortController().signal,
      emit: (event: { kind: string; retrying?: boolean }) => {
        if (event.retrying === true) fake.log.push('tries again')
      },
    },
    intend: async () => {},
    settle: async () => {},
  } as unknown as Run
  Object.assign(fake, {
    results: { ...given.results },
    effects: { ...given.effects },
    probe: given.probe ?? 'unknown',
    failingCheck: given.failingCheck,
    log: [],
  })
  const go = (options: Partial<RunOptions> = {}): Promise<RunEnd> =>
    runPlan(run, { keepGoing: false, keepTree: false, ...given.options, ...options })
  return { go, run, log: fake.log }
}

const [one, two, three] = ['id: one, run: x', 'id: two, run: x', 'id: three, run: x']
const completed = { kind: 'completed', outcome: 'complete' }

test('steps run in the order of their waves, then of the file, and the plan is completed', async () => {
  const { go, log } = await prepare([
    'id: last, needs: [first], run: x',
    'id: first, needs: [], run: x',
    'id: beside, needs: [], run: x',
  ])
  expect(await go()).toEqual(completed)
  expect(log).toEqual(['first', 'beside', 'last', 'recorded completed: completed'])
})

test('a failed step is tried again as often as it says, and no failure is recorded where one attempt succeeds', async () => {
  const { go, log } = await prepare(['id: one, retries: 2, run: x'], { results: { one: ['fails', 'fails', 'done'] } })
  expect(await go()).toEqual(completed)
  expect(log).toEqual(['one', 'tries again', 'one', 'tries again', 'one', 'recorded completed: completed'])
})

test('where no attempt succeeds, the last one leaves its tree, and the plan has failed', async () => {
  const { go, log } = await prepare(['id: one, retries: 1, run: x', two], {
    results: { one: ['fails'] },
    options: { keepTree: true },
  })
  expect(await go()).toEqual({ kind: 'failed', step: 'one', message: 'one is broken', isUnknown: false })
  expect(log).toEqual(['one', 'tries again', 'one, keeps its tree', 'recorded failed of one: failed'])
})

test.for([
  ['is not tried again', '', 1],
  ['is tried again where it is idempotent', 'idempotent: true, ', 3],
] as const)('an external effect that failed %s', async ([, key, attempts]) => {
  const { go, log } = await prepare([`id: one, effect: external, retries: 2, ${key}run: x`], {
    results: { one: ['fails'] },
  })
  expect(await go()).toMatchObject({ kind: 'failed', step: 'one' })
  expect(log.filter((line) => line === 'one')).toHaveLength(attempts)
})

test('an interruption is not a failure: nothing is tried again and nothing recorded', async () => {
  const { go, log } = await prepare(['id: one, retries: 2, run: x', two], { results: { one: ['interrupted'] } })
  expect(await go()).toEqual({ kind: 'interrupted' })
  expect(log).toEqual(['one'])
})

test('after an abort no step begins', async () => {
  const { go, log } = await prepare([one], { signal: AbortSignal.abort() })
  expect(await go()).toEqual({ kind: 'interrupted' })
  expect(log).toEqual([])
})

test('--keep-going runs what does not need the failed step, and then the plan has failed', async () => {
  const steps = [
    one,
    'id: needs-it, needs: [one], run: x',
    'id: beside, needs: [], run: x',
    'id: after-it, needs: [beside], run: x',
  ]
  const { go, log, run } = await prepare(steps, { results: { one: ['fails', 'done'] }, options: { keepGoing: true } })
  expect(await go()).toEqual({ kind: 'failed', step: 'one', message: 'one is broken', isUnknown: false })
  expect(log).toEqual(['one', 'recorded failed of one: active', 'beside', 'after-it', 'recorded failed: failed'])
  expect(Object.fromEntries(run.at.plan.state)).toEqual({ one: 'failed', beside: 'done', 'after-it': 'done' })
  log.length = 0
  expect(await go()).toEqual(completed)
  expect(log).toEqual(['one', 'needs-it', 'recorded completed: completed'])
})

test('--keep-going stops at an effect of which nobody knows whether it happened', async () => {
  const { go, log } = await prepare(['id: one, effect: external, run: x', 'id: beside, needs: [], run: x'], {
    results: { one: ['unknown'] },
    options: { keepGoing: true },
  })
  expect(await go()).toMatchObject({ kind: 'failed', step: 'one', isUnknown: true })
  expect(log).toEqual(['one', 'recorded failed of one: failed'])
})

test('a step that is allowed to fail stops nothing, and the outcome is partial', async () => {
  const { go, log } = await prepare(['id: one, allow_failure: true, run: x', two], { results: { one: ['fails'] } })
  expect(await go()).toEqual({ kind: 'completed', outcome: 'partial' })
  expect(log).toEqual(['one', 'recorded failed of one: active', 'two', 'recorded completed: completed'])
})

test('a chosen step runs first, once, from the attempt that was named, even if it was allowed to fail', async () => {
  const { go, log } = await prepare(['id: one, allow_failure: true, run: x', two], {
    results: { one: ['fails', 'done'], two: ['waits', 'done'] },
  })
  await go()
  log.length = 0
  const retry = { step: stepId('one'), fromAttempt: 'an attempt' as never }
  expect(await go({ retry })).toEqual(completed)
  expect(log).toEqual(['one, from an attempt', 'two', 'recorded completed: completed'])
})

test('a pause ends the run after its step, but not after the last one', async () => {
  const { go, log } = await prepare(['id: one, pause: true, run: x', 'id: two, pause: true, run: x'])
  expect(await go()).toMatchObject({ kind: 'waiting', step: 'one', for: 'pause' })
  expect(log).toEqual(['one', 'recorded waiting of one: waiting'])
  expect(await go()).toEqual(completed)
})

test('pause_every counts the steps of a run', async () => {
  const { go, log } = await prepare([one, two, three], { pauseEvery: 2 })
  expect(await go()).toMatchObject({ kind: 'waiting', step: 'two', for: 'pause' })
  expect(await go()).toEqual(completed)
  expect(log).toEqual(['one', 'two', 'recorded waiting of two: waiting', 'three', 'recorded completed: completed'])
})

test('a step that waits for a person is recorded as waiting once, however often it is asked', async () => {
  const { go, log } = await prepare([one, two], { results: { one: ['waits'] } })
  const waiting = { kind: 'waiting', step: 'one', for: 'person', message: 'please' }
  expect(await go()).toEqual(waiting)
  expect(await go()).toEqual(waiting)
  expect(log).toEqual(['one', 'recorded waiting of one: waiting', 'one'])
})

test('permission is asked before each step, and a refusal performs nothing', async () => {
  const { go, log } = await prepare([one, two])
  const permit = async ({ id }: { id: string }): Promise<void> => {
    if (id === 'two') throw new Error('not any more')
  }
  await expect(go({ permit })).rejects.toThrow('not any more')
  expect(log).toEqual(['one'])
})

test('without a permit for this very text nothing runs', async () => {
  const { go, log, run } = await prepare([one])
  run.permit = undefined
  await expect(go()).rejects.toThrow('has no permit')
  expect(log).toEqual([])
})

const external = 'id: one, effect: external, run: x'

test.for([
  ['may have happened', 'intended', external],
  ['failed and is not idempotent', 'failed', external],
  ['was kept by a rollback', 'kept', external],
] as const)(
  'an effect that %s is not run again by itself, and the hint names the three answers',
  async ([, state, step]) => {
    const { go, log } = await prepare([step], { effects: { one: state } })
    const error: unknown = await go().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'unknown-effect',
      hint: expect.stringMatching(/--done one[^]*--retry one[^]*--skip one/) as string,
    })
    expect(log).toEqual([])
  },
)

test.for([
  ['happened', ['effect of one: happened', 'one', 'recorded completed: completed']],
  ['not', ['effect of one: failed', 'one', 'recorded completed: completed']],
] as const)('a probe that says %s settles it, and the step is performed', async ([probe, expected]) => {
  const { go, log } = await prepare([`${external}, probe: x`], { effects: { one: 'intended' }, probe })
  expect(await go()).toEqual(completed)
  expect(log).toEqual(expected)
})

test('a person who says to run it again is not asked', async () => {
  const { go, log } = await prepare([external], { effects: { one: 'intended' } })
  expect(await go({ retry: { step: stepId('one') } })).toEqual(completed)
  expect(log).toEqual(['effect of one: failed', 'one', 'recorded completed: completed'])
})

test('a check of the plan that fails leaves it failed with every step done, and is made again by the next run', async () => {
  const { go, log } = await prepare([one], { more: 'verify: [x]\n', failingCheck: 'exit code 1' })
  expect(await go()).toEqual({
    kind: 'failed',
    step: undefined,
    message: "the plan's own check failed: x: exit code 1",
    isUnknown: false,
  })
  fake.failingCheck = undefined
  expect(await go()).toEqual(completed)
  expect(log).toEqual(['one', 'recorded failed: failed', 'recorded completed: completed'])
})
