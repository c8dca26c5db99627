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

export type Shell = (command: string) => Promise<ShellResult>

/** Takes the output of a command. A promise: wait for it before pushing more. */
interface OutputSink {
  push(chunk: Uint8Array, stream: 'stdout' | 'stderr'): Promise<void> | undefined
}

export function shellFor(
  worker: Worker,
  options: { intent: Intent; output: OutputSink; step?: Step; attempt?: number },
): Shell {
  const { step, attempt, output, intent } = options
  const deadline = step?.timeout ?? worker.run.settings.timeoutMs
  const startedAt = Date.now()
  const env = {
    ...stepEnvironment(worker.run.world.env),
    ...step?.env,
    ...paramEnvironment(worker.at.plan.params, step?.params),
    PLAN_ID: worker.run.id,
    [runMarker]: worker.mark,
    ...(step === undefined
      ? {}
      : { PLAN_STEP: step.id, PLAN_ATTEMPT: String(attempt ?? 1), PLAN_STEP_KEY: stepKey(worker.at.plan, step) }),
  }
  return (command) => {
    requirePermit(worker.run.permit, worker.at.plan)
    return runShell({
      command,
      cwd: worker.workspace.tree.root,
      env,
      run: worker.mark,
      // One timeout for the whole step, including its checks.
      timeoutMs: deadline === undefined ? undefined : Math.max(1, deadline - (Date.now() - startedAt)),
      outputLimit: step?.limits.output ?? worker.run.settings.outputLimit,
      memory: step?.limits.memory,
      cpuMs: step?.limits.cpu,
      signal: worker.signal,
      onGroup: (group, groupStart) =>
        writeGroup(worker.workspace.dir, intent, group, groupStart).catch((error: unknown) => {
          throw toMachineError(error)
        }),
      onOutput: (chunk, stream) => output.push(chunk, stream),
    })
  }
}

/** Constant across attempts of a step in one revision of the plan, so that a service can detect a repeated request. */
const stepKey = (plan: Plan, step: Step): string => `${plan.id}/${step.id}/${plan.digest.slice(0, 16)}`

export function describeResult(result: ShellResult): string {
  if (result.kind === 'exited') return `exit code ${result.code}`
  return {
    timeout: 'timed out',
    'output-limit': 'it exceeded its output limit',
    interrupted: 'it was interrupted',
    signal: `it was killed by ${result.signal ?? 'a signal'}`,
  }[result.reason]
}
