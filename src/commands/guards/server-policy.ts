// The settings of the server itself: by `plan.policyRef` in its own git config, or the branch that its HEAD names. Nothing that is pushed takes part.

import { PlanError } from '../../errors.ts'
import type { Repository } from '../../git/repository.ts'
import { isOid } from '../../plan/values.ts'
import { readSettings, type Settings } from '../settings.ts'

export interface ServerPolicy {
  readonly settings: Settings
  /** The full name of the branch that it is read from, whether that is there or not. */
  readonly ref: string
  /** It is not there yet, as on a server that has just been made: the defaults hold, and there is nothing to judge plans by. */
  readonly isMissing: boolean
}

export async function serverPolicy(repo: Repository): Promise<ServerPolicy> {
  const named = await repo.config.value('plan.policyref')
  // A short name could be that of a tag, which anybody may push.
  const ref = named === undefined ? await repo.headBranch() : named.startsWith('refs/') || isOid(named) ? named : `refs/heads/${named}`
  if (ref === undefined || ref.startsWith('refs/heads/plan/') || /[\s:\0]/.test(ref))
    throw new PlanError(
      'not-allowed',
      `the server does not know where its policy is: ${named === undefined ? 'HEAD' : 'plan.policyRef'} names no branch for it`,
      {
        hint: 'on the server: git config plan.policyRef refs/heads/main',
      },
    )
  const isMissing = (await repo.resolve(ref)) === undefined
  return { settings: await readSettings(repo, { ref: isMissing ? undefined : ref, source: 'the server' }), ref, isMissing }
}
