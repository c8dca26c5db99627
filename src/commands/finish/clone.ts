// `git plan clone`: proposes a plan again under another id, with no step done.

import { afterProposal } from '../../operation/approval-ways.ts'
import { uniqueId } from '../../plan/model/names.ts'
import { isId, type PlanId } from '../../plan/model/ids.ts'
import { clonedFromText } from '../../plan/record/cloned-from.ts'
import { withPlanId } from '../../plan/file/write.ts'
import { idAdvice } from '../../plan/file/text-problems.ts'
import { PlanError } from '../../errors.ts'
import { planIds, resolvePlanName } from '../../store/resolve-plan.ts'
import { loadPlanAt, planFile, tipOfPlan } from '../../store/plan-at.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { prepareProposal, proposeOnly } from '../../protocol/propose.ts'
import { withRepo } from '../../operation/with-run.ts'
import type { ProposedData } from '../../operation/results.ts'

export function clone(
  request: { readonly plan: string; readonly newId?: string },
  context: CommandContext,
): Promise<CommandResult<ProposedData>> {
  return withRepo(context, async (repo, settings) => {
    const id = await resolvePlanName(repo, request.plan)
    const { tip } = await tipOfPlan(repo, id)
    const old = await loadPlanAt(repo, tip, { id, file: planFile(settings.dir, id) })
    const newId = request.newId ?? uniqueId(id, new Set(await planIds(repo)))
    if (!isId(newId))
      throw new PlanError('usage', `${JSON.stringify(newId.slice(0, 80))} is not a valid id`, {
        hint: idAdvice,
      })
    const { bytes } = withPlanId(old, newId as PlanId)
    // The files of the first run may exist by now: the copy is edited before it is approved.
    const proposal = await prepareProposal(
      repo,
      settings,
      bytes,
      { file: `${newId}.md`, id: newId },
      { context, checksTree: false },
    )
    const facts = { clonedFrom: clonedFromText({ plan: id, tip }) }
    const commit = await proposeOnly(context, { repo, settings, proposal: { ...proposal, facts } })
    return {
      kind: 'proposed',
      exitCode: 0,
      data: {
        id: newId,
        title: proposal.plan.title,
        branch: `plan/${newId}`,
        from: id,
        commit,
        digest: proposal.plan.digest,
        findings: proposal.findings,
        message: `Proposed plan/${newId}, a copy of ${id}`,
      },
      next: [`git plan edit ${newId}`, ...(await afterProposal(repo, proposal.plan, settings, context))],
    }
  })
}
