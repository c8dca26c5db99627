// After a run has stopped on a terminal: asks how to continue and does it, until the answer is to stop. Everything that
// changes the plan is a command, with all of its own checks.

import { PlanError } from '../../errors.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import type { ReplannedData } from '../../operation/results.ts'
import type { StatusData } from '../../commands/inspect/status.ts'
import { askNextStep, type NextAction, type NextCommand, type StoppedRun } from './ask-next-step.ts'
import type { Request } from './command-line.ts'
import { loadCommand } from './load-command.ts'
import type { Prompts } from './prompts.ts'

export interface Dialog {
  /** The request of the command that stopped. */
  readonly request: Request
  readonly context: CommandContext
  readonly prompts: Prompts
  /** Prints the result of a command. */
  readonly print: (command: string, result: CommandResult) => Promise<void>
  readonly reportRefusal: (error: PlanError) => void
  /** Opens the user's shell in a directory and waits. */
  readonly openShell: (directory: string) => Promise<void>
}

export async function continueAfterStop(first: CommandResult, dialog: Dialog): Promise<CommandResult> {
  const { request, context, prompts } = dialog
  // A fleet, or a plan that was already on its base: no step stopped.
  if (!('steps' in first.data)) return first
  let result = first
  let run = first.data as StoppedRun
  while (!context.signal.aborted) {
    const action = await askNextStep(run, request, prompts)
    if (action === undefined || context.signal.aborted) break
    try {
      const done = await perform(action, run, dialog)
      if (done !== undefined) {
        result = done.result
        run = result.data as StoppedRun
        if (done.isLast) break
        continue
      }
    } catch (error) {
      if (!(error instanceof PlanError) || context.signal.aborted) throw error
      dialog.reportRefusal(error)
    }
    // The plan may have been changed meanwhile: in the shell, or from elsewhere.
    const now = await currentState(run, context)
    if (now === undefined) return { ...result, next: [] }
    run = now.run
    result = { ...result, next: now.next }
  }
  return result
}

/** The new result of the run, if the action has one. */
async function perform(
  action: NextAction,
  run: StoppedRun,
  dialog: Dialog,
): Promise<{ readonly result: CommandResult; readonly isLast: boolean } | undefined> {
  const call = async (next: NextCommand): Promise<CommandResult> => {
    const result = await (await loadCommand(next.command)).run(next.request, dialog.context)
    await dialog.print(next.command, result)
    return result
  }
  switch (action.kind) {
    case 'run':
      return { result: await call(action.next), isLast: action.next.command === 'cancel' }
    case 'edit': {
      const edited = await call(action.edit)
      return (edited.data as ReplannedData).changed ? { result: await call(action.resume), isLast: false } : undefined
    }
    case 'show':
      for (const next of action.commands) await call(next)
      return undefined
    case 'shell':
      await dialog.openShell(run.where ?? dialog.context.cwd)
      return undefined
  }
}

/** undefined: the plan is gone. */
async function currentState(
  { id, where = null }: StoppedRun,
  context: CommandContext,
): Promise<{ readonly run: StoppedRun; readonly next: readonly string[] } | undefined> {
  try {
    const { data, next = [] } = await (await loadCommand('status')).run({ plan: id }, context)
    const summary = data as StatusData
    return { run: { ...summary, where: summary.workTree ?? where, end: summary.seen }, next }
  } catch (error) {
    if (error instanceof PlanError) return undefined
    throw error
  }
}
