// The color and the symbol of a status.

import type { SeenStepStatus } from '../../view/steps.ts'
import type { Style } from '../cli/style.ts'

export function paintStatus(status: string, style: Style): (text: string) => string {
  if (['completed', 'merged', 'done', 'approved', 'ok', 'LOW'].includes(status)) return style.green
  if (['failed', 'timeout', 'conflict', 'rejected', 'cancelled', 'fail', 'CRITICAL', 'HIGH'].includes(status))
    return style.red
  if (['running', 'active'].includes(status)) return style.cyan
  return ['pending', 'skipped', 'blocked', 'none'].includes(status) ? style.dim : style.yellow
}

export const signOf = (seen: SeenStepStatus, { signs }: Style): string => {
  if (seen === 'pending') return ' '
  return seen === 'timeout' || seen === 'conflict' ? signs.failed : signs[seen]
}
