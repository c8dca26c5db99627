// `git plan log`: the events of a plan and the output of its steps.

import { PlanError } from '../../errors.ts'
import type { Repository } from '../../git/repository.ts'
import { notesRef, type Oid, type PlanId } from '../../plan/model/ids.ts'
import { isStepEvent, readHistory, type RecordedEvent } from '../../store/history.ts'
import { readRemoteFacts } from '../../store/remote-facts.ts'
import type { Attempt, Rollback } from '../../store/attempts-and-rollbacks.ts'
import type { PlanSummary, PlanView } from '../../view/plan-view.ts'
import { stepNamed, type StepView } from '../../view/steps.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { withPlan, type ReadContext } from '../with-repository.ts'

export interface LogRequest {
  readonly plan?: string
  readonly output?: string
  readonly follow?: boolean
}

export interface LogData {
  readonly id: PlanId
  readonly seen: PlanSummary['seen']
  /** Newest first. */
  readonly events: readonly RecordedEvent[]
  readonly foreign: PlanSummary['foreign']
  readonly attempts: readonly Attempt[]
  readonly rollbacks: readonly LoggedRollback[]
}

/** `steps`: those that it took off the branch, or that its undo put back, in their order. */
export interface LoggedRollback extends Rollback {
  readonly steps: readonly string[]
}

export interface OutputData {
  readonly id: string
  readonly step: string
  readonly commit: string
  readonly output: string
}

export async function log(
  request: LogRequest,
  context: CommandContext,
): Promise<CommandResult<LogData | OutputData | object>> {
  if (request.follow === true && request.output !== undefined)
    throw new PlanError('usage', '--follow and --output cannot be combined', { hint: 'git plan log -h' })
  const first = await logNow(request, context)
  if (request.follow !== true || first.kind !== 'log') return first
  const { followLog } = await import('./follow-log.ts')
  const plan = (first.data as LogData).id
  return { ...first, updates: followLog(first.data as LogData, () => logNow({ plan }, context), context) }
}

const logNow = (request: LogRequest, context: CommandContext): Promise<CommandResult<LogData | OutputData | object>> =>
  withPlan<LogData | OutputData>(
    request.plan,
    context,
    async (view, reading) => {
      if (request.output !== undefined)
        return { kind: 'output', exitCode: 0, data: await outputOf(view, reading, request.output, context.emit) }
      const { id, seen, foreign, attempts } = view.summary
      const rollbacks = await rollbacksOf(reading.repo, view)
      return { kind: 'log', exitCode: 0, data: { id, seen, events: view.events, foreign, attempts, rollbacks } }
    },
    request.output === undefined ? undefined : 'log',
  )

/** Without steps if the commits are gone. */
const rollbacksOf = (repo: Repository, { summary, file }: PlanView): Promise<LoggedRollback[]> =>
  Promise.all(
    summary.rollbacks.map(async (rollback) => {
      const [upper, lower] = rollback.event === 'undo' ? [rollback.to, rollback.from] : [rollback.from, rollback.to]
      const { events } = await readHistory(repo, upper as Oid, { id: summary.id, file }).catch(() => ({ events: [] }))
      const at = events.findIndex(({ commit }) => commit === lower)
      const crossed = at < 0 ? [] : events.slice(0, at).filter(isStepEvent)
      return { ...rollback, steps: crossed.flatMap(({ step }) => step ?? []).toReversed() }
    }),
  )

async function outputOf(
  view: PlanView,
  { repo, options }: ReadContext,
  name: string,
  emit: CommandContext['emit'],
): Promise<OutputData> {
  const { summary } = view
  const { id } = summary
  const step = stepNamed(summary, name)
  const commits = await runsOf(repo, view, step)
  const noted = await firstNote(repo, id, commits)
  if (noted !== undefined) return { id, step: step.id, ...noted }
  const [commit] = commits
  if (commit === undefined)
    throw new PlanError('wrong-state', `no output of ${step.id}: ${whyNone[step.seen] ?? 'it has not run'}`, {
      hint: `git plan status ${id}`,
    })
  const mayBeElsewhere =
    (await repo.tipOf(notesRef(id))) === undefined &&
    (await readRemoteFacts(repo, summary, { now: options.now })) !== null
  emit({
    kind: 'notice',
    message: `${step.id} printed nothing${mayBeElsewhere ? ', or its output was not fetched' : ''}`,
    ...(mayBeElsewhere ? { hint: `git plan fetch ${id}` } : {}),
  })
  return { id, step: step.id, commit, output: '' }
}

/** The output of the last run of the step; undefined: it has not run, or printed nothing. */
export const lastOutputOf = async (repo: Repository, view: PlanView, step: StepView): Promise<string | undefined> =>
  (await firstNote(repo, view.summary.id, await runsOf(repo, view, step)))?.output

async function firstNote(
  repo: Repository,
  id: PlanId,
  commits: readonly string[],
): Promise<{ readonly commit: string; readonly output: string } | undefined> {
  for (const commit of commits) {
    const note = await readNote(repo, id, commit)
    if (note !== undefined) return { commit, output: note.toString() }
  }
  return undefined
}

const whyNone: Readonly<Partial<Record<StepView['seen'], string>>> = {
  running: 'it is running, and its output is recorded when it ends',
  waiting: 'it waits for you',
  skipped: 'it was skipped',
}

/** The commits of the step, the most telling first: its result, its attempts, and results that were rolled back. */
async function runsOf(repo: Repository, { summary, events, file }: PlanView, step: StepView): Promise<string[]> {
  const ran = (some: readonly RecordedEvent[]): string[] =>
    some.flatMap(({ event, step: id, commit }) =>
      id === step.id && ['step', 'failed', 'declared'].includes(event) ? [commit] : [],
    )
  const result = ran(events.filter(({ commit }) => commit === step.commit))
  const attempts = summary.attempts.filter((attempt) => attempt.step === step.id).map(({ commit }) => commit)
  const found = [...result, ...attempts.toReversed(), ...ran(events)]
  if (found.length > 0) return found
  for (const { from } of summary.rollbacks.toReversed())
    found.push(...ran((await readHistory(repo, from as Oid, { id: summary.id, file })).events))
  return found
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
