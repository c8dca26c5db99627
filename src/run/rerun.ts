// The checks of steps once more, each on the tree that its commit recorded, in a work tree that was made for it and is gone afterwards.

import { randomUUID } from 'node:crypto'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Repository } from '../git/repository.ts'
import { describeCheck } from '../plan/describe-check.ts'
import type { Check, Plan, Step } from '../plan/plan.ts'
import type { Oid } from '../plan/values.ts'
import { stepEnvironment } from '../process/environment.ts'
import { maskTokens } from '../process/redact.ts'
import { runShell } from '../process/run-shell.ts'
import { runMarker } from '../process/tree.ts'
import type { Shell } from './step-shell.ts'
import type { World } from './session.ts'
import { runCheck } from './verify.ts'

export interface Rerun {
  /** undefined: the plan's own checks. */
  readonly step: Step | undefined
  readonly commit: Oid
  readonly plan: Plan
}

export interface Rerunning {
  readonly repo: Repository
  readonly world: Pick<World, 'env' | 'emit' | 'signal'>
  readonly timeoutMs: number | undefined
  readonly outputLimit: number
}

/** What did not hold; empty: all of it did. */
export async function rerunChecks({ step, commit, plan }: Rerun, rerunning: Rerunning): Promise<string[]> {
  const checks = step === undefined ? plan.verify : checksOf(step)
  if (checks.length === 0) return []
  const problems: string[] = []
  await inCleanTree(rerunning.repo, commit, async (root) => {
    const shell = shellIn(root, { step, plan }, rerunning)
    const setup = plan.setup === undefined ? undefined : await runCheck(root, { kind: 'run', command: plan.setup }, shell)
    if (setup !== undefined) return void problems.push(`setup: ${setup.message}`)
    for (const check of checks) {
      const problem = await runCheck(root, check, shell)
      rerunning.world.emit({
        kind: 'check',
        step: step?.id ?? plan.id,
        name: describeCheck(check),
        ok: problem === undefined,
        ...(problem === undefined ? {} : { detail: maskTokens(problem.message) }),
      })
      if (problem !== undefined) problems.push(maskTokens(problem.message))
    }
  })
  return problems
}

const checksOf = (step: Step): Check[] => [
  ...step.verify,
  ...step.criteria.flatMap(({ verify }) => verify),
  ...(step.test === undefined ? [] : [{ kind: 'run' as const, command: step.test }]),
]

/** Hooks of the repository have nothing to say about a tree that nobody works in. */
async function inCleanTree(repo: Repository, commit: Oid, work: (root: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(await realpath(tmpdir()), 'git-plan-rerun-'))
  const root = join(directory, 'tree')
  const settings = { 'core.hooksPath': '/dev/null' }
  try {
    await repo.git.run(['worktree', 'add', '--detach', '--', root, commit], { settings })
    await work(root)
  } finally {
    await repo.git.run(['worktree', 'remove', '--force', '--', root], { ok: [0, 128], settings })
    await rm(directory, { recursive: true, force: true })
  }
}

function shellIn(root: string, { step, plan }: Pick<Rerun, 'step' | 'plan'>, { world, timeoutMs, outputLimit }: Rerunning): Shell {
  const run = randomUUID()
  const env = {
    ...stepEnvironment(world.env),
    ...step?.env,
    PLAN_ID: plan.id,
    [runMarker]: run,
    ...(step === undefined ? {} : { PLAN_STEP: step.id }),
  }
  return (command) =>
    runShell({
      command,
      cwd: root,
      env,
      run,
      timeoutMs: step?.timeout ?? timeoutMs,
      outputLimit: step?.limits.output ?? outputLimit,
      memory: step?.limits.memory,
      cpuMs: step?.limits.cpu,
      signal: world.signal,
      onGroup: () => Promise.resolve(),
      onOutput: () => undefined,
    })
}
