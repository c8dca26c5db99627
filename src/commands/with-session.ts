// What every writing command begins and ends with: the repository, the settings, the lock, recovery, the plan at its tip.

import { PlanError } from '../errors.ts'
import type { Repository } from '../git/repository.ts'
import { readHistory, type History } from '../report/history.ts'
import { planNamed, requirePlan } from '../report/resolve-plan.ts'
import { readPlanView, type PlanSummary } from '../report/view.ts'
import { recover } from '../run/recover.ts'
import { openRepository, Session, type World } from '../run/session.ts'
import type { PlanId, StepId } from '../plan/values.ts'
import type { CommandContext } from './context.ts'
import { readSettings, runSettings, viewSettings, type Settings } from './settings.ts'

export interface Writing {
  readonly session: Session
  readonly settings: Settings
  readonly context: CommandContext
}

export const worldOf = (context: CommandContext): World => ({ env: context.env, now: () => context.now(), emit: context.emit, signal: context.signal })

export async function withRepo<T>(context: CommandContext, work: (repo: Repository, settings: Settings) => Promise<T>): Promise<T> {
  const repo = await openRepository(context)
  try {
    await repo.headCommit()
    return await work(repo, await readSettings(repo))
  } finally {
    repo.close()
  }
}

export async function withSession<T>(context: CommandContext, request: { plan: string | undefined; command: string }, work: (writing: Writing) => Promise<T>): Promise<T> {
  return withRepo(context, async (repo, settings) => {
    const id = await requirePlan(repo, request.plan, { dir: settings.dir, command: request.command })
    return withPlanSession(context, { repo, settings, id, command: request.command }, work)
  })
}

export async function withPlanSession<T>(
  context: CommandContext,
  parts: { repo: Repository; settings: Settings; id: PlanId; command: string },
  work: (writing: Writing) => Promise<T>,
): Promise<T> {
  const { repo, settings, id, command } = parts
  const session = await Session.open({ repo, id, command, settings: runSettings(settings), world: worldOf(context) })
  try {
    await recover(session)
    await session.load()
    return await work({ session, settings, context })
  } finally {
    await session.close()
  }
}

export const historyOf = (session: Session): Promise<History> => readHistory(session.repo, session.at.tip, { id: session.id, file: session.planPath })

export async function summaryOf({ session, settings, context }: Writing): Promise<PlanSummary> {
  const view = await readPlanView(session.repo, session.id, { dir: settings.dir, now: context.now(), settings: viewSettings(settings), ownRun: session.run })
  return view.summary
}

export function stepNamed(session: Session, name: string): StepId {
  const step = session.at.plan.steps.find((each) => each.id === name)
  if (step !== undefined) return step.id
  throw new PlanError('unknown-step', `plan ${session.id} has no step ${JSON.stringify(name.slice(0, 80))}`, { hint: `its steps: ${session.at.plan.steps.map((each) => each.id).join(', ')}` })
}

export { planNamed }
