// Runs shell commands of a plan: of a step, its checks, probe and undo, and the plan's setup and preflight.

import { requirePermit } from '../../approval/rules/permit.ts'
import { toMachineError } from '../../errors.ts'
import type { Plan, Step } from '../../plan/model/plan.ts'
import { paramEnvironment } from '../../plan/model/params.ts'
import type { ShellResult } from '../../plan/model/verb.ts'
import { stepEnvironment } from '../../process/environment.ts'
import { runShell } from '../../process/run-shell.ts'
import { runMarker } from '../../process/kill-descendants.ts'
import { writeGroup, type Intent } from '../workspace/intent.ts'
import type { Worker } from '../run/worker.ts'
import { StepUsage } from './step-usage.ts'

interface CommandOptions {
  /** More environment variables. */
  readonly env?: Readonly<Record<string, string>>
  /** Also gets the output, before it is masked. */
  readonly onOutput?: (chunk: Uint8Array, stream: 'stdout' | 'stderr') => void
  /** The longest time without output. */
  readonly idleMs?: number | undefined
  /** Used if the step has no timeout. */
  readonly timeoutMs?: number | undefined
  /** Ends the command; its `reason` is a text. */
  readonly limitSignal?: AbortSignal | undefined
}

export type Shell = (command: string, options?: CommandOptions) => Promise<ShellResult>

/** Takes the output of a command. A promise: wait for it before pushing more. */
interface OutputSink {
  push(chunk: Uint8Array, stream: 'stdout' | 'stderr'): Promise<void> | undefined
}

export function shellFor(
  worker: Worker,
  options: { intent: Intent; output: OutputSink; step?: Step; attempt?: number; usage?: StepUsage },
): Shell {
  const { step, attempt, output, intent, usage = new StepUsage() } = options
  const startedAt = Date.now()
  const env = {
    ...stepEnvironment(worker.run.world.env),
    ...worker.run.world.traceOf?.(worker.run.id, step?.id),
    ...step?.env,
    ...paramEnvironment(worker.at.plan.params, step?.params),
    PLAN_ID: worker.run.id,
    [runMarker]: worker.mark,
    ...(step === undefined
      ? {}
      : { PLAN_STEP: step.id, PLAN_ATTEMPT: String(attempt ?? 1), PLAN_STEP_KEY: stepKey(worker.at.plan, step) }),
  }
  return async (command, more = {}) => {
    requirePermit(worker.run.permit, worker.at.plan)
    // Its processes are those of the whole step, so each command gets what the ones before it left.
    const { cpu, output: most = worker.run.settings.outputLimit } = step?.limits ?? {}
    const deadline = step?.timeout ?? worker.run.settings.timeoutMs ?? more.timeoutMs
    const result = await runShell({
      command,
      idleMs: more.idleMs,
      limitSignal: more.limitSignal,
      cwd: worker.workspace.tree.root,
      env: { ...env, ...more.env },
      run: worker.mark,
      // One timeout for the whole step, including its checks.
      timeoutMs: leastOf(
        deadline === undefined ? undefined : deadline - (Date.now() - startedAt),
        worker.run.deadline === undefined ? undefined : worker.run.deadline - Date.now(),
      ),
      outputLimit: Math.max(1, most - usage.outputBytes),
      memory: step?.limits.memory,
      cpuMs: cpu === undefined ? undefined : Math.max(1, cpu - (usage.cpuMs ?? 0)),
      signal: worker.signal,
      onGroup: (group, groupStart) =>
        writeGroup(worker.workspace.dir, intent, group, groupStart).catch((error: unknown) => {
          throw toMachineError(error)
        }),
      onOutput: (chunk, stream) => {
        more.onOutput?.(chunk, stream)
        return output.push(chunk, stream)
      },
      onUsage: (tree, bytes) => usage.add(tree, bytes),
    })
    const isPlanOver = worker.run.deadline !== undefined && Date.now() >= worker.run.deadline
    return result.kind === 'killed' && result.reason === 'timeout' && isPlanOver
      ? { kind: 'killed', reason: 'plan-timeout' }
      : result
  }
}

function leastOf(...times: readonly (number | undefined)[]): number | undefined {
  const given = times.filter((time) => time !== undefined)
  return given.length === 0 ? undefined : Math.max(1, Math.min(...given))
}

/** Constant across attempts of a step in one revision of the plan, so that a service can detect a repeated request. */
const stepKey = (plan: Plan, step: Step): string => `${plan.id}/${step.id}/${plan.digest.slice(0, 16)}`

const used = ({ detail }: { readonly detail?: string }): string => (detail === undefined ? '' : ` (${detail})`)

export function describeResult(result: ShellResult): string {
  if (result.kind === 'exited') return `exit code ${result.code}`
  return {
    timeout: 'timed out',
    'plan-timeout': 'the plan exceeded its timeout',
    'cpu-limit': `it exceeded its limit of processor time${used(result)}`,
    'memory-limit': `it exceeded its memory limit${used(result)}`,
    'output-limit': 'it exceeded its output limit',
    idle: 'it printed nothing for too long',
    'agent-limit': `it was ended${used(result)}`,
    interrupted: 'it was interrupted',
    signal: `it was killed by ${result.signal ?? 'a signal'}`,
  }[result.reason]
}
