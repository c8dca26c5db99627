// What the history of the plan tells the agent or driver of a step: the reports of the steps that it needs, why the
// plan was rejected, and the attempt that failed before.

import { notesRef, type PlanId } from '../../plan/model/ids.ts'
import { claimFromText } from '../../plan/model/claim.ts'
import { statusOf, type Plan, type Step } from '../../plan/model/plan.ts'
import { hasFailed } from '../../plan/model/step-status.ts'
import type { Told } from '../../plan/agents/prompt.ts'
import { parseMessage } from '../../plan/record/trailers.ts'
import { numberedRefs } from '../../plan/record/numbered-refs.ts'
import type { Repository } from '../../git/repository.ts'
import { readHistory, type RecordedEvent } from '../../store/history.ts'
import type { Worker } from '../run/worker.ts'

interface Source {
  readonly repo: Repository
  readonly id: PlanId
  /** Newest first. */
  readonly events: readonly RecordedEvent[]
}

export async function toldToAgent({ run, at }: Pick<Worker, 'run' | 'at'>, step: Step): Promise<Told> {
  const { events } = await readHistory(run.repo, at.tip, { id: run.id, file: run.planPath, ahead: undefined })
  const told = await toldAbout({ repo: run.repo, id: run.id, events }, step)
  return { ...told, comments: [...told.comments, ...((await run.readRemarks?.()) ?? [])] }
}

export async function toldAbout(source: Source, step: Step): Promise<Told> {
  const { events } = source
  const claims = step.needs.flatMap((id) => {
    const claim = claimFromText(events.find((event) => event.step === id && event.claim !== undefined)?.claim)
    return claim === undefined ? [] : [{ step: id, claim }]
  })
  return { claims, previous: await previousAttempt(source, step), comments: saidIn(events) }
}

/** For the agent that writes the remaining steps anew: failures with their output, and what people said. */
export async function whatHappened(source: Source, plan: Plan): Promise<string[]> {
  const failed = plan.steps.filter(({ id }) => hasFailed(plan, id) || statusOf(plan, id) === 'conflict')
  const attempts = await Promise.all(
    failed.map(async (step) => {
      const previous = await previousAttempt(source, step)
      const output = previous === undefined ? '' : previous.output.trim().slice(-mostOutput)
      return `Step ${step.id} failed: ${previous?.message ?? ''}${output === '' ? '' : `\n\n    ${output.replaceAll('\n', '\n    ')}`}`
    }),
  )
  return [...attempts, ...saidIn(source.events).map((each) => `A person said: ${each}`)]
}

const mostOutput = 6000

/** The reasons of rejections, newest first. */
const saidIn = (events: readonly RecordedEvent[]): string[] =>
  events.flatMap(({ event, by, reason }) => (event === 'rejected' && reason !== undefined ? [`${by}: ${reason}`] : []))

async function previousAttempt({ repo, id }: Source, step: Step): Promise<Told['previous']> {
  const refs = await repo.refs(`refs/plan/${id}/attempts/${step.id}/`)
  const newest = numberedRefs(id, refs).toSorted((a, b) => b.number - a.number)[0]
  if (newest === undefined) return undefined
  const commit = await repo.readCommit(newest.ref.oid)
  if (commit === undefined) return undefined
  const message = parseMessage(commit.message).trailers.get('Plan-Reason') ?? ''
  const note = await repo.git.run(['notes', `--ref=${notesRef(id)}`, 'show', newest.ref.oid], { ok: [0, 1] })
  return { attempt: newest.number, message, output: note.code === 0 ? note.stdout.toString('utf8') : '' }
}
