// The color of a status.

import { escapeForTerminal } from '../../../plan/text/display.ts'
import type { Style } from '../style.ts'

export function paintStatus(status: string, style: Style): (text: string) => string {
  if (['completed', 'merged', 'done', 'approved', 'ok', 'LOW'].includes(status)) return style.green
  if (['failed', 'timeout', 'conflict', 'rejected', 'cancelled', 'fail', 'CRITICAL', 'HIGH'].includes(status))
    return style.red
  if (['running', 'active'].includes(status)) return style.cyan
  return ['pending', 'skipped', 'blocked', 'none'].includes(status) ? style.dim : style.yellow
}

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
