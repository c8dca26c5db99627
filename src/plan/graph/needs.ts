// What is wrong with ids and needs: twice the same, unknown, in a circle.

import type { Finding } from '../model/finding.ts'
import { described } from '../file/issues.ts'
import { wavesOf } from './graph.ts'
import { suggest } from '../text/nearest.ts'
import { isId } from '../model/ids.ts'
import type { FindPlace } from '../file/yaml.ts'

interface Named {
  readonly index: number
  readonly raw: Readonly<Record<string, unknown>>
  readonly id: string
  readonly needs: readonly string[]
}

/** `isWhole`: every step kept its schema, so that every derived id is known. */
export function findGraphProblems(steps: readonly Named[], isWhole: boolean, place: FindPlace): Finding[] {
  const twice = duplicates(steps, place)
  const areNamed = steps.every((step) => isWhole || typeof step.raw.id === 'string')
  if (!areNamed) return twice
  const unknown = unknownNeeds(steps, place)
  return [...twice, ...unknown, ...(twice.length > 0 ? [] : cycles(steps, place))]
}

/** For steps without a cycle. */
export function waveMap(steps: readonly Named[]): ReadonlyMap<string, number> {
  const result = wavesOf(steps)
  return result.ok ? result.waves : new Map()
}

function duplicates(steps: readonly Named[], place: FindPlace): Finding[] {
  const seen = new Map<string, string>()
  const findings: Finding[] = []
  for (const step of steps) {
    // Refs are files on disk: on some disks two names that differ in case are one.
    const key = step.id.toLowerCase()
    const other = seen.get(key)
    if (other === undefined) seen.set(key, step.id)
    else {
      const message =
        other === step.id
          ? `two steps have the id ${described(step.id)}`
          : `two ids differ only in case: ${described(other)} and ${described(step.id)}`
      findings.push({
        rule: 'duplicate-id',
        severity: 'error',
        message,
        ...place(['steps', step.index, 'id']),
        advice: 'give one of them another id',
      })
    }
  }
  return findings
}

function unknownNeeds(steps: readonly Named[], place: FindPlace): Finding[] {
  const ids = steps.map((step) => step.id)
  const known = new Set(ids)
  let reported = 0
  return steps.flatMap((step) =>
    (Array.isArray(step.raw.needs) ? (step.raw.needs as unknown[]) : []).flatMap((need, index): Finding[] => {
      const at = place(['steps', step.index, 'needs', index])
      if (typeof need !== 'string') return []
      if (need === step.id)
        return [
          {
            rule: 'cycle',
            severity: 'error',
            message: `the step ${described(need)} needs itself`,
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
          message: `there is no step ${described(need)}`,
          ...at,
          step: step.id,
          advice: suggest(
            need,
            // One that is no id is refused at its own place, and may be long or hold anything.
            ids.filter((id) => id !== step.id && isId(id)),
          ),
        },
      ]
    }),
  )
}

function cycles(steps: readonly Named[], place: FindPlace): Finding[] {
  const result = wavesOf(steps.map((step) => ({ id: step.id, needs: step.needs.filter((need) => need !== step.id) })))
  if (result.ok) return []
  // The circle starts with the step that comes first in the file, so that the same file always gives the same finding.
  const first = steps.find((step) => result.cycle.includes(step.id))!
  const start = result.cycle.indexOf(first.id)
  const circle = [...result.cycle.slice(start), ...result.cycle.slice(0, start), first.id]
  const shown = circle.length > 12 ? [...circle.slice(0, 11), '…', first.id] : circle
  return [
    {
      rule: 'cycle',
      severity: 'error',
      message: `steps depend on each other in a cycle: ${shown.join(' → ')}`,
      ...place(['steps', first.index, 'needs'], { key: true }),
      step: first.id,
      advice: 'remove one of them from the `needs` of another',
    },
  ]
}
