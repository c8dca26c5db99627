import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { planId } from '../../src/plan/model/ids.ts'
import { identityOf } from '../../src/process/identity.ts'
import { readPlanView, type PlanView } from '../../src/view/plan-view.ts'
import { PlanRepo, digestOfText, planText } from '../helpers/plan-repo.ts'

let repo: PlanRepo
beforeEach(() => {
  repo = new PlanRepo()
})
afterEach(() => repo.remove())

const settings = { staleAfterMs: 30 * 86_400_000, stalledAfterMs: 30 * 60_000 }

async function view(now = '2025-01-02T00:00:00Z'): Promise<PlanView> {
  const opened = await repo.open()
  try {
    return await readPlanView(opened, planId('demo'), { dir: '.plans', now: new Date(now), settings })
  } finally {
    opened.close()
  }
}

async function hold(options: {
  kind?: 'alive' | 'dead' | 'elsewhere'
  lock?: boolean
  step?: string
  since?: string
}): Promise<void> {
  const own = await identityOf(process.pid)
  const identity =
    options.kind === 'dead'
      ? { ...own, start: '1' }
      : options.kind === 'elsewhere'
        ? { ...own, host: 'elsewhere' }
        : own
  const directory = join(repo.root, '.git/plan/demo')
  mkdirSync(directory, { recursive: true })
  const since = options.since ?? '2025-01-01T23:50:00Z'
  if (options.lock !== false)
    writeFileSync(join(directory, 'lock-3'), JSON.stringify({ ...identity, run: 'r1', command: 'start', since }))
  writeFileSync(
    join(directory, 'intent.json'),
    JSON.stringify({ run: 'r1', kind: 'step', step: options.step ?? 'two', attempt: 2, input: 'x', since, identity }),
  )
}

