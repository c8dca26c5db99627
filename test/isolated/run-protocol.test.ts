// The protocol of a run: which phases a command has, and how often it reads the facts it decides by.

import { readFileSync } from 'node:fs'
import { expect, vi } from 'vitest'
import { rebasePhases } from '../../src/commands/run/rebase.ts'
import { resumePhases } from '../../src/commands/run/resume.ts'
import { startPhases } from '../../src/commands/run/start.ts'
import { planText, test } from '../helpers/repo.ts'

const { counts, counted } = vi.hoisted(() => {
  const counts = new Map<string, number>()
  const counted =
    <A extends unknown[], R>(name: string, work: (...args: A) => R, isCounted: (...args: A) => boolean = () => true) =>
    (...args: A): R => {
      if (isCounted(...args)) counts.set(name, (counts.get(name) ?? 0) + 1)
      return work(...args)
    }
  return { counts, counted }
})

vi.mock('../../src/plan/file/read-plan.ts', async (original) => {
  const module = await original<typeof import('../../src/plan/file/read-plan.ts')>()
  return { ...module, readPlan: counted('plan text', module.readPlan) }
})
vi.mock('../../src/store/history.ts', async (original) => {
  const module = await original<typeof import('../../src/store/history.ts')>()
  // One that only adds the commits since the last one is not a reading of the history.
  const isWhole = (...[, , request]: Parameters<typeof module.readHistory>): boolean => request.below === undefined
  return { ...module, readHistory: counted('history', module.readHistory, isWhole) }
})
vi.mock('../../src/judge/plan/check-plan.ts', async (original) => {
  const module = await original<typeof import('../../src/judge/plan/check-plan.ts')>()
  return { ...module, checkPlan: counted('rules', module.checkPlan) }
})
vi.mock('../../src/engine/run/lock.ts', async (original) => {
  const module = await original<typeof import('../../src/engine/run/lock.ts')>()
  const isOfPlan = (...[, holder]: Parameters<typeof module.acquireLock>): boolean => holder.plan === undefined
  return { ...module, acquireLock: counted('run', module.acquireLock, isOfPlan) }
})
vi.mock('../../src/git/worktree/work-tree.ts', async (original) => {
  const module = await original<typeof import('../../src/git/worktree/work-tree.ts')>()
  class Counted extends module.WorkTree {
    // Each scan is one `git status`.
    override scan(...args: Parameters<InstanceType<typeof module.WorkTree>['scan']>) {
      counts.set('status', (counts.get('status') ?? 0) + 1)
      return super.scan(...args)
    }
  }
  return { ...module, WorkTree: Counted }
})

test('start FILE --approve of a plan with two steps reads each fact about once', async ({ repo }) => {
  repo.write('../home/p.md', planText('  - {id: one, run: echo 1 > one.txt}\n  - {id: two, run: echo 2 > two.txt}'))
  counts.clear()
  const ran = await repo.plan(['start', '../home/p.md', '--approve'], { isBinary: false })
  expect(ran.code, ran.all).toBe(0)
  expect(counts.get('run')).toBe(1)
  expect(counts.get('plan text')).toBeLessThanOrEqual(3)
  expect(counts.get('status')).toBeLessThanOrEqual(3)
  expect(counts.get('history')).toBeLessThanOrEqual(2)
  expect(counts.get('rules')).toBeLessThanOrEqual(2)
})

test('start, resume and rebase are lists of phases, as docs/design.md says', () => {
  const design = readFileSync(new URL('../../docs/design.md', import.meta.url), 'utf8').replace(/\s+/g, ' ')
  for (const [command, phases] of Object.entries({ start: startPhases, resume: resumePhases, rebase: rebasePhases })) {
    const line = `- \`${command}\`: ${phases.map(({ name }) => name).join(' → ')}`
    expect(design, `docs/design.md says:\n${line}`).toContain(line)
  }
})
