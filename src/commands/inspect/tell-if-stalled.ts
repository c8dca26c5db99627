// Nobody runs a stalled plan, so whoever looks at it sends the notification.

import { agentMark } from '../../approval/rules/agent-shell.ts'
import { loadPlanAt, planFile } from '../../store/plan-at.ts'
import type { CommandContext } from '../../operation/context.ts'
import { tell } from '../../operation/tell-news.ts'
import { withRepository } from '../with-repository.ts'
import type { StatusData } from './status.ts'

/** `before`: as it was seen at the last look. */
export async function tellIfStalled(
  before: string | undefined,
  { id, tip, seen }: Pick<StatusData, 'id' | 'tip' | 'seen'>,
  context: CommandContext,
): Promise<void> {
  // For an agent these commands only read, also in plan mode: they start nothing.
  if (seen !== 'stalled' || before === 'stalled' || agentMark(context.env) !== undefined) return
  await withRepository(context, async ({ repo, settings }) => {
    const { notifyOfReader: notify } = settings
    if (notify.length === 0) return
    const { plan } = await loadPlanAt(repo, tip, {
      id: id,
      file: planFile(settings.dir, id),
    })
    await tell({ event: 'stalled' }, { plan, tip, root: repo.root }, { ...settings, notify }, context)
  })
}
