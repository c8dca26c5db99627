// The color of a status.

import type { Style } from '../style.ts'

export function paintStatus(status: string, style: Style): (text: string) => string {
  if (['completed', 'merged', 'done', 'approved', 'ok', 'LOW'].includes(status)) return style.green
  if (['failed', 'timeout', 'conflict', 'rejected', 'cancelled', 'fail', 'CRITICAL', 'HIGH'].includes(status))
    return style.red
  if (['running', 'active'].includes(status)) return style.cyan
  return ['pending', 'skipped', 'blocked', 'none'].includes(status) ? style.dim : style.yellow
}
