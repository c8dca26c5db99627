// `git plan log`: the events of a plan and the output of its steps.

import { PlanError } from '../../errors.ts'
import type { Repository } from '../../git/repository.ts'
import { notesRef, type PlanId } from '../../plan/model/ids.ts'
import type { RecordedEvent } from '../../store/history.ts'
import type { Attempt, Rollback } from '../../store/attempts-and-rollbacks.ts'
import type { PlanSummary, PlanView } from '../../view/plan-view.ts'
import { stepNamed } from '../../view/steps.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { withPlan } from '../with-repository.ts'

export interface LogRequest {
  readonly plan?: string
  readonly output?: string
}

export interface LogData {
  readonly id: string
  /** Newest first. */
  readonly events: readonly RecordedEvent[]
  readonly foreign: PlanSummary['foreign']
  readonly attempts: readonly Attempt[]
  readonly rollbacks: readonly Rollback[]
}

export interface OutputData {
  readonly id: string
  readonly step: string
  readonly commit: string
  readonly output: string
}

export const log = (
  request: LogRequest,
  context: CommandContext,
): Promise<CommandResult<LogData | OutputData | object>> =>
  withPlan<LogData | OutputData>(
    request.plan,
    context,
    async (view, { repo }) => {
      if (request.output !== undefined)
        return { kind: 'output', exitCode: 0, data: await outputOf(repo, view, request.output) }
      const { id, foreign, attempts, rollbacks } = view.summary
      return { kind: 'log', exitCode: 0, data: { id, events: view.events, foreign, attempts, rollbacks } }
    },
    request.output === undefined ? undefined : 'log',
  )

async function outputOf(repo: Repository, view: PlanView, name: string): Promise<OutputData> {
  const { summary } = view
  const step = stepNamed(summary, name)
  const attempts = summary.attempts.filter((attempt) => attempt.step === step.id).map((attempt) => attempt.commit)
  for (const commit of [step.commit, ...attempts.toReversed()]) {
    const note = commit === null ? undefined : await readNote(repo, summary.id, commit)
    if (commit !== null && note !== undefined) return { id: summary.id, step: step.id, commit, output: note.toString() }
  }
  throw new PlanError(
    'wrong-state',
    `no output of ${step.id}: ${step.commit === null ? 'it has not run' : 'it printed nothing, or its notes were not fetched'}`,
    {
      hint:
        step.commit === null
          ? `git plan status ${summary.id}`
          : `git fetch origin ${notesRef(summary.id)}:${notesRef(summary.id)}`,
    },
  )
}

/**
 * Git spreads many notes over directories named after the first digits. They are read as blobs, since `git notes show`
 * would start `git show`.
 */
async function readNote(repo: Repository, id: PlanId, commit: string): Promise<Buffer | undefined> {
  for (const path of [
    commit,
    `${commit.slice(0, 2)}/${commit.slice(2)}`,
    `${commit.slice(0, 2)}/${commit.slice(2, 4)}/${commit.slice(4)}`,
  ]) {
    const note = await repo.readBlob(`${notesRef(id)}:${path}`)
    if (note !== undefined) return note
  }
  return undefined
}
