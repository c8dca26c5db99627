// The displayed status of a plan, in words.

import { escapeForTerminal } from '../plan/text/display.ts'

interface Seen {
  readonly seen: string
  readonly rolledBackTo: string | null
  readonly outcome?: string | null
  readonly holder?: { readonly waitsFor: string | null } | null
}

export const displayStatusText = (plan: Seen): string => {
  const waitsFor = plan.holder?.waitsFor ?? null
  if (plan.seen === 'running' && waitsFor !== null) return `waiting for ${escapeForTerminal(waitsFor)}`
  if (plan.seen === 'rolled-back') return `rolled back to ${plan.rolledBackTo ?? 'the start'}`
  return plan.seen === 'completed' && plan.outcome === 'partial' ? 'completed (partial)' : plan.seen
}
