// Says which plans have changed, again and again, for a page that shows them. A change of a plan moves one of its refs, or
// makes or removes a file of its run: both are seen without reading a plan.

import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Repository } from '../../git/repository.ts'
import type { CommandContext } from '../../operation/context.ts'
import { allLocalRefs, allPlanRefs, type PlanId } from '../../plan/model/ids.ts'
import { gitEnvironment } from '../../process/environment.ts'
import { refsByPlan } from '../../store/resolve-plan.ts'
import { pauseBetweenLooks } from './look-again.ts'
import { RunningLogs, type OutputNews } from './running-logs.ts'

export interface PlansNews {
  /** The ids of the plans that were changed, made or deleted. */
  readonly changed: readonly string[]
  /** New lines of output of the plan whose output was asked for; at first, its last lines. */
  readonly output: readonly OutputNews[]
}

const pauseMs = 500

/** Yields when there is news, until `signal` is aborted. */
export async function* watchPlans(
  { cwd, env, signal }: Pick<CommandContext, 'cwd' | 'env' | 'signal'>,
  outputOf?: PlanId,
): AsyncGenerator<PlansNews> {
  const repo = await Repository.openAny({ cwd, env: gitEnvironment(env) })
  try {
    const logs = outputOf === undefined ? undefined : await RunningLogs.of({ cwd, env }, outputOf)
    let last = await marksOf(repo)
    if (logs !== undefined && logs.tail.length > 0) yield { changed: [], output: logs.tail }
    while (await pauseBetweenLooks(signal, pauseMs)) {
      const now = await marksOf(repo)
      const known = last
      const changed = [...new Set([...now.keys(), ...known.keys()])].filter((id) => now.get(id) !== known.get(id))
      const output = (await logs?.news()) ?? []
      last = now
      if (changed.length + output.length > 0) yield { changed, output }
    }
  } finally {
    repo.close()
  }
}

/** For each plan a text that differs once anything of it has changed. */
async function marksOf(repo: Repository): Promise<ReadonlyMap<string, string>> {
  const refs = await repo.refs(...allPlanRefs, allLocalRefs)
  const locals = new Map<string, string[]>()
  for (const { name, oid } of refs) {
    if (!name.startsWith(allLocalRefs)) continue
    const id = name.slice(allLocalRefs.length, name.indexOf('/', allLocalRefs.length))
    locals.set(id, [...(locals.get(id) ?? []), `${name} ${oid}`])
  }
  const marks = [...refsByPlan(refs)].map(async ([id, own]) => {
    const lines = own.map(({ name, oid }) => `${name} ${oid}`)
    return [
      id,
      [...(await timesOf(join(repo.commonDir, 'plan', id))), ...lines, ...(locals.get(id) ?? [])].join('\n'),
    ] as const
  })
  return new Map(await Promise.all(marks))
}

/** Files of a run and of its workers are made, renamed and removed: that changes the times of their directories. */
async function timesOf(directory: string): Promise<string[]> {
  const workers = await readdir(join(directory, 'workers')).catch(() => [])
  const times = ['.', ...workers.map((name) => join('workers', name))].map(async (name) => {
    const found = await stat(join(directory, name)).catch(() => undefined)
    return `${name} ${found?.mtimeMs ?? ''}`
  })
  return Promise.all(times)
}
