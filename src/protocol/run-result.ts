// The result of `start`, `resume` and `rebase`: how the run ended, all fields of `status`, and the next commands.

import { PlanError } from '../errors.ts'
import type { RunEnd } from '../engine/schedule/run-plan.ts'
import type { CommandResult } from '../operation/context.ts'
import { nextCommands, waitingCommands } from '../operation/next-commands.ts'
import { rollbackAll } from './rollback-targets.ts'
import { summaryOf, type WriteContext } from '../operation/with-run.ts'
import type { RunData } from '../operation/results.ts'

/**
 * `keepsTree`: the files are to be inspected, or are the user's own, so not even `on_failure: rollback-all` removes
 * them.
 */
export async function runResult(
  writing: WriteContext,
  end: RunEnd,
  options: { keepsTree: boolean },
): Promise<CommandResult<RunData>> {
  const { run } = writing
  const { id } = run
  if (
    end.kind === 'failed' &&
    run.at.plan.onFailure === 'rollback-all' &&
    run.settings.automaticRollback &&
    !end.isUnknown &&
    !options.keepsTree
  ) {
    await rollbackAll(writing, `${end.step ?? 'the plan'} failed: ${end.message}`).catch((error: unknown) => {
      // The rollback was not allowed or not possible: the failure of the step is still the result to report.
      if (!(error instanceof PlanError) || error.code === 'system') throw error
      run.world.emit({
        kind: 'notice',
        message: `the plan was not rolled back: ${error.message}`,
        ...(error.hint === undefined ? {} : { hint: error.hint }),
      })
    })
  }
  const summary = await summaryOf(writing)
  const next = nextCommands(summary, { isPushed: run.publish !== undefined })
  const data = { ...summary, end: end.kind, where: run.tree?.root ?? null }
  switch (end.kind) {
    case 'completed':
      return {
        kind: 'report',
        exitCode: 0,
        data: {
          ...data,
          message: `Completed ${id}${end.outcome === 'partial' ? ' (partial: steps were skipped or allowed to fail)' : ''}`,
        },
        next: [`git plan report ${id}`, ...next.filter((command) => !command.startsWith('git plan report'))],
      }
    case 'failed':
      return {
        kind: 'report',
        exitCode: end.isUnknown ? 5 : 1,
        data: { ...data, message: `${end.step ?? id} failed: ${end.message}` },
        next,
      }
    case 'waiting':
      return {
        kind: 'report',
        exitCode: 5,
        data: {
          ...data,
          message: `${end.step} waits for ${end.for === 'pause' ? 'you to continue' : end.for === 'person' ? 'a person' : 'a decision'}: ${end.message}`,
        },
        next: end.for === 'pause' ? [`git plan resume ${id}`] : waitingCommands(summary),
      }
    case 'interrupted':
      return {
        kind: 'report',
        exitCode: 130,
        data: { ...data, message: `Interrupted; ${id} can be resumed from here` },
        next: [`git plan resume ${id}`],
      }
  }
}
