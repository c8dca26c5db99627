// `git plan doctor --restore PLAN`: restores autostashed changes that no `finish` or `cancel` of the plan will restore.

import { PlanError } from '../../errors.ts'
import { isId, nameOfPlan, type PlanId } from '../../plan/model/ids.ts'
import { readPutAside } from '../../store/put-aside.ts'
import { damageOf, findHandedStash, stashOf } from '../../engine/switch/autostash.ts'
import { restoreWithoutCheckout } from '../../engine/switch/enter-and-leave.ts'
import { recover } from '../../engine/run/recover.ts'
import { Run } from '../../engine/run/run.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import type { DoctorData } from './doctor.ts'
import { runSettings } from '../../operation/settings.ts'
import { withRepo, runEnvironment } from '../../operation/with-run.ts'

export function restorePutAside(name: string, context: CommandContext): Promise<CommandResult<DoctorData>> {
  const id = nameOfPlan(name) as PlanId
  if (!isId(id))
    throw new PlanError('usage', `invalid plan name ${JSON.stringify(name.slice(0, 80))}`, { hint: 'git plan list' })
  return withRepo(context, async (repo, settings) => {
    const stash = await stashOf({ repo, id })
    if (stash === undefined)
      throw new PlanError('wrong-state', `${id} has no autostashed changes`, { hint: 'git plan doctor' })
    const run = await Run.open({
      repo,
      id,
      command: 'doctor',
      settings: runSettings(settings),
      world: runEnvironment(context),
    })
    try {
      // Recovery undoes an interrupted switch, which also restores its files.
      await recover(run)
      if (run.tree !== undefined)
        throw new PlanError(
          'wrong-state',
          `plan/${id} is checked out in ${run.tree.root}: your changes are restored when you leave it`,
          {
            hint:
              (await readPutAside(repo, settings.dir)).find(({ plan }) => plan === id)?.restore ??
              `git plan cancel ${id}`,
          },
        )
      const damage = await damageOf(run, stash)
      if (damage !== undefined) throw damage
      if ((await stashOf(run)) !== undefined) await restoreWithoutCheckout(run)
    } finally {
      await run.close()
    }
    const inGit = await findHandedStash(repo, id, stash)
    const message = `your changes from before ${id} are ${inGit === undefined ? 'restored' : `in Git's stash: ${inGit.slice(0, 12)}`}`
    return { kind: 'doctor', exitCode: 0, data: { diagnoses: [{ name: 'autostash', state: 'ok', message }] } }
  })
}
