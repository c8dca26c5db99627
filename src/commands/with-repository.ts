// What every reading command begins and ends with.

import { Repository } from '../git/repository.ts'
import type { Oid, PlanId } from '../plan/values.ts'
import { gitEnvironment } from '../process/environment.ts'
import { findPlan, openPlans, refuseToGuess } from '../report/resolve-plan.ts'
import { readPlanView, type PlanView, type ViewOptions } from '../report/view.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { readSettings, viewSettings, type Settings } from './settings.ts'

export interface Reading {
  readonly repo: Repository
  readonly settings: Settings
  readonly options: ViewOptions
}

export async function withRepository<T>(context: CommandContext, work: (reading: Reading) => Promise<T>): Promise<T> {
  const repo = await Repository.open({ cwd: context.cwd, env: gitEnvironment(context.env) })
  try {
    const settings = await readSettings(repo)
    const mayRun = async (plan: { readonly id: PlanId; readonly tip: Oid }): Promise<boolean> => {
      const { objectionToRun, subjectOf } = await import('./gate.ts')
      return (await objectionToRun({ session: await subjectOf(repo, { ...plan, dir: settings.dir }), settings, context })) === undefined
    }
    return await work({ repo, settings, options: { dir: settings.dir, now: context.now(), settings: viewSettings(settings), mayRun } })
  } finally {
    repo.close()
  }
}

/** For readers of one plan: where none is named and none is plain, the answer is the list. But not to a question about a step, or for a file: `insists` is that command. */
export function withPlan<D extends object>(
  name: string | undefined,
  context: CommandContext,
  work: (view: PlanView, reading: Reading) => Promise<CommandResult<D>>,
  insists?: string,
): Promise<CommandResult<D | object>> {
  return withRepository<CommandResult<D | object>>(context, async (reading) => {
    const found = await findPlan(reading.repo, name, { dir: reading.settings.dir })
    if (found === undefined && insists !== undefined) return refuseToGuess(reading.repo, await openPlans(reading.repo, reading.settings.dir), insists)
    if (found === undefined) return (await import('./list.ts')).listPlans({}, reading)
    return work(await readPlanView(reading.repo, found.id, { ...reading.options, refs: found.refs }), reading)
  })
}
