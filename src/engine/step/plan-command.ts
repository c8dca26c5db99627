// Runs commands of the plan itself, outside any step: setup, preflight, the final checks, and the tests before the
// first step. They prepare or judge; changes that they make to the tree are saved and removed.

import { PlanError } from '../../errors.ts'
import type { Fingerprint } from '../../git/trust/fingerprint.ts'
import type { StepId } from '../../plan/model/ids.ts'
import type { Step } from '../../plan/model/plan.ts'
import { keepPreserved, scanWorkspace } from '../workspace/preserved-ignored.ts'
import { restoreTip, saveAttempt, takeAttempt } from '../record/restore.ts'
import type { Run } from '../run/run.ts'
import type { Worker } from '../run/worker.ts'
import { refuseGitChanges } from './git-changes.ts'
import { StepOutput } from './step-output.ts'
import { describeResult, shellFor, type Shell } from './step-shell.ts'

type Phase = 'setup' | 'preflight' | 'verify' | 'baseline'

export async function runPlanCommand(worker: Worker, phase: Phase, command: string): Promise<void> {
  const problem = await tryPlanCommand(worker, phase, command)
  if (problem !== undefined) {
    // The phase was announced with its command.
    throw new PlanError('preflight', `${phase} failed: ${problem}`, {
      hint: {
        'its output': worker.run.dir.file('logs', `${phase}-1.log`),
        'once it is fixed': `git plan resume ${worker.run.id}`,
      },
      facts: { command },
    })
  }
}

/** undefined: the command passed. */
export async function tryPlanCommand(worker: Worker, phase: Phase, command: string): Promise<string | undefined> {
  const { result } = await inPlanPhase(worker, { phase, command }, (shell) => shell(command))
  return result.kind === 'exited' && result.code === 0 ? undefined : describeResult(result)
}

/**
 * `step`: the command has its environment, timeout and limits. `fingerprint`: what Git executes must be unchanged
 * afterwards.
 */
export async function inPlanPhase<T>(
  worker: Worker,
  options: { phase: Phase; command: string; step?: Step; fingerprint?: Fingerprint },
  work: (shell: Shell) => Promise<T>,
): Promise<{ readonly result: T; readonly note: Uint8Array }> {
  const { phase, command, step: of, fingerprint } = options
  worker.emit({ kind: 'phase', name: phase, command })
  await keepPreserved(worker.workspace)
  const intent = await worker.workspace.intend({
    kind: 'step',
    step: phase,
    input: worker.at.tip,
    ...(fingerprint === undefined ? {} : { gitState: fingerprint.digest }),
  })
  const output = new StepOutput(worker, phase, 1)
  const result = await work(shellFor(worker, { intent, output, ...(of === undefined ? {} : { step: of }) }))
  await output.end()
  if (fingerprint !== undefined) await refuseGitChanges(worker, fingerprint)
  const { dirty } = await scanWorkspace(worker.workspace)
  if (dirty.length > 0) {
    const step = phase as string as StepId
    const attempt = await takeAttempt(worker.run, step)
    const saved = await saveAttempt(worker, {
      step,
      attempt,
      reason: 'changes',
      message: `${command} changed the tree`,
    })
    await restoreTip(worker, saved, { label: `${phase}-${attempt}` })
    worker.emit({
      kind: 'notice',
      message: `\`${command}\` changed the work tree; its changes are saved in ${saved.ref}`,
    })
  }
  await worker.workspace.settle()
  return { result, note: output.note() }
}

/** Runs when a work tree was made, and after a restore that changed a setup input. */
export async function runSetup(worker: Worker): Promise<void> {
  const { setup } = worker.at.plan
  if (setup !== undefined) await runPlanCommand(worker, 'setup', setup)
}

const lockFiles = [
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lockb',
  'Cargo.lock',
  'go.sum',
  'poetry.lock',
  'Pipfile.lock',
  'uv.lock',
  'requirements.txt',
  'Gemfile.lock',
  'composer.lock',
]

export const setupInputs = (run: Run): readonly string[] => run.at.plan.setupInputs ?? lockFiles
