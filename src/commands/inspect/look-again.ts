// For commands that look at a plan again and again.

import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves after a second; false if the command was interrupted. */
export async function pauseBetweenLooks(signal: AbortSignal, ms = 1000): Promise<boolean> {
  await sleep(ms, undefined, { signal }).catch(() => {})
  return !signal.aborted
}

/** True if no command of this plan is expected to change it again. */
export const hasEnded = (seen: string): boolean => ['completed', 'merged', 'cancelled', 'rejected'].includes(seen)
