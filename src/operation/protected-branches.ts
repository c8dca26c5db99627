// The branches into which only finished plans go: `plan.protected`, else the branch of the policy and those that plans
// are for.

import type { ConfigEntry } from '../git/command/git-config.ts'
import type { Repository } from '../git/repository.ts'
import { globMatcher } from '../plan/text/glob.ts'

/**
 * Whether a ref, as it is called where it is pushed to, is one of them. `usual`: those that are where nothing is
 * configured.
 */
export async function protectedRefs(
  repo: Repository,
  usual: readonly (string | undefined)[],
): Promise<(ref: string) => boolean> {
  const named = (await protectedByName(repo)).map(({ value }) => value)
  const patterns = (named.length > 0 ? named : usual.filter((name) => name !== undefined)).map(inFull)
  return globMatcher(patterns)
}

/** What `plan.protected` says. As everywhere in git, an empty one takes back those before it. */
export async function protectedByName(repo: Repository): Promise<readonly ConfigEntry[]> {
  const said = (await repo.config.entries()).filter(({ key }) => key === 'plan.protected')
  return said.slice(said.findLastIndex(({ value }) => value === '') + 1)
}

const inFull = (name: string): string =>
  name.startsWith('refs/') ? name.replace(/^refs\/remotes\/[^/]+\//, 'refs/heads/') : `refs/heads/${name}`