describe('a plan that stands still', () => {
  test('is told from its branch alone: events, times, approval, next step', async () => {
    const { proposed, approved } = repo.approved()
    const one = repo.oneDone()
    repo.git('checkout', '-q', 'main')
    const { summary, events, baseCommit } = await view()
    expect(events.map((event) => [event.event, event.commit])).toEqual([
      ['step', one],
      ['approved', approved],
      ['proposed', proposed],
    ])
    expect(baseCommit).toBe(repo.git('rev-parse', 'main'))
    expect(summary).toMatchObject({
      id: 'demo',
      status: 'active',
      seen: 'paused',
      resumable: true,
      branch: 'plan/demo',
      base: 'main',
      tip: one,
      progress: { done: 1, total: 3 },
      next: 'two',
      createdAt: '2025-01-01T10:02:00.000Z',
      startedAt: '2025-01-01T10:03:58.500Z',
      endedAt: null,
      outcome: null,
      holder: null,
      open: null,
      foreign: [],
      approval: { state: 'approved', by: 'Kim <kim@example.org>', digest: digestOfText(planText()) },
    })
    expect(summary.steps[0]).toEqual({
      id: 'one',
      title: 'First',
      agent: null,
      asks: null,
      question: null,
      allowFailure: false,
      verb: 'run',
      status: 'done',
      seen: 'done',
      attempt: 1,
      commit: one,
      needs: [],
      wave: 0,
      startedAt: '2025-01-01T10:03:58.500Z',
      endedAt: '2025-01-01T10:04:00.000Z',
      durationMs: 1500,
      error: null,
      why: null,
      verified: 'exists one.txt',
      replayed: null,
      tests: null,
      claim: null,
      cpuMs: null,
      peakBytes: null,
      outputBytes: null,
      goal: null,
      deliverables: [],
      context: [],
      notes: null,
      owner: null,
      phase: null,
      meta: {},
    })
  })

  test('shows a failure with its reason, and what needs it as blocked', async () => {
    repo.approved()
    const one = repo.oneDone()
    repo.git(
      'update-ref',
      'refs/plan/demo/attempts/two/1',
      repo.git('commit-tree', `${one}^{tree}`, '-p', one, '-m', 'attempt\n\nPlan-Reason: exit 3\nPlan-Exit: 3'),
    )
    repo.event('failed', {
      status: 'failed',
      state: '  one: done\n  two: failed',
      trailers: { Step: 'two', Attempt: 1, Reason: 'exit 3', Exit: 3, 'Duration-Ms': 10 },
    })
    const { summary } = await view()
    expect(summary.steps.map((step) => [step.id, step.seen, step.error])).toEqual([
      ['one', 'done', null],
      ['two', 'failed', 'exit 3'],
      ['three', 'blocked', null],
    ])
    expect(summary).toMatchObject({ seen: 'failed', next: 'two', resumable: true })
    expect(summary.attempts).toMatchObject([{ step: 'two', number: 1, reason: 'exit 3', exit: 3, parent: one }])
  })

  test('an approval of another digest does not count', async () => {
    repo.approved()
    repo.event('proposed', { status: 'proposed', title: 'Another plan' })
    const { summary } = await view()
    expect(summary.approval.state).toBe('outdated')
    expect(summary.createdAt).toBe('2025-01-01T10:02:00.000Z')
  })

  test('names the commits that somebody else put on the branch, and none of the base', async () => {
    repo.approved()
    repo.write('b.txt', 'b\n')
    const foreign = repo.commit('Tidy up')
    repo.oneDone()
    const { summary } = await view()
    expect(summary.foreign).toEqual([
      {
        commit: foreign,
        subject: 'Tidy up',
        at: '2025-01-01T10:04:00.000Z',
        by: 'Ada <ada@example.org>',
        isMerge: false,
      },
    ])
  })

  test('events of another plan on the branch are foreign', async () => {
    repo.approved()
    repo.commit('Not ours', { Id: 'other', Event: 'step', Step: 'one' })
    repo.oneDone()
    expect((await view()).summary.foreign.map((each) => each.subject)).toEqual(['Not ours'])
  })

  test('a proposal that nobody decided on goes stale', async () => {
    repo.git('checkout', '-q', '-b', 'plan/demo')
    repo.event('proposed', { status: 'proposed' })
    expect((await view()).summary.seen).toBe('proposed')
    expect((await view('2025-03-01T00:00:00Z')).summary.seen).toBe('stale')
  })

  test('a completed one is merged once its base has the file', async () => {
    repo.approved()
    repo.event('completed', { status: 'completed', state: '  one: done\n  two: done\n  three: skipped' })
    expect((await view()).summary).toMatchObject({
      seen: 'completed',
      outcome: 'partial',
      endedAt: '2025-01-01T10:04:00.000Z',
      next: null,
      resumable: false,
    })
    repo.git('checkout', '-q', 'main')
    repo.git('merge', '-q', '--ff-only', 'plan/demo')
    expect((await view()).summary.seen).toBe('merged')
  })

  test('is read from its final ref when the branch is gone', async () => {
    repo.approved()
    const tip = repo.event('completed', { status: 'completed', state: '  one: done\n  two: done\n  three: done' })
    repo.git('update-ref', 'refs/plan/demo/final', tip)
    repo.git('checkout', '-q', 'main')
    repo.git('branch', '-q', '-D', 'plan/demo')
    expect((await view()).summary).toMatchObject({ tip, branch: 'refs/plan/demo/final', outcome: 'complete' })
  })

  test("survives the user's own reset to any commit of the branch", async () => {
    const { approved } = repo.approved()
    repo.oneDone()
    repo.git('reset', '-q', '--hard', approved)
    expect((await view()).summary).toMatchObject({ status: 'approved', progress: { done: 0, total: 3 }, next: 'one' })
  })

  test.each([
    ['99999999999999999', '9999-12-31T23:59:59.000Z'],
    ['253402300800', '9999-12-31T23:59:59.000Z'],
    ['-1', '1970-01-01T00:00:00.000Z'],
  ])('a date of %s seconds is shown as %s, and stops nothing', async (seconds, shown) => {
    repo.approved()
    const commit = repo
      .git('cat-file', 'commit', 'plan/demo')
      .replace(/^(author|committer) (.*>) \d+ /gm, `$1 $2 ${seconds} `)
    const path = join(repo.home, 'commit')
    writeFileSync(path, `${commit}\n`)
    repo.git('update-ref', 'refs/heads/plan/demo', repo.git('hash-object', '--literally', '-t', 'commit', '-w', path))
    expect((await view()).events[0]?.at).toBe(shown)
  })

  test('cannot be read without its file, and says so', async () => {
    repo.git('branch', 'plan/demo')
    await expect(view()).rejects.toMatchObject({
      code: 'invalid-plan',
      message: 'plan/demo has no plan file .plans/demo.md',
    })
  })
})

