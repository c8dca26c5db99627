import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { blockedSteps, dependants, readySteps, waves, wavesOf } from '../../../src/plan/graph/graph.ts'
import type { Plan, StepStatus } from '../../../src/plan/model/plan.ts'
import { stepId } from '../../../src/plan/model/ids.ts'
import { fenced, parsed } from '../../helpers/plans.ts'

const diamond = (state: Record<string, StepStatus> = {}): Plan => {
  const entries = Object.entries(state).map(([id, status]) => `\n  ${id}: ${status}`)
  const matter = `steps:
  - {id: d, run: x, needs: [b, c]}
  - {id: b, run: x, needs: [a], allow_failure: true}
  - {id: a, run: x, needs: []}
  - {id: c, run: x, needs: [a]}
  - {id: e, run: x, needs: []}
status: active
state:${entries.length > 0 ? entries.join('') : ' {}'}`
  return parsed(fenced(matter)).plan
}
const ids = (steps: readonly { id: string }[]): string[] => steps.map((step) => step.id)

describe('a graph of steps', () => {
  test('has waves', () => {
    expect(waves(diamond()).map(ids)).toEqual([['a', 'e'], ['b', 'c'], ['d']])
  })
  test('says what is ready, in order of wave, then plan', () => {
    expect(ids(readySteps(diamond()))).toEqual(['a', 'e'])
    expect(ids(readySteps(diamond({ a: 'done' })))).toEqual(['e', 'b', 'c'])
    expect(ids(readySteps(diamond({ a: 'skipped', e: 'waiting', b: 'timeout', c: 'conflict' })))).toEqual(['e', 'c'])
    expect(ids(readySteps(diamond({ a: 'done', e: 'done', b: 'failed', c: 'done' })))).toEqual(['d'])
    expect(ids(readySteps(diamond(), { done: [stepId('a'), stepId('e')] }))).toEqual(['b', 'c'])
  })
  test('says what is blocked: all that needs a failure which was not allowed', () => {
    expect(ids(blockedSteps(diamond({ a: 'failed' })))).toEqual(['b', 'c', 'd'])
    expect(ids(blockedSteps(diamond({ a: 'done', b: 'failed' })))).toEqual([])
    expect(ids(blockedSteps(diamond({ a: 'done', c: 'timeout' })))).toEqual(['d'])
  })
  test('knows who depends on whom', () => {
    expect(ids(dependants(diamond(), stepId('a')))).toEqual(['d', 'b', 'c'])
    expect(ids(dependants(diamond(), stepId('d')))).toEqual([])
  })
})

const graphs = fc.array(fc.array(fc.nat(11), { maxLength: 4 }), { minLength: 1, maxLength: 12 }).map((needs) =>
  needs.map((list, index) => ({
    id: `s${index}`,
    needs: list.filter((need) => need < needs.length).map((need) => `s${need}`),
  })),
)

test('a graph has waves in which every step is after what it needs, or a cycle in which each needs the next', () => {
  fc.assert(
    fc.property(graphs, (steps) => {
      const result = wavesOf(steps)
      const byId = new Map(steps.map((step) => [step.id, step]))
      if (result.ok) {
        for (const step of steps)
          expect(result.waves.get(step.id)).toBe(Math.max(-1, ...step.needs.map((need) => result.waves.get(need)!)) + 1)
      } else {
        expect(result.cycle.length).toBeGreaterThan(0)
        for (const [index, id] of result.cycle.entries())
          expect(byId.get(id)?.needs).toContain(result.cycle[(index + 1) % result.cycle.length])
      }
    }),
  )
})

test('running what is ready until nothing is left runs every step once, after what it needs', () => {
  fc.assert(
    fc.property(graphs, (steps) => {
      const acyclic = steps.map((step) => ({
        ...step,
        needs: step.needs.filter((need) => Number(need.slice(1)) < Number(step.id.slice(1))),
      }))
      const { plan } = parsed(
        fenced(
          `steps:\n${acyclic.map((step) => `  - {id: ${step.id}, run: x, needs: [${step.needs.join(', ')}]}`).join('\n')}`,
        ),
      )
      const done = new Set<ReturnType<typeof stepId>>()
      for (let next = readySteps(plan, { done })[0]; next; next = readySteps(plan, { done })[0]) {
        expect(next.needs.every((need) => done.has(need))).toBe(true)
        done.add(next.id)
      }
      expect(done.size).toBe(plan.steps.length)
    }),
  )
})
