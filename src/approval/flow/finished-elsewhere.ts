// A plan that was finished in another clone must not run here: its effects have already happened.

import { PlanError } from '../../errors.ts'
import type { Repository } from '../../git/repository.ts'
import type { Plan } from '../../plan/model/plan.ts'
import { finalRef } from '../../plan/model/ids.ts'
import { uniqueId } from '../../plan/model/names.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import { readMerged } from '../../store/merged.ts'
import { planIds } from '../../store/resolve-plan.ts'
import { planFile } from '../../store/plan-at.ts'
import { viewSettings, type Settings } from '../../operation/settings.ts'
import type { WriteContext } from '../../operation/with-run.ts'

export async function refuseFinishedElsewhere({ run, settings }: WriteContext): Promise<void> {
  const { id, repo } = run
  const hint = `git plan clone ${id}`
  if ((await repo.tipOf(finalRef(id))) !== undefined)
    throw new PlanError('wrong-state', `plan ${id} is finished: its last commit is ${finalRef(id)}`, { hint })
  await refuseMerged(repo, settings, run.at.plan, hint)
}

/**
 * Runs before a file is proposed, so that a refusal leaves nothing behind. If the final commit is here, `propose`
 * reports that itself.
 */
export async function refuseMergedFile(repo: Repository, settings: Settings, plan: Plan, file: string): Promise<void> {
  if ((await repo.tipOf(finalRef(plan.id))) !== undefined) return
  const id = uniqueId(`${plan.id}-2`, new Set(await planIds(repo)))
  await refuseMerged(repo, settings, plan, `git plan new --from ${quoteIfNeeded(file)} --id ${id}`)
}

async function refuseMerged(repo: Repository, settings: Settings, plan: Plan, hint: string): Promise<void> {
  const ref = await readMerged(repo, plan, {
    file: planFile(settings.dir, plan.id),
    policyRef: viewSettings(settings).policyRef,
  })
  if (ref === undefined) return
  const branch = ref.replace(/^refs\/(heads|remotes)\//, '')
  throw new PlanError('wrong-state', `plan ${plan.id} is finished: it is completed on ${branch}`, { hint })
}
