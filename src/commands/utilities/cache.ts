// `git plan cache`: the results that steps with `cache` can use again.

import { PlanError } from '../../errors.ts'
import type { Ref, Repository } from '../../git/repository.ts'
import { allLocalRefs, isId, localRefs, type Oid, type PlanId } from '../../plan/model/ids.ts'
import { eventOf } from '../../plan/record/trailers.ts'
import { acquireLock } from '../../engine/run/lock.ts'
import { recoverRemoval, removeRefs } from '../../engine/run/remove-refs.ts'
import { PlanDir } from '../../engine/workspace/plan-dir.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { withRepo } from '../../operation/with-run.ts'

export interface CacheData {
  readonly entries: readonly CacheEntry[]
  readonly message: readonly string[]
}

interface CacheEntry {
  readonly plan: string
  readonly step: string
  readonly key: string
  readonly commit: string
  readonly at: string | null
}

export interface CacheRequest {
  readonly action?: string
  readonly plan?: string
}

export function cache(request: CacheRequest, context: CommandContext): Promise<CommandResult<CacheData>> {
  const { action = 'list', plan } = request
  if (action !== 'list' && action !== 'clear')
    throw new PlanError('usage', `unknown action ${JSON.stringify(action)}; use list or clear`, {
      hint: 'git plan cache list',
    })
  if (plan !== undefined && !isId(plan))
    throw new PlanError('usage', `invalid plan name ${JSON.stringify(plan.slice(0, 80))}`, { hint: 'git plan list' })
  return withRepo(context, async (repo) => {
    const refs = await cacheRefs(repo, plan)
    const entries = await Promise.all(refs.map((ref) => entryOf(repo, ref)))
    if (action === 'clear')
      for (const id of new Set(entries.map((entry) => entry.plan as PlanId)))
        await clear(
          repo,
          id,
          refs.filter(({ name }) => name.startsWith(localRefs(id))),
          context,
        )
    const lines = entries.map(({ plan: id, step, commit, at }) => `${id} ${step} ${commit.slice(0, 7)} ${at ?? ''}`)
    const count = `${entries.length} ${entries.length === 1 ? 'result' : 'results'}`
    return {
      kind: 'cache',
      exitCode: 0,
      data: {
        entries,
        message: action === 'clear' ? [`Removed ${count}`] : entries.length === 0 ? ['No cached results'] : lines,
      },
    }
  })
}

async function cacheRefs(repo: Repository, plan: string | undefined): Promise<Ref[]> {
  const refs = await repo.refs(plan === undefined ? allLocalRefs : localRefs(plan as PlanId))
  return refs.filter(({ name }) => cacheName.test(name))
}

const cacheName = /^refs\/plan-local\/([^/]+)\/cache\/([0-9a-f]{40})$/

async function entryOf(repo: Repository, { name, oid }: Ref): Promise<CacheEntry> {
  const [, plan = '', key = ''] = cacheName.exec(name) ?? []
  const event = eventOf((await repo.readCommit(oid))?.message ?? '')
  return { plan, step: event?.step ?? '', key, commit: oid, at: event?.endedAt ?? null }
}

async function clear(repo: Repository, id: PlanId, refs: readonly Ref[], context: CommandContext): Promise<void> {
  const dir = new PlanDir(repo.commonDir, id)
  const claim = { run: `cache-${process.pid}`, command: 'cache', since: context.now().toISOString() }
  const lock = await acquireLock(dir, claim, { plan: id })
  try {
    if (!(await recoverRemoval({ dir, repo, id })))
      throw new PlanError('wrong-state', `a run of ${id} was interrupted`, { hint: `git plan resume ${id}` })
    await removeRefs({ dir, repo, id }, refs, { ...claim, now: context.now(), tip: refs[0]?.oid as Oid })
  } finally {
    await lock.release()
  }
}