describe('rollbacks and effects', () => {
  test('the newest rollback whose target is the tip says that the plan was rolled back', async () => {
    const { approved } = repo.approved()
    const one = repo.oneDone()
    const two = repo.event('step', { status: 'active', state: '  one: done\n  two: done', trailers: { Step: 'two' } })
    repo.git('reset', '-q', '--hard', one)
    repo.tag('rollbacks/1', two, { Event: 'rollback', From: two, To: one, Step: 'one', Reason: 'wrong way' })
    const first = (await view()).summary
    expect(first).toMatchObject({ seen: 'rolled-back', rolledBackTo: 'one', resumable: true })
    expect(first.rollbacks).toMatchObject([
      { number: 1, event: 'rollback', from: two, to: one, reason: 'wrong way', by: 'Ada <ada@example.org>' },
    ])
    repo.git('reset', '-q', '--hard', approved)
    repo.tag('rollbacks/2', one, { Event: 'rollback', From: one, To: approved })
    expect((await view()).summary).toMatchObject({ seen: 'rolled-back', rolledBackTo: null, resumable: true })
    repo.git('reset', '-q', '--hard', two)
    repo.tag('rollbacks/3', approved, { Event: 'undo', From: approved, To: two, Undoes: 2 })
    expect((await view()).summary.seen).toBe('paused')
  })

  test('a rollback names a step, or none: what is no id is not shown', async () => {
    repo.approved()
    const one = repo.oneDone()
    repo.tag('rollbacks/1', one, { Event: 'rollback', From: one, To: one, Step: '\u001b[31mone' })
    const { summary } = await view()
    expect(summary).toMatchObject({ seen: 'rolled-back', rolledBackTo: 'one' })
    expect(JSON.stringify(summary)).not.toContain('u001b')
  })

  test.each([
    ['intended', 'unknown'],
    ['undoing', 'unknown'],
    ['happened', 'pending'],
    ['failed', 'pending'],
    ['undone', 'pending'],
  ])('an effect that is %s leaves a step that is not done %s', async (state, seen) => {
    repo.approved()
    const one = repo.oneDone()
    const first = repo.git('commit-tree', `${one}^{tree}`, '-m', 'effect\n\nPlan-Effect: intended')
    const last =
      state === 'intended'
        ? first
        : repo.git('commit-tree', `${one}^{tree}`, '-p', first, '-m', `effect\n\nPlan-Effect: ${state}`)
    repo.git('update-ref', 'refs/plan/demo/effects/two/1', last)
    const { summary } = await view()
    expect(summary.steps[1]?.seen).toBe(seen)
    expect(summary.effects[0]?.chain.map((link) => link.state)).toEqual(
      state === 'intended' ? ['intended'] : [state, 'intended'],
    )
  })

  test('a live holder that runs the step keeps its effect from being unknown', async () => {
    repo.approved()
    const one = repo.oneDone()
    repo.git(
      'update-ref',
      'refs/plan/demo/effects/two/1',
      repo.git('commit-tree', `${one}^{tree}`, '-m', 'effect\n\nPlan-Effect: intended'),
    )
    await hold({ kind: 'alive' })
    expect((await view()).summary.steps[1]?.seen).toBe('running')
    await hold({ kind: 'dead' })
    expect((await view()).summary.steps[1]?.seen).toBe('unknown')
  })
})

describe('the holder', () => {
  beforeEach(() => {
    repo.approved()
    repo.oneDone()
  })

  test('alive: the plan and the step that it names are running', async () => {
    await hold({ kind: 'alive' })
    const { summary } = await view()
    expect(summary).toMatchObject({
      seen: 'running',
      resumable: false,
      holder: { state: 'running', pid: process.pid, step: 'two', attempt: 2 },
    })
    expect(summary.steps[1]).toMatchObject({ seen: 'running', status: 'pending', attempt: 2 })
  })

  test('that asks is not somebody else at work', async () => {
    await hold({ kind: 'alive' })
    const opened = await repo.open()
    const { summary } = await readPlanView(opened, planId('demo'), {
      dir: '.plans',
      now: new Date('2025-01-02T00:00:00Z'),
      settings,
      ownRun: 'r1',
    })
    opened.close()
    expect(summary).toMatchObject({ seen: 'paused', resumable: true, holder: null })
  })

  test('dead with an intent: stalled, and resumable', async () => {
    await hold({ kind: 'dead' })
    expect((await view()).summary).toMatchObject({ seen: 'stalled', resumable: true })
    await hold({ kind: 'dead', lock: false })
    expect((await view()).summary.seen).toBe('stalled')
  })

  test('on another machine: running at first, stalled after a while', async () => {
    await hold({ kind: 'elsewhere', since: '2025-01-01T23:50:00Z' })
    expect((await view()).summary).toMatchObject({ seen: 'running', holder: { liveness: 'unknowable' } })
    await hold({ kind: 'elsewhere', since: '2025-01-01T12:00:00Z' })
    expect((await view()).summary.seen).toBe('stalled')
  })

  test('files that cannot be read are as if they were not there', async () => {
    mkdirSync(join(repo.root, '.git/plan/demo/lock-9'), { recursive: true })
    for (const [name, text] of [
      ['lock-1', '{'],
      ['lock-2', '[]'],
      ['lock-4', '{"pid":"x"}'],
      ['intent.json', 'null'],
    ] as const)
      writeFileSync(join(repo.root, '.git/plan/demo', name), text)
    expect((await view()).summary).toMatchObject({ seen: 'paused', holder: null })
  })
})

test('reading runs nothing and writes nothing', async () => {
  repo.approved()
  repo.oneDone()
  const trap = join(repo.home, 'trap')
  writeFileSync(trap, '#!/bin/sh\ntouch "$HOME/sprung"\n', { mode: 0o755 })
  for (const name of [
    'core.fsmonitor',
    'diff.external',
    'core.pager',
    'diff.x.textconv',
    'filter.x.smudge',
    'filter.x.clean',
  ])
    repo.git('config', name, trap)
  writeFileSync(join(repo.root, '.git/info/attributes'), '* diff=x filter=x\n')
  const before = readdirSync(join(repo.root, '.git'))
  await view()
  expect(readdirSync(join(repo.root, '.git'))).toEqual(before)
  expect(readdirSync(repo.home)).not.toContain('sprung')
})
