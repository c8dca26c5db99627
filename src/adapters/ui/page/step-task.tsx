// What a step is to do, as its plan says it.

import type { VNode } from 'preact'
import type { Show } from './api.ts'

type ShownStep = Show['steps'][number]

export function Task({ step }: { readonly step: ShownStep }): VNode {
  const spec = Object.entries(step.spec as Readonly<Record<string, unknown>>)
  const more: readonly (readonly [string, string])[] = [
    ...(step.goal === undefined ? [] : [['goal', step.goal] as const]),
    ...(step.owner === undefined ? [] : [['owner', step.owner] as const]),
    ...(step.files === undefined ? [] : [['files', step.files.join('\n')] as const]),
    ...(step.effect === 'external' ? [['effect', 'external'] as const] : []),
    ...(step.undo === undefined ? [] : [['undo', step.undo] as const]),
    ...(step.notes === undefined ? [] : [['notes', step.notes] as const]),
    ...(step.reasons.length === 0 ? [] : [['risk', step.reasons.join('\n')] as const]),
  ]
  return (
    <section class="card">
      <h2>Task</h2>
      <dl class="spec">
        {[...spec.map(([key, value]) => [key, textOf(value)] as const), ...more].map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>
              {/* A box that scrolls is reached by the keyboard. */}
              <pre tabIndex={value.length > 160 ? 0 : undefined}>{value}</pre>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))
