// Server-side hook. Every error is a refusal.

import { PlanError } from '../errors.ts'
import { Repository } from '../git/repository.ts'
import { hookEnvironment } from '../process/environment.ts'
import type { HookCall } from './hook-call.ts'
import { judgeUpdate } from './judge-update.ts'
import { protectedRefs } from '../operation/protected-branches.ts'
import { Receiving, refsAfter, refsFrom } from './receiving.ts'
import { throwRefusals, type Refusal } from './refusal.ts'
import { judgeByBranch, serverPolicy } from './server-policy.ts'
import { comparedRefs, receivedUpdates, refuseStale, refuseDuplicates, type Update } from './updates.ts'

export async function preReceive(call: HookCall): Promise<void> {
  if ((call.env['GIT_NAMESPACE'] ?? '') !== '')
    throw new PlanError('not-allowed', 'this hook does not support Git namespaces', {
      hint: 'on the server, use one repository per namespace',
    })
  const updates = receivedUpdates(await call.readInput())
  if (updates.length === 0)
    throw new PlanError('not-allowed', 'the hook received no refs from Git', { hint: 'git --version' })
  const repo = await Repository.openStore({ cwd: call.cwd, env: hookEnvironment(call.env, 'server') })
  try {
    const policy = await serverPolicy(repo)
    const isProtected = await protectedRefs(repo, [
      policy.ref,
      await repo.headBranch(),
      ...policy.settings.config.bases,
    ])
    const before = refsFrom(await repo.refs(...comparedRefs))
    const resolved = await resolveSymrefs(repo, updates)
    refuseDuplicates(resolved)
    refuseStale(resolved, before)
    const receiving = new Receiving({
      repo,
      settings: policy.settings,
      isProtected,
      before,
      after: refsAfter(before, resolved),
    })
    const refusals: Refusal[] = []
    for (const update of resolved)
      refusals.push(...((await judgeByBranch(update, policy, repo)) ?? (await judgeUpdate(update, receiving))))
    throwRefusals(refusals)
  } finally {
    repo.close()
  }
}

/** Replaces symbolic refs by their targets: a push to a symbolic ref moves its target. */
async function resolveSymrefs(repo: Repository, updates: readonly Update[]): Promise<Update[]> {
  const targets = new Map<string, string>()
  for (let at = 0; at < updates.length; at += 500) {
    const names = updates.slice(at, at + 500).map(({ ref }) => ref)
    const text = await repo.git.text(['for-each-ref', '--format=%(refname) %(symref)', ...names])
    for (const [name = '', target = ''] of text.split('\n').map((line) => line.split(' ')))
      if (target !== '') targets.set(name, target)
  }
  return updates.map((update) => ({ ...update, ref: targets.get(update.ref) ?? update.ref }))
}
