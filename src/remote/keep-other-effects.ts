// A step that ran in two clones has had its external effect twice. The branch accounts for one of them; the other is
// recorded as kept, so that nothing waits for it, and reported.

import { numberedRefs } from '../plan/record/numbered-refs.ts'
import { planRefs, type StepId } from '../plan/model/ids.ts'
import { effectsOf, isOpen, recordEffect, type Effect } from '../engine/step/effects.ts'
import type { Run } from '../engine/run/run.ts'
import type { RemoteRefs } from './ask-remote.ts'
import type { Side } from './take-side.ts'

/**
 * Runs once the records of both clones are here; `side` is the one that was chosen. It can be repeated after a kill.
 */
export async function keepOtherEffects(run: Run, { records }: RemoteRefs, side: Side): Promise<void> {
  const { repo, id } = run
  const isChosen = ({ ref, oid }: Effect): boolean => (records.get(ref) === oid) === (side === 'theirs')
  const steps = new Set(numberedRefs(id, await repo.refs(`${planRefs(id)}effects/`)).map(({ step }) => step as StepId))
  for (const step of steps) {
    const open = (await effectsOf({ repo, id }, step)).filter(isOpen)
    const chosen = open.find(isChosen) ?? open[0]
    for (const effect of open.filter((each) => each !== chosen)) {
      const what = effect.state === 'happened' ? 'happened' : 'may have happened'
      await recordEffect(run, effect, step, 'kept', { reason: `it ${what} on the discarded side` })
      run.world.emit({
        kind: 'notice',
        message: `effect ${effect.number} of ${step} ${what} on the discarded side, in addition to effect ${chosen?.number}; it is recorded as kept`,
        hint: `git plan report ${id}`,
      })
    }
  }
}
