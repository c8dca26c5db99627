// The result of `start`, `resume` and `rebase`: how the run ended, all fields of `status`, and the next commands.

import { PlanError } from '../errors.ts'
import { isFailure } from '../plan/model/step-status.ts'
import type { RunEnd } from '../engine/schedule/run-end.ts'
import type { CommandResult } from '../operation/context.ts'
import { nextCommands } from '../operation/next-commands.ts'
import { rollbackAll } from './rollback-targets.ts'
import { summaryOf, type WriteContext } from '../operation/with-run.ts'
import type { RunData } from '../operation/results.ts'
import type { PlanSummary } from '../view/plan-view.ts'

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
  if (end.kind === 'failed' && run.at.plan.onFailure === 'rollback-all' && !end.isUnknown && !options.keepsTree) {
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
          message: `Completed ${id}${completedSteps(end.outcome, summary)} (${summary.tip.slice(0, 7)})`,
        },
        next: [`git plan report ${id}`, ...next.filter((command) => !command.startsWith('git plan report'))],
      }
    case 'failed':
      return {
        kind: 'report',
        exitCode: end.isUnknown ? 5 : 1,
        data: { ...data, message: stoppedAt(end, summary) },
        next,
      }
    case 'waiting':
      return {
        kind: 'report',
        exitCode: 5,
        data: {
          ...data,
          message: `${end.for === 'pause' ? `Paused after ${end.step}` : `Waiting for a ${end.for} at ${end.step}`}: ${stepsDone(summary)}`,
        },
        next: end.for === 'pause' ? [`git plan resume ${id}`] : next,
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

// The progress lines have said why the step failed and what a waiting one asks: these say only how far the plan got.

const stepsDone = ({ progress }: PlanSummary): string => `${progress.done} of ${progress.total} steps done`

function completedSteps(outcome: 'complete' | 'partial', summary: PlanSummary): string {
  if (outcome === 'complete') return `: ${stepsDone(summary)}`
  const skipped = summary.steps.filter(({ status }) => status === 'skipped').length
  const failed = failedSteps(summary).length
  const others = [skipped > 0 ? `, ${skipped} skipped` : '', failed > 0 ? `, ${failed} failed` : '']
  return `, partially: ${summary.progress.done} done${others.join('')}`
}

function stoppedAt(end: Extract<RunEnd, { kind: 'failed' }>, summary: PlanSummary): string {
  if (end.step === undefined) return `Stopped: ${end.message}`
  const failed = failedSteps(summary).filter(({ allowFailure }) => !allowFailure)
  return failed.length > 1
    ? `${failed.length} steps failed: ${failed.map(({ id }) => id).join(', ')}; ${stepsDone(summary)}`
    : `Stopped at ${end.step}: ${stepsDone(summary)}`
}

const failedSteps = ({ steps }: PlanSummary): PlanSummary['steps'] => steps.filter(({ status }) => isFailure(status))
