// The frame of every reading command: opens the repository and reads the settings.

import type { Ref, Repository } from '../git/repository.ts'
import type { Oid, PlanId } from '../plan/model/ids.ts'
import { findPlan, openPlans, refuseToGuess } from '../store/resolve-plan.ts'
import { readPlanView, type PlanView, type ViewOptions } from '../view/plan-view.ts'
import type { CommandContext, CommandResult } from '../operation/context.ts'
import { readSettings, viewSettings, type Settings } from '../operation/settings.ts'
import { withStore } from './with-store.ts'

export interface ReadContext {
  readonly repo: Repository
  readonly settings: Settings
  readonly options: ViewOptions
}

export const withRepository = <T>(context: CommandContext, work: (reading: ReadContext) => Promise<T>): Promise<T> =>
  withStore(context, async (repo) => work(makeReadContext(repo, await readSettings(repo), context)))

function makeReadContext(repo: Repository, settings: Settings, context: CommandContext): ReadContext {
  const mayRun = async (plan: { readonly id: PlanId; readonly tip: Oid }): Promise<boolean> => {
    const { objectionToRun, subjectOf } = await import('../approval/flow/gate.ts')
    return (
      (await objectionToRun({ run: await subjectOf(repo, { ...plan, dir: settings.dir }), settings, context })) ===
      undefined
    )
  }
  return {
    repo,
    settings,
    options: { dir: settings.dir, now: context.now(), settings: viewSettings(settings), mayRun },
  }
}

/**
 * For readers of one plan: if none is named and there is no default plan, the result is the list. If the question is
 * about a step or the output goes to a file, the command is refused instead: `insists` is its name.
 */
export function withPlan<D extends object>(
  name: string | undefined,
  context: CommandContext,
  work: (view: PlanView, reading: ReadContext, refs: readonly Ref[]) => Promise<CommandResult<D>>,
  insists?: string,
): Promise<CommandResult<D | object>> {
  return withStore<CommandResult<D | object>>(context, async (repo) => {
    const settings = readSettings(repo)
    const dir = settings.then((read) => read.dir)
    // A plan that is named is found without it, and nobody else would notice that it failed.
    dir.catch(() => {})
    // Both run at the same time, but an error in the settings is reported first.
    const finding = Promise.allSettled([findPlan(repo, name, { dir })])
    const reading = makeReadContext(repo, await settings, context)
    const [sought] = await finding
    if (sought.status === 'rejected') throw sought.reason
    const found = sought.value
    if (found === undefined && insists !== undefined)
      return refuseToGuess(reading.repo, await openPlans(reading.repo, reading.settings.dir), insists)
    if (found === undefined) return (await import('./inspect/list.ts')).listPlans({}, reading)
    const view = await readPlanView(reading.repo, found.id, { ...reading.options, refs: found.refs })
    const result = await work(view, reading, found.refs)
    // The next commands need a work tree.
    return repo.isBare && result.next !== undefined ? { ...result, next: [] } : result
  })
}
