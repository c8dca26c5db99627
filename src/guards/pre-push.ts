// Client-side hook: refuses before the transfer whatever a server with the pre-receive hook would refuse.

import { Repository } from '../git/repository.ts'
import { hookEnvironment } from '../process/environment.ts'
import type { HookCall } from './hook-call.ts'
import { judgeUpdate } from './judge-update.ts'
import { protectedRefs } from '../operation/protected-branches.ts'
import { Receiving, refsAfter, refsFrom, type Refs } from './receiving.ts'
import { throwRefusals, type Refusal } from './refusal.ts'
import { settingsOrDefaults } from './settings-or-defaults.ts'
import { pushedUpdates, type Update } from './updates.ts'

export async function prePush(call: HookCall): Promise<void> {
  // Deletions are left to the server: only it knows which commits it has saved.
  const updates = pushedUpdates(await call.readInput()).filter(({ to }) => to !== undefined)
  if (updates.length === 0) return
  const repo = await Repository.open({ cwd: call.cwd, env: hookEnvironment(call.env, 'client') })
  try {
    const { settings } = await settingsOrDefaults(repo)
    const isProtected = await protectedRefs(repo, [settings.policyRef, ...settings.config.bases])
    const after = refsAfter(refsFrom(await repo.refs('refs/heads/plan/', 'refs/plan/')), updates)
    const receiving = new Receiving({
      repo,
      settings,
      isProtected,
      before: await knownRemoteRefs(repo, call.args[0] ?? '', updates),
      after,
    })
    const refusals: Refusal[] = []
    for (const update of updates) refusals.push(...(await judgeUpdate(update, receiving)))
    throwRefusals(refusals)
  } finally {
    repo.close()
  }
}

/**
 * Returns the refs of the remote as far as they are known here: the ones being pushed as the remote reports them, the
 * others as last fetched.
 */
async function knownRemoteRefs(repo: Repository, remote: string, updates: readonly Update[]): Promise<Refs> {
  const prefix = `refs/remotes/${remote}/`
  const isName = /^[\w][\w./-]*$/.test(remote)
  const seen = isName
    ? (await repo.refs(prefix)).map(({ name, oid }) => ({ name: `refs/heads/${name.slice(prefix.length)}`, oid }))
    : []
  return new Map([
    ...refsFrom(seen),
    ...updates.flatMap(({ ref, from }) => (from === undefined ? [] : [[ref, from] as const])),
  ])
}
