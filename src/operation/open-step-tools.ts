// The step that a driver has taken on in a work tree, and the tools that it may use: an input of the guard.

import type { RepositoryPaths } from '../git/read/enclosing-repositories.ts'
import type { OpenStepTools } from '../judge/agents/judge-call.ts'

/** undefined: no step is open. */
export async function openStepTools(_repository: RepositoryPaths): Promise<OpenStepTools | undefined> {
  return undefined
}
