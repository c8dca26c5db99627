// Shell commands of a plan: a step's own, its checks, probe and undo, the plan's setup and preflight.

import { requirePermit } from '../approval/permit.ts'
import { refusedByMachine } from '../errors.ts'
import type { Plan, Step } from '../plan/plan.ts'
import type { ShellResult } from '../plan/verb.ts'
import { stepEnvironment } from '../process/environment.ts'
import { runShell } from '../process/run-shell.ts'
import { runMarker } from '../process/tree.ts'
import { writeGroup, type Intent } from './intent.ts'
import type { Session } from './session.ts'
import type { StepOutput } from './step-output.ts'

export type Shell = (command: string) => Promise<ShellResult>

export function shellFor(session: Session, options: { intent: Intent; output: StepOutput; step?: Step; attempt?: number }): Shell {
  const { step, attempt, output, intent } = options
  const deadline = step?.timeout ?? session.settings.timeoutMs
  const startedAt = Date.now()
  const env = {
    ...stepEnvironment(session.world.env),
    ...step?.env,
    PLAN_ID: session.id,
    [runMarker]: session.run,
    ...(step === undefined ? {} : { PLAN_STEP: step.id, PLAN_ATTEMPT: String(attempt ?? 1), PLAN_STEP_KEY: stepKey(session.at.plan, step) }),
  }
  return (command) => {
    requirePermit(session.permit, session.at.plan)
    return runShell({
      command,
      cwd: session.place.root,
      env,
      run: session.run,
      // One timeout for the whole step, its checks included.
      timeoutMs: deadline === undefined ? undefined : Math.max(1, deadline - (Date.now() - startedAt)),
      outputLimit: step?.limits.output ?? session.settings.outputLimit,
      memory: step?.limits.memory,
      cpuMs: step?.limits.cpu,
      signal: session.world.signal,
      onGroup: (group, groupStart) =>
        writeGroup(session.dir, intent, group, groupStart).catch((error: unknown) => {
          throw refusedByMachine(error)
        }),
      onOutput: (chunk, stream) => output.push(chunk, stream),
    })
  }
}

/** The same for every attempt of a step of this revision of the plan, so that what it calls can tell a repeated request. */
const stepKey = (plan: Plan, step: Step): string => `${plan.id}/${step.id}/${plan.digest.slice(0, 16)}`

export function describeResult(result: ShellResult): string {
  if (result.kind === 'exited') return `exit code ${result.code}`
  return {
    timeout: 'it exceeded its timeout',
    'output-limit': 'it exceeded its output limit',
    interrupted: 'it was interrupted',
    signal: `it was killed by ${result.signal ?? 'a signal'}`,
  }[result.reason]
}
