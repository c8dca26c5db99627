// Commands of the plan itself, outside any step: setup, preflight, the final checks. They judge or prepare; what they leave in the tree is put aside.

import { PlanError } from '../errors.ts'
import type { StepId } from '../plan/values.ts'
import { keepNotOurs, scanPlace } from './not-ours.ts'
import { nextAttempt, restoreTip, saveAttempt } from './restore.ts'
import type { Session } from './session.ts'
import { StepOutput } from './step-output.ts'
import { describeResult, shellFor } from './step-shell.ts'

type Phase = 'setup' | 'preflight' | 'verify'

export async function runPlanCommand(session: Session, phase: Phase, command: string): Promise<void> {
  const problem = await tryPlanCommand(session, phase, command)
  if (problem !== undefined) {
    throw new PlanError('preflight', `${phase} failed: \`${command}\`: ${problem}`, {
      hint: { 'its output': session.dir.file('logs', `${phase}-1.log`), 'once it is fixed': `git plan resume ${session.id}` },
    })
  }
}

/** undefined: it passed. */
export async function tryPlanCommand(session: Session, phase: Phase, command: string): Promise<string | undefined> {
  session.world.emit({ kind: 'phase', name: phase, command })
  await keepNotOurs(session)
  const intent = await session.intend({ kind: 'step', step: phase, input: session.at.tip })
  const output = new StepOutput(session, phase, 1)
  const result = await shellFor(session, { intent, output })(command)
  await output.end()
  const { dirty } = await scanPlace(session)
  if (dirty.length > 0) {
    const step = phase as string as StepId
    const attempt = await nextAttempt(session, step)
    const saved = await saveAttempt(session, { step, attempt, reason: 'changes', message: `${command} changed the tree` })
    await restoreTip(session, saved, { label: `${phase}-${attempt}` })
    session.world.emit({ kind: 'notice', message: `\`${command}\` changed the work tree; its changes are saved in ${saved.ref}` })
  }
  await session.settle()
  return result.kind === 'exited' && result.code === 0 ? undefined : describeResult(result)
}

/** `setup` runs where a work tree was made, and after a restore that changed what it depends on. */
export async function runSetup(session: Session): Promise<void> {
  const { setup } = session.at.plan
  if (setup !== undefined) await runPlanCommand(session, 'setup', setup)
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

export const setupInputs = (session: Session): readonly string[] => session.at.plan.setupInputs ?? lockFiles
