// Two people can decide at the same time. A decision takes only a moment, so the second one waits for the first; nobody
// waits for a run.

import { setTimeout } from 'node:timers/promises'
import { PlanError } from '../../errors.ts'
import type { CommandContext } from '../../operation/context.ts'
import { withRun, type WriteContext } from '../../operation/with-run.ts'

const shortCommands = new Set(['approve', 'reject', 'submit'])
const patienceMs = 15_000

export async function decide<T>(
  context: CommandContext,
  request: { plan: string | undefined; command: string },
  work: (writing: WriteContext) => Promise<T>,
): Promise<T> {
  const since = context.now().getTime()
  for (;;) {
    try {
      return await withRun(context, request, work)
    } catch (error) {
      if (!isTransient(error) || context.now().getTime() - since > patienceMs || context.signal.aborted) throw error
      await setTimeout(50)
    }
  }
}

function isTransient(error: unknown): boolean {
  if (!(error instanceof PlanError) || error.code !== 'held') return false
  const { holder } = (error.facts ?? {}) as { holder?: { command?: string } }
  return shortCommands.has(holder?.command ?? '')
}
