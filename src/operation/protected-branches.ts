// The protected branches, which only finished plans may enter: `plan.protected`, or else the policy branch and the
// allowed bases.

import type { ConfigEntry } from '../git/command/git-config.ts'
import type { Repository } from '../git/repository.ts'
import { globMatcher } from '../plan/text/glob.ts'

/**
 * Returns a predicate for full ref names on the receiving side. `usual`: the protected branches if nothing is
 * configured.
 */
export async function protectedRefs(
  repo: Repository,
  usual: readonly (string | undefined)[],
): Promise<(ref: string) => boolean> {
  const named = (await protectedSetting(repo)).map(({ value }) => value)
  const patterns = (named.length > 0 ? named : usual.filter((name) => name !== undefined)).map(fullRefName)
  return globMatcher(patterns)
}

/** The values of `plan.protected`. As everywhere in Git, an empty value resets the list. */
export async function protectedSetting(repo: Repository): Promise<readonly ConfigEntry[]> {
  const values = (await repo.config.entries()).filter(({ key }) => key === 'plan.protected')
  return values.slice(values.findLastIndex(({ value }) => value === '') + 1)
}

const fullRefName = (name: string): string =>
  name.startsWith('refs/') ? name.replace(/^refs\/remotes\/[^/]+\//, 'refs/heads/') : `refs/heads/${name}`
