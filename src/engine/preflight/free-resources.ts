// Free memory and disk space before a run.

import { statfsSync } from 'node:fs'
import { freemem } from 'node:os'
import type { Plan } from '../../plan/model/plan.ts'
import { isSettled } from '../../plan/model/step-status.ts'

const megabyte = 1024 * 1024
const leastDisk = 50 * megabyte
const leastMemory = 64 * megabyte

/** undefined: each of these directories has room. */
export function diskProblem(directories: readonly string[], freeIn = freeBytes): string | undefined {
  for (const directory of directories) {
    const free = freeIn(directory)
    if (free < leastDisk) return `only ${Math.floor(free / megabyte)} MB of disk space are free in ${directory}`
  }
  return undefined
}

function freeBytes(directory: string): number {
  const facts = statfsSync(directory)
  return facts.bavail * facts.bsize
}

export const memoryProblem = (available = availableMemory()): string | undefined =>
  available < leastMemory ? `only ${Math.floor(available / megabyte)} MB of memory are available` : undefined

/** A remaining step that may use more memory than there is. */
export function memoryWarning(plan: Plan, available = availableMemory()): string | undefined {
  const step = plan.steps.find(({ id, limits }) => !isSettled(plan, id) && (limits.memory ?? 0) > available)
  return step === undefined
    ? undefined
    : `${step.id} may use ${Math.floor((step.limits.memory ?? 0) / megabyte)} MB of memory, and ${Math.floor(available / megabyte)} MB are available`
}

/** Within the limits of a container, where Node tells them. */
function availableMemory(): number {
  const { availableMemory: ofProcess } = process as { availableMemory?: () => number }
  return ofProcess?.() ?? freemem()
}
