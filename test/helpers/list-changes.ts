// Changes after which a list may be another one: of branches, of the refs beside them, of who is at work, of what is merged, of the configuration, of the clock.

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { identityOf } from '../../src/process/identity.ts'
import type { ManyPlans, PlanState } from './many-plans.ts'

export interface World {
  readonly repo: ManyPlans
  now: Date
}

interface Chosen {
  readonly id: string
  readonly branch: string
  /** A number to choose by. */
  readonly n: number
}

const states: readonly PlanState[] = [
  { status: 'approved', done: 0, title: 'Approved' },
  { status: 'active', done: 1, title: 'Begun' },
  { status: 'failed', done: 2, title: 'Failed — 50 %' },
  { status: 'completed', done: 3, title: '"Quoted\\\\"' },
  { status: 'completed', done: 2, title: '全部' },
  { status: 'cancelled', done: 1, title: 'Gone' },
  { status: 'proposed', done: 0, title: 'x' },
]
const completed: PlanState = { status: 'completed', done: 3, title: 'Merged' }
const configurations = ['stale_after: 1d', 'risk: { critical: ["one.txt"] }', 'safety: [{ tool: cat, read: ["-n"] }]', 'version: 1', 'limits: { steps: 7 }']
const on = (work: (repo: ManyPlans, chosen: Chosen, world: World) => unknown) => work

/** Of a branch that is not there nothing is made. */
const withBranch = (work: (repo: ManyPlans, chosen: Chosen) => unknown) => (repo: ManyPlans, chosen: Chosen) =>
  repo.has(chosen.branch) ? work(repo, chosen) : undefined

export const changes = {
  'an event of the plan': withBranch((repo, { id, branch, n }) => {
    const state = states[n % states.length] ?? completed
    repo.import([repo.commitOn(branch, id, state, { event: state.status === 'active' ? 'step' : state.status, ...(state.done > 0 ? { step: 'one' } : {}) })])
  }),
  "somebody else's commit": withBranch((repo, { id, branch }) => repo.import([repo.commitOn(branch, id, completed)])),
  'a file that is no plan': withBranch((repo, { id, branch }) => repo.import([repo.commitOn(branch, id, '---\nno: plan\n---\n', { event: 'replanned' })])),
  'a step back': withBranch((repo, { branch }) => {
    const [, below] = repo.git('rev-list', '--first-parent', '-2', branch).split('\n')
    if (below !== undefined) repo.git('update-ref', branch, below)
  }),
  'a new plan': on((repo, { n }) => {
    const id = `new-${n}`
    repo.ids.push(id)
    repo.import([repo.commitOn(`refs/heads/plan/${id}`, id, states[n % states.length] ?? completed, { event: 'proposed', from: 'refs/heads/main' })])
  }),
  'a branch that is none': on((repo, { n }) => repo.git('update-ref', `refs/heads/plan/None-${n}`, 'refs/heads/main')),
  'a plan less': withBranch((repo, { branch }) => repo.git('update-ref', '-d', branch)),
  'a plan that is finished': withBranch((repo, { id, branch }) => {
    repo.git('update-ref', `refs/plan/${id}/final`, branch)
    repo.git('update-ref', '-d', branch)
  }),
  'a final tip elsewhere': on((repo, { id }) => repo.git('update-ref', `refs/plan/${id}/final`, 'refs/heads/main')),
  'a rollback to the tip': withBranch((repo, { id, branch, n }) => repo.rollBack(id, (n % 3) + 1, 'rollback', repo.git('rev-parse', branch))),
  'a rollback that was undone': withBranch((repo, { id, branch, n }) => repo.rollBack(id, (n % 3) + 1, 'undo', repo.git('rev-parse', branch))),
  'no rollback any more': on((repo, { id, n }) => repo.git('update-ref', '-d', `refs/plan/${id}/rollbacks/${(n % 3) + 1}`)),
  'an attempt': on((repo, { id, n }) => repo.git('update-ref', `refs/plan/${id}/attempts/one/${(n % 9) + 1}`, 'refs/heads/main')),
  'somebody at work': on(async (repo, { id }) => repo.hold(id, await identityOf(process.pid))),
  'somebody who died': on(async (repo, { id }) => repo.hold(id, { ...(await identityOf(process.pid)), start: '1' })),
  'somebody elsewhere': on(async (repo, { id }) => repo.hold(id, { ...(await identityOf(process.pid)), host: 'elsewhere' })),
  'nobody any more': on((repo, { id }) => repo.hold(id, undefined)),
  'a plan that is merged': withBranch((repo, { id, branch }) => {
    repo.import([repo.commitOn(branch, id, completed, { event: 'completed' })])
    repo.import([repo.commitOn('refs/heads/main', id, completed)])
  }),
  'another text where it was merged': on((repo, { id, n }) => repo.import([repo.commitOn('refs/heads/main', id, states[n % states.length] ?? completed)])),
  'a configuration': on((repo, { n }) => repo.onMain('.plans/config.yml', `${configurations[n % configurations.length]}\n`)),
  'another directory of plans': on((repo, { n }) => repo.git('config', 'plan.dir', n % 3 === 0 ? 'elsewhere' : '.plans')),
  'another branch that decides': on((repo, { id, n }) =>
    repo.git('config', 'plan.policyRef', n % 2 === 0 && repo.has(`refs/heads/plan/${id}`) ? `refs/heads/plan/${id}` : 'refs/heads/main'),
  ),
  'another time': on((_, { n }, world) => (world.now = new Date(Date.parse('2025-01-01T12:00:00Z') + (n % 40) * 86_400_000))),
  'packed refs': on((repo) => repo.git('pack-refs', '--all')),
  // Where it is read in pieces, git says where the second one ends.
  'histories that end early': on((repo) => {
    const below = repo.git('for-each-ref', '--format=%(parent)', 'refs/heads/plan/').split(/\s+/)
    writeFileSync(join(repo.root, '.git/shallow'), below.map((oid) => `${oid}\n`).join(''))
  }),
  'whole histories': on((repo) => rmSync(join(repo.root, '.git/shallow'), { force: true })),
} satisfies Readonly<Record<string, (repo: ManyPlans, chosen: Chosen, world: World) => unknown>>

export type Change = readonly [kind: keyof typeof changes, n: number]

export async function change(world: World, [kind, n]: Change): Promise<void> {
  const id = world.repo.ids[n % world.repo.ids.length] ?? ''
  await changes[kind](world.repo, { id, branch: `refs/heads/plan/${id}`, n }, world)
}
