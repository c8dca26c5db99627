import { describe, expect, test } from 'vitest'
import { PlanError } from '../../../src/errors.ts'
import { canHappen, isFinal, nextStatus, outcomeOf, planEvents } from '../../../src/plan/model/lifecycle.ts'
import { planStatuses } from '../../../src/plan/model/plan.ts'
import { fenced, parsed } from '../../helpers/plans.ts'

// Every pair of event and status, so that a change of the table is a change here.
const table: Record<string, string> = {
  proposed: 'proposed→proposed rejected→proposed',
  approved:
    'proposed→approved approved→approved rejected→approved active→approved waiting→approved failed→approved completed→approved',
  rejected: 'proposed→rejected approved→rejected',
  baseline: 'approved→approved active→approved waiting→approved failed→approved',
  step: 'approved→active active→active waiting→active failed→active',
  failed: 'approved→failed active→failed waiting→failed failed→failed',
  skipped: 'approved→active active→active waiting→active failed→active',
  declared: 'approved→active active→active waiting→active failed→active',
  fixed: 'approved→active active→active waiting→active failed→active',
  replanned: 'proposed→proposed approved→proposed rejected→proposed active→proposed waiting→proposed failed→proposed',
  waiting: 'approved→waiting active→waiting waiting→waiting failed→waiting',
  completed: 'approved→completed active→completed waiting→completed failed→completed',
  cancelled:
    'proposed→cancelled approved→cancelled rejected→cancelled active→cancelled waiting→cancelled failed→cancelled completed→cancelled',
  rebased:
    'proposed→proposed approved→proposed rejected→proposed active→proposed waiting→proposed failed→proposed completed→proposed cancelled→proposed',
}

describe('the life of a plan', () => {
  test.each(planEvents)('%s happens where the table says so and nowhere else', (event) => {
    const allowed = planStatuses
      .filter((status) => canHappen(event, status))
      .map((status) => `${status}→${nextStatus(event, status)}`)
    expect(allowed.join(' ')).toBe(table[event])
    for (const status of planStatuses.filter((status) => !canHappen(event, status))) {
      expect(() => nextStatus(event, status)).toThrow(expect.objectContaining({ code: 'wrong-state' }))
    }
  })
  test('only a proposal makes a plan', () => {
    expect(nextStatus('proposed', undefined)).toBe('proposed')
    expect(planEvents.filter((event) => canHappen(event, undefined))).toEqual(['proposed'])
    expect(() => nextStatus('step', undefined)).toThrow(PlanError)
  })
  test('a failure may leave the plan active, and nothing else', () => {
    expect(nextStatus('failed', 'active', { wanted: 'active' })).toBe('active')
    expect(() => nextStatus('failed', 'active', { wanted: 'completed' })).toThrow(PlanError)
  })
  test('ends completed or cancelled', () => {
    expect(planStatuses.filter(isFinal)).toEqual(['completed', 'cancelled'])
  })
  test('is complete where every step is done, partial otherwise', () => {
    const outcome = (state: string): string =>
      outcomeOf(
        parsed(
          fenced(
            `steps:\n  - {id: a, run: x}\n  - {id: b, run: x, allow_failure: true}\nstatus: completed\nstate: ${state}`,
          ),
        ).plan,
      )
    expect(outcome('{a: done, b: done}')).toBe('complete')
    expect(outcome('{a: done, b: failed}')).toBe('partial')
    expect(outcome('{a: done, b: skipped}')).toBe('partial')
  })
})
