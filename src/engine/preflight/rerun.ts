// Repeats the checks of steps, each on the tree of its commit, in a temporary work tree.

import { randomUUID } from 'node:crypto'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requirePermit, type Permit } from '../../approval/rules/permit.ts'
import type { Repository } from '../../git/repository.ts'
import { describeCheck } from '../../plan/model/describe-check.ts'
import { paramEnvironment } from '../../plan/model/params.ts'
import type { Check, Plan, Step } from '../../plan/model/plan.ts'
import type { Oid } from '../../plan/model/ids.ts'
import { stepEnvironment } from '../../process/environment.ts'
import { runShell } from '../../process/run-shell.ts'
import { runMarker } from '../../process/kill-descendants.ts'
import type { RunEvent } from '../run/events.ts'
import { KnownSecrets, maskEvent } from '../run/known-secrets.ts'
import type { Baseline } from '../../judge/tests/compare-tests.ts'
import { eventOf, testsIn } from '../../plan/record/trailers.ts'
import { isCounted, judgeCounted, runCounted } from '../step/counted-tests.ts'
import { OutputTail } from '../step/output-tail.ts'
import type { Shell } from '../step/step-shell.ts'
import type { RunEnvironment } from '../run/run.ts'
import { runCheck } from '../step/run-check.ts'

export interface Rerun {
  /** undefined: the plan's own checks. */
  readonly step: Step | undefined
  readonly commit: Oid
  readonly plan: Plan
  readonly permit: Permit
}

export interface RerunContext {
  readonly repo: Repository
  readonly world: Pick<RunEnvironment, 'env' | 'emit' | 'signal'>
  readonly timeoutMs: number | undefined
  readonly outputLimit: number
}

export interface RerunProblem {
  readonly message: string
  /** The last lines of the command's output. */
  readonly output: string
  /** The check is a command, and the plan has no `setup` to prepare the work tree for it. */
  readonly wantsSetup: boolean
}

/** Returns the failed checks; empty: all passed. */
export async function rerunChecks(
  { step, commit, plan, permit }: Rerun,
  context: RerunContext,
): Promise<RerunProblem[]> {
  requirePermit(permit, plan)
  const checks = step === undefined ? plan.verify : checksOf(step)
  const counted = step !== undefined && isCounted(step) ? step : undefined
  if (checks.length === 0 && counted === undefined) return []
  const problems: RerunProblem[] = []
  const known = new KnownSecrets(context.world.env).of(plan)
  const emit = (event: RunEvent): void => context.world.emit(maskEvent(event, known.mask))
  const of = { plan, known }
  await inCleanTree(context.repo, commit, async (root) => {
    // As at the start of a plan, setup has neither the limits nor the variables of a step.
    if (plan.setup !== undefined) {
      emit({ kind: 'phase', name: 'setup', command: plan.setup })
      const { problem, output } = await runCheckIn(
        root,
        { kind: 'run', command: plan.setup },
        { ...of, step: undefined },
        context,
      )
      if (problem !== undefined) return void problems.push({ message: `setup: ${problem}`, output, wantsSetup: false })
    }
    for (const check of checks) {
      const { problem, output } = await runCheckIn(root, check, { ...of, step }, context)
      emit({
        kind: 'check',
        step: step?.id ?? plan.id,
        name: describeCheck(check),
        ok: problem === undefined,
        ...(problem === undefined ? {} : { detail: problem }),
      })
      if (problem !== undefined)
        problems.push({ message: problem, output, wantsSetup: check.kind === 'run' && plan.setup === undefined })
    }
    if (counted !== undefined) {
      const tail = new OutputTail(known.values)
      const run = await runCounted(root, counted, shellIn(root, { ...of, step: counted }, context, tail))
      const { problem } = judgeCounted(run, await recordedBaseline(context.repo, commit), known.mask)
      const detail = problem === undefined ? {} : { detail: known.mask(problem) }
      emit({ kind: 'check', step: counted.id, name: counted.test, ok: problem === undefined, ...detail })
      const message = `\`${counted.test}\`: ${detail.detail ?? ''}`
      if (problem !== undefined) problems.push({ message, output: tail.end(), wantsSetup: plan.setup === undefined })
    }
  })
  return problems
}

const checksOf = (step: Step): Check[] => [
  ...step.verify,
  ...step.criteria.flatMap(({ verify }) => verify),
  ...(step.test === undefined || isCounted(step) ? [] : [{ kind: 'run' as const, command: step.test }]),
]

/** The failures that the step's commit excuses. */
async function recordedBaseline(repo: Repository, commit: Oid): Promise<Baseline> {
  const event = eventOf((await repo.readCommit(commit))?.message ?? '')
  const tests = event === undefined ? undefined : testsIn(event)
  return { counts: tests?.before, failing: tests?.failing ?? [] }
}

/** Hooks are off: nobody works in this tree. */
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

async function runCheckIn(
  root: string,
  check: Check,
  of: CheckContext,
  rerunning: RerunContext,
): Promise<{ problem: string | undefined; output: string }> {
  const tail = new OutputTail(of.known.values)
  const outcome = await runCheck(root, check, shellIn(root, of, rerunning, tail))
  return { problem: outcome.ok ? undefined : of.known.mask(outcome.message), output: tail.end() }
}

interface CheckContext extends Pick<Rerun, 'step' | 'plan'> {
  /** The secrets of all steps, since every command gets the same environment. */
  readonly known: ReturnType<KnownSecrets['of']>
}

function shellIn(
  root: string,
  { step, plan }: CheckContext,
  { world, timeoutMs, outputLimit }: RerunContext,
  tail: OutputTail,
): Shell {
  const run = randomUUID()
  const env = {
    ...stepEnvironment(world.env),
    ...step?.env,
    ...paramEnvironment(plan.params, step?.params),
    PLAN_ID: plan.id,
    [runMarker]: run,
    ...(step === undefined ? {} : { PLAN_STEP: step.id }),
  }
  return (command, more = {}) =>
    runShell({
      command,
      cwd: root,
      env: { ...env, ...more.env },
      run,
      timeoutMs: step?.timeout ?? timeoutMs,
      outputLimit: step?.limits.output ?? outputLimit,
      memory: step?.limits.memory,
      cpuMs: step?.limits.cpu,
      signal: world.signal,
      onGroup: () => Promise.resolve(),
      onOutput: (chunk, stream) => {
        more.onOutput?.(chunk, stream)
        return tail.push(chunk, stream)
      },
    })
}
