// `git plan archive`: takes plans that have ended out of the list, and back. Their records stay.

import { PlanError } from '../../errors.ts'
import { maskTokens } from '../../secrets/mask.ts'
import { writeArchived } from '../../store/archive.ts'
import { resolvePlanName } from '../../store/resolve-plan.ts'
import { readPlanView } from '../../view/plan-view.ts'
import { pushRecords } from '../../remote/push.ts'
import { viewSettings } from '../../operation/settings.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import type { ArchivedData } from '../../operation/results.ts'
import { withRepo } from '../../operation/with-run.ts'

export interface ArchiveRequest {
  readonly plan: string
  readonly undo?: boolean
  readonly push?: boolean
  readonly message?: string
}

const ended: ReadonlySet<string> = new Set(['merged', 'cancelled', 'rejected'])

export function archive(request: ArchiveRequest, context: CommandContext): Promise<CommandResult<ArchivedData>> {
  return withRepo(context, async (repo, settings) => {
    const id = await resolvePlanName(repo, request.plan)
    const isWanted = request.undo !== true
    const options = { dir: settings.dir, now: context.now(), settings: viewSettings(settings) }
    const { tip, seen, archived } = (await readPlanView(repo, id, options)).summary
    const isArchived = archived !== null
    if (isWanted && !isArchived && !ended.has(seen))
      throw new PlanError('wrong-state', `plan ${id} is ${seen}: only plans that have ended can be archived`, {
        hint: seen === 'completed' ? `git plan finish ${id}` : `git plan cancel ${id} -m WHY`,
      })
    const reason = request.message === undefined ? undefined : maskTokens(request.message)
    const event = isWanted ? 'archived' : 'unarchived'
    const ref = isArchived === isWanted ? null : await writeArchived(repo, id, { tip, event, reason })
    if (request.push === true) await pushRecords(repo, id)
    const where = isWanted ? 'in the archive' : 'in the list'
    return {
      kind: 'archived',
      exitCode: 0,
      data: {
        id,
        archived: isWanted,
        ref,
        message: `${id} is ${ref === null ? 'already ' : ''}${where}${request.push === true ? ', here and on the remote' : ''}`,
      },
      next: isWanted ? ['git plan list --archived'] : [`git plan status ${id}`],
    }
  })
}
