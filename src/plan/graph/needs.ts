// Problems with ids and needs: duplicates, unknown ids, cycles.

import type { Finding } from '../model/finding.ts'
import { describeValue } from '../file/issues.ts'
import { wavesOf } from './graph.ts'
import { suggest } from '../text/nearest.ts'
import { isId } from '../model/ids.ts'
import type { FindPosition } from '../file/yaml.ts'

interface NamedStep {
  readonly index: number
  readonly raw: Readonly<Record<string, unknown>>
  readonly id: string
  readonly needs: readonly string[]
}

/** `isWhole`: every step is valid, so every derived id is known. */
export function findGraphProblems(steps: readonly NamedStep[], isWhole: boolean, position: FindPosition): Finding[] {
  const twice = duplicates(steps, position)
  const areNamed = steps.every((step) => isWhole || typeof step.raw.id === 'string')
  if (!areNamed) return twice
  const unknown = unknownNeeds(steps, position)
  return [...twice, ...unknown, ...(twice.length > 0 ? [] : cycles(steps, position))]
}

/** Wave of each step, for steps without a cycle. */
export function waveMap(steps: readonly NamedStep[]): ReadonlyMap<string, number> {
  const result = wavesOf(steps)
  return result.ok ? result.waves : new Map()
}

function duplicates(steps: readonly NamedStep[], position: FindPosition): Finding[] {
  const seen = new Map<string, string>()
  const findings: Finding[] = []
  for (const step of steps) {
    // Refs are files: on a case-insensitive file system, names that differ only in case are the same.
    const key = step.id.toLowerCase()
    const other = seen.get(key)
    if (other === undefined) seen.set(key, step.id)
    else {
      const message =
        other === step.id
          ? `two steps have the id ${describeValue(step.id)}`
          : `two ids differ only in case: ${describeValue(other)} and ${describeValue(step.id)}`
      findings.push({
        rule: 'duplicate-id',
        severity: 'error',
        message,
        ...position(['steps', step.index, 'id']),
        advice: 'give one of them another id',
      })
    }
  }
  return findings
}

function unknownNeeds(steps: readonly NamedStep[], position: FindPosition): Finding[] {
  const ids = steps.map((step) => step.id)
  const known = new Set(ids)
  let reported = 0
  return steps.flatMap((step) =>
    (Array.isArray(step.raw.needs) ? (step.raw.needs as unknown[]) : []).flatMap((need, index): Finding[] => {
      const at = position(['steps', step.index, 'needs', index])
      if (typeof need !== 'string') return []
      if (need === step.id)
        return [
          {
            rule: 'cycle',
            severity: 'error',
            message: `the step ${describeValue(need)} needs itself`,
            ...at,
            step: step.id,
            advice: 'remove it from its own `needs`',
          },
        ]
      if (known.has(need) || ++reported > 50) return []
      return [
        {
          rule: 'unknown-need',
          severity: 'error',
          message: `there is no step ${describeValue(need)}`,
          ...at,
          step: step.id,
          advice: suggest(
            need,
            // An invalid id is reported at its own position, and may be long or contain anything.
            ids.filter((id) => id !== step.id && isId(id)),
          ),
        },
      ]
    }),
  )
}

function cycles(steps: readonly NamedStep[], position: FindPosition): Finding[] {
  const result = wavesOf(steps.map((step) => ({ id: step.id, needs: step.needs.filter((need) => need !== step.id) })))
  if (result.ok) return []
  // The cycle starts with its first step in the file, so that the same file always gives the same finding.
  const first = steps.find((step) => result.cycle.includes(step.id))!
  const start = result.cycle.indexOf(first.id)
  const circle = [...result.cycle.slice(start), ...result.cycle.slice(0, start), first.id]
  const shown = circle.length > 12 ? [...circle.slice(0, 11), '…', first.id] : circle
  return [
    {
      rule: 'cycle',
      severity: 'error',
      message: `steps depend on each other in a cycle: ${shown.join(' → ')}`,
      ...position(['steps', first.index, 'needs'], { key: true }),
      step: first.id,
      advice: 'remove one of them from the `needs` of another',
    },
  ]
}
