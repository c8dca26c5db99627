// The last lines of the steps that run, as they come.

import { useEffect, useState } from 'preact/hooks'
import { listen } from './live.ts'

const most = 500

interface Lines {
  readonly attempt: number
  readonly lines: readonly string[]
}

/** Of the plan that the page follows, by step. Kept outside of components, since a component is made again. */
let kept: { readonly plan: string; readonly steps: ReadonlyMap<string, Lines> } = { plan: '', steps: new Map() }

listen(({ output, isConnected }) => {
  // The server begins with the last lines.
  if (isConnected === true) kept = { plan: '', steps: new Map() }
  if (output === undefined) return
  const { plan, step, attempt, text } = output
  const last = kept.plan === plan ? kept.steps.get(step) : undefined
  if (last !== undefined && last.attempt > attempt) return
  const before = last?.attempt === attempt ? last.lines : []
  const lines = [...before, ...text.replace(/\n$/, '').split('\n')].slice(-most)
  kept = { plan, steps: new Map([...(kept.plan === plan ? kept.steps : []), [step, { attempt, lines }]]) }
})

export function useOutput(plan: string): (step: string) => readonly string[] {
  const [, draw] = useState(kept)
  useEffect(
    () =>
      listen(({ output, isConnected }) => {
        if (output?.plan === plan || isConnected === true) draw(kept)
      }),
    [plan],
  )
  return (step) => (kept.plan === plan ? (kept.steps.get(step)?.lines ?? []) : [])
}
