// Runs several plans at the same time, each in a work tree of its own. They share the number of steps that may run at
// once, and the display.

import { PlanError } from '../../errors.ts'
import { Slots } from '../../engine/schedule/slots.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import type { ManyRunsData } from '../../operation/results.ts'
import { withRepo } from '../../operation/with-run.ts'
import { jobsFor, type RunAnswer, type RunRequest, type Shared } from '../../protocol/run-protocol.ts'

/** Runs one of them. */
type RunOne = (target: string, context: CommandContext, shared: Shared) => Promise<RunAnswer>

export async function runMany(
  targets: readonly string[],
  request: RunRequest,
  context: CommandContext,
  runOne: RunOne,
): Promise<CommandResult<ManyRunsData>> {
  refuseRepeated(targets)
  const jobs = await withRepo(context, async (_, settings) => jobsFor({ request, settings }))
  context.emit({ kind: 'plans-started', plans: targets, jobs })
  const shared = { slots: new Slots(jobs) }
  // Questions of several plans at once could not be told apart.
  const alone = { ...context, isInteractive: false, signal: context.signal }
  const ended = await Promise.allSettled(targets.map((target) => outcomeOf(target, runOne(target, alone, shared))))
  const bug = ended.find((each) => each.status === 'rejected')
  if (bug !== undefined) throw bug.reason as Error
  const runs = ended.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const isCompleted = runs.filter(({ exitCode }) => exitCode === 0).length
  return {
    kind: 'reports',
    exitCode: runs.find(({ exitCode }) => exitCode !== 0)?.exitCode ?? 0,
    data: {
      plans: runs,
      message: [
        ...runs.flatMap(({ target, message, hint }) => [
          `${target}: ${message}`,
          ...(hint === undefined ? [] : hint.split('\n').map((line) => `  ${line}`)),
        ]),
        `${isCompleted} of ${runs.length} plans completed`,
      ],
    },
    next: [...new Set(runs.flatMap(({ nextCommands }) => nextCommands.slice(0, 1)))],
  }
}

type Outcome = ManyRunsData['plans'][number]

/** A plan that is refused does not stop the others. */
async function outcomeOf(target: string, running: Promise<RunAnswer>): Promise<Outcome> {
  try {
    const { data, exitCode, next = [] } = await running
    const message = typeof data.message === 'string' ? data.message : data.message.join('; ')
    return { target, id: data.id, exitCode, message, nextCommands: next, ...('end' in data ? { end: data.end } : {}) }
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    const { exitCode, message, code, hint } = error
    return { target, exitCode, message, error: code, ...(hint === undefined ? {} : { hint }), nextCommands: [] }
  }
}

function refuseRepeated(targets: readonly string[]): void {
  const repeated = targets.find((target, at) => targets.indexOf(target) !== at)
  if (repeated !== undefined)
    throw new PlanError('usage', `${JSON.stringify(repeated)} is named twice`, { hint: 'git plan start -h' })
}
