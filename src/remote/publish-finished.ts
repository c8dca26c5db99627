// `finish --push` for a plan that was finished here without it: pushes its records and its base, and deletes its branch
// on the remote if asked.

import { PlanError } from '../errors.ts'
import { runPorcelain } from '../git/command/porcelain.ts'
import type { Repository } from '../git/repository.ts'
import { finalRef, isId, nameOfPlan, planBranch, type Oid, type PlanId } from '../plan/model/ids.ts'
import { hasPlan } from '../store/merged.ts'
import { trackingRef } from '../store/remote-facts.ts'
import { planFile, readPlanAt } from '../store/plan-at.ts'
import { remoteRefs } from './ask-remote.ts'
import type { CommandContext, CommandResult } from '../operation/context.ts'
import { pushFinished } from './push-finished.ts'
import { markBuilt } from './remote-marks.ts'
import type { FinishedData } from '../operation/results.ts'
import { withRepo } from '../operation/with-run.ts'

/** Returns undefined if the plan has a branch here, or does not exist. */
export function publishFinished(
  request: { readonly plan?: string; readonly deleteBranch?: boolean; readonly dryRun?: boolean },
  context: CommandContext,
): Promise<CommandResult<FinishedData> | undefined> {
  return withRepo(context, async (repo, settings) => {
    const name = nameOfPlan(request.plan ?? '')
    if (!isId(name)) return undefined
    const id = name as PlanId
    const tip = (await repo.tipOf(planBranch(id))) === undefined ? await repo.tipOf(finalRef(id)) : undefined
    if (tip === undefined) return undefined
    const file = planFile(settings.dir, id)
    const { base } = await readPlanAt(repo, tip, { id, file })
    const result = base === undefined ? undefined : await repo.tipOf(`refs/heads/${base}`)
    if (base === undefined || result === undefined || !(await hasPlan(repo, result, tip, file)))
      throw new PlanError('wrong-state', `plan ${id} is finished, but not merged into a branch here`, {
        hint: `git plan report ${id}`,
      })
    const data = { id, base, mode: 'merge' as const, tip, result, isMerged: true }
    if (request.dryRun === true)
      return {
        kind: 'dry-run',
        exitCode: 0,
        data: { command: 'finish', ...data, message: `finish would push ${id} and ${base} (${result.slice(0, 10)})` },
      }
    await pushFinished(repo, id, base)
    if (request.deleteBranch === true) await deleteRemoteBranch(repo, id, tip)
    return {
      kind: 'finished',
      exitCode: 0,
      data: {
        ...data,
        message: `Pushed ${id} and ${base} (${result.slice(0, 10)})${request.deleteBranch === true ? `; plan/${id} is deleted on the remote` : ''}`,
      },
      next: [`git plan report ${id}`],
    }
  })
}

/** Deletes the branch on the remote, only if the final commit contains it. */
export async function deleteRemoteBranch(repo: Repository, id: PlanId, final: Oid): Promise<void> {
  const { remote, tip } = await remoteRefs(repo, id)
  if (tip !== undefined) {
    const isHeld = (await repo.resolve(tip)) !== undefined && (tip === final || (await repo.isAncestor(tip, final)))
    if (!isHeld)
      throw new PlanError(
        'branch-moved',
        `plan/${id} on ${remote} has commits that are not part of the finished plan`,
        { hint: `git plan fetch ${id}` },
      )
    const branch = planBranch(id)
    await runPorcelain(repo.git, ['push', '--verbose', `--force-with-lease=${branch}:${tip}`, remote, `:${branch}`])
  }
  const seen = await repo.resolve(trackingRef(remote, id))
  if (seen !== undefined) await repo.moveRefs([{ ref: trackingRef(remote, id), from: seen, to: undefined }])
  await markBuilt(repo, id, undefined)
}
