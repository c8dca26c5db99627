// A repository that version 0.1.0 left (test/fixtures): its plans read as they did then, hold in an audit, and can be
// continued.

import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { TestRepo, test as base } from '../helpers/repo.ts'

const bundle = fileURLToPath(new URL('../fixtures/version-0.1.bundle', import.meta.url))

const test = base.extend<{ earlier: TestRepo }>({
  earlier: async ({}, use) => {
    const repo = new TestRepo({ isEmpty: true })
    repo.git(['fetch', '-q', '--update-head-ok', bundle, '+refs/*:refs/*'])
    repo.git(['reset', '-q', '--hard'])
    await use(repo)
    repo.remove()
  },
})

/**
 * Of each plan: what `list` says of it, its risk and its steps that are done; the steps by `status`; commits and who
 * approved, by `audit`.
 */
const facts: Record<string, readonly [seen: string, risk: string, done: string, steps: string, audited: string]> = {
  approved: ['approved', 'LOW', '0/2', 'a1 pending, a2 pending', '2 commits'],
  cancelled: ['cancelled', 'HIGH', '1/2', 'n1 done, n2 failed', '5 commits, local Bob'],
  completed: ['completed', 'LOW', '2/2', 'c1 done, c2 done', '5 commits, local Bob'],
  effects: ['rolled-back', 'HIGH', '2/3', 'e1 done, e2 done, e3 pending', '4 commits, local Bob, 2 effects'],
  failed: ['failed', 'HIGH', '1/3', 'f1 done, f2 failed, f3 pending', '4 commits, local Bob'],
  fixed: ['completed', 'LOW', '2/2', 'x1 done, x2 done', '7 commits, local Bob, 1 by hand'],
  interrupted: ['paused', 'HIGH', '1/3', 'i1 done, i2 pending, i3 pending', '3 commits, local Bob'],
  merged: ['merged', 'HIGH', '2/2', 'm1 done, m2 done', '5 commits, local Bob, merged'],
  paused: ['paused', 'LOW', '1/2', 'u1 done, u2 pending', '4 commits, local Bob'],
  proposed: ['stale', 'LOW', '0/2', 'p1 pending, p2 pending', '1 commits'],
  rebased: ['completed', 'LOW', '3/3', 'b1 done, b2 done, b3 done', '6 commits, local Ada'],
  replanned: ['completed', 'HIGH', '2/2', 'l1 done, l2 done', '8 commits, local Bob'],
  'rolled-back': ['rolled-back', 'LOW', '1/3', 'r1 done, r2 pending, r3 pending', '3 commits, local Bob'],
  signed: ['completed', 'CRITICAL', '1/1', 'g1 done', '4 commits, signature Bob'],
  skipped: ['completed', 'HIGH', '2/3', 'k1 done, k2 skipped, k3 done', '7 commits, local Bob, 1 by hand'],
  squashed: ['merged', 'LOW', '2/2', 's1 done, s2 done', '5 commits, local Bob, merged'],
  waiting: ['waiting', 'LOW', '1/3', 'w1 done, w2 waiting, w3 pending', '4 commits, local Bob'],
}

interface Listed {
  readonly id: string
  readonly seen: string
  readonly risk: string
  readonly progress: { readonly done: number; readonly total: number }
}

interface Status {
  readonly steps: readonly { readonly id: string; readonly status: string }[]
  readonly effects: readonly { readonly step: string; readonly state: string }[]
}

interface Audited {
  readonly commits: number
  readonly approvals: readonly { readonly by: string; readonly from: string }[]
  readonly byHand: readonly unknown[]
  readonly effects: number
  readonly mergedAs: string | null
  readonly findings: readonly unknown[]
}

const read = async <T>(repo: TestRepo, ...args: string[]): Promise<T> => (await repo.json(args)) as T

const audited = ({ commits, approvals, byHand, effects, mergedAs, findings }: Audited): string =>
  [
    `${commits} commits`,
    ...new Set(approvals.map(({ by, from }) => `${from} ${by.replace(/ <.*/, '')}`)),
    ...(byHand.length > 0 ? [`${byHand.length} by hand`] : []),
    ...(effects > 0 ? [`${effects} effects`] : []),
    ...(mergedAs === null ? [] : ['merged']),
    ...findings.map((finding) => JSON.stringify(finding)),
  ].join(', ')

test('every plan is read and audited as then', async ({ earlier }) => {
  const { plans } = await read<{ plans: Listed[] }>(earlier, 'list')
  const found = plans.map(async ({ id, seen, risk, progress }) => {
    const [status, audit] = await Promise.all([
      read<Status>(earlier, 'status', id),
      read<{ plans: Audited[] }>(earlier, 'audit', id),
    ])
    const steps = status.steps.map((step) => `${step.id} ${step.status}`).join(', ')
    return [id, [seen, risk, `${progress.done}/${progress.total}`, steps, audited(audit.plans[0]!)]]
  })
  expect(Object.fromEntries(await Promise.all(found))).toEqual(facts)
  const { effects } = await read<Status>(earlier, 'status', 'effects')
  expect(effects.map(({ step, state }) => `${step} ${state}`)).toEqual(['e1 happened', 'e3 undone'])
})

/** Runs each command; the plans that they name hold in an audit afterwards. */
async function proceed(repo: TestRepo, commands: readonly (readonly [string, string, ...string[]])[]): Promise<void> {
  for (const command of commands) {
    const ran = await repo.plan(command)
    expect(ran.code, ran.all).toBe(0)
  }
  const audits = [...new Set(commands.map(([, id]) => id))].map((id) => repo.json(['audit', id]))
  for (const audit of await Promise.all(audits)) expect(audit).toMatchObject({ holds: true })
}

test('what was open is continued to its end, and can be undone', async ({ earlier }) => {
  await proceed(earlier, [
    ['start', 'approved'],
    ['resume', 'interrupted'],
    ['resume', 'failed', '--retry', 'f2'],
    ['resume', 'paused'],
    ['resume', 'waiting', '--done', 'w2'],
    ['rollback', 'rolled-back', '--undo'],
    ['resume', 'effects'],
    ['rollback', 'effects'],
  ])
  const { plans } = await read<{ plans: Listed[] }>(earlier, 'list')
  expect(plans.filter(({ seen }) => !['completed', 'merged'].includes(seen)).map(({ id }) => id)).toEqual([
    'cancelled',
    'effects',
    'proposed',
  ])
  expect(earlier.git(['show', 'plan/interrupted:i2.txt', 'plan/rolled-back:r3.txt'])).toBe('i2\nr3')
})

test('what was completed is finished', async ({ earlier }) => {
  await proceed(earlier, [
    ['finish', 'completed', '--merge'],
    ['finish', 'fixed', '--squash'],
  ])
  expect(['a.txt', 'c2.txt', 'x2.txt'].map((path) => earlier.read(path))).toEqual(['hello world\n', 'c2\n', 'x2\n'])
})
