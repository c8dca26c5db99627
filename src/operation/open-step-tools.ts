// The step that a driver has taken on in a work tree, and the tools that it may use: an input of the guard.

import type { RepositoryPaths } from '../git/read/enclosing-repositories.ts'
import type { OpenStepTools } from '../judge/agents/judge-call.ts'
import { isExpired, readHandedHere } from '../store/open-step.ts'

/** undefined: no step is open. */
export function openStepTools(repository: RepositoryPaths, now: Date): OpenStepTools | undefined {
  const handed = readHandedHere(repository)
  return handed === undefined || isExpired(handed, now) ? undefined : handed
}
