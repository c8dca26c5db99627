// The branches into which only finished plans go: `plan.protected`, else the branch of the policy and those that plans are for.

import type { Repository } from '../../git/repository.ts'
import { matchesBranch } from '../../plan/config.ts'

/** Whether a ref, as it is called where it is pushed to, is one of them. `usual`: those that are where nothing is configured. */
export async function protectedRefs(repo: Repository, usual: readonly (string | undefined)[]): Promise<(ref: string) => boolean> {
  const said = (await repo.config.entries()).filter(({ key }) => key === 'plan.protected').map(({ value }) => value)
  // As everywhere in git, an empty one takes back those before it.
  const named = said.slice(said.lastIndexOf('') + 1)
  const patterns = (named.length > 0 ? named : usual.filter((name) => name !== undefined)).map(inFull)
  return (ref) => patterns.some((pattern) => matchesBranch(pattern, ref))
}

const inFull = (name: string): string => (name.startsWith('refs/') ? name.replace(/^refs\/remotes\/[^/]+\//, 'refs/heads/') : `refs/heads/${name}`)
