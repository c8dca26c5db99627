// Suggests the next commands for a plan in its current status, most likely first.

import { isFailure } from '../plan/model/step-status.ts'
import type { PlanSummary } from '../view/plan-view.ts'
import { waysToApprove } from './approval-ways.ts'

/** `isPushed`: the remote has the plan's branch, so commands that change the plan need `--push`. */
export const nextCommands = (plan: PlanSummary, options: { readonly isPushed: boolean }): string[] =>
  commandsFor(plan).map((command) => (options.isPushed ? addPushOption(command) : command))

const changingCommand = /git plan (?:start|resume|rollback|rebase|cancel|finish) [^;&\n,]*[^;&\n, ]/g

/** Adds `--push` to each command in the text that changes a plan. */
export const addPushOption = (text: string): string =>
  text.replace(changingCommand, (command) =>
    / (--push|--ready|--remote|--dry-run|-h)\b/.test(command) ? command : `${command} --push`,
  )

function commandsFor(plan: PlanSummary): string[] {
  const { id } = plan
  const unknown = plan.steps.find((step) => step.seen === 'unknown')
  if (plan.undone !== null && plan.seen !== 'running' && plan.seen !== 'merged')
    return [`${plan.undone.rollback} && git plan resume ${id}`]
  switch (plan.seen) {
    case 'running':
      return [`git plan log ${id}`]
    case 'merged':
      return [`git plan report ${id}`]
    case 'completed':
      return [...finishCommands(plan), `git plan report ${id}`]
    case 'cancelled':
      return [`git plan clone ${id}`, `git plan rollback ${id} --undo`]
    case 'proposed':
    case 'stale':
      return [`git plan show ${id}`, ...waysToApprove(id, plan.approval, 'start')]
    case 'rejected':
      return [`git plan edit ${id}`]
    case 'approved':
      return [`git plan start ${id}`]
    case 'failed':
      return unknown === undefined
        ? [...failedCommands(plan), `git plan rollback ${id}`]
        : unknownCommands(id, unknown.id)
    case 'waiting':
      return waitingCommands(plan)
    case 'paused':
    case 'stalled':
    case 'rolled-back':
    case 'active': {
      if (unknown !== undefined) return unknownCommands(id, unknown.id)
      if (plan.status === 'proposed' || plan.approval.state === 'outdated')
        return waysToApprove(id, plan.approval, plan.status === 'proposed' ? 'start' : 'resume')
      return [
        plan.status === 'approved' ? `git plan start ${id}` : `git plan resume ${id}`,
        ...(plan.seen === 'rolled-back' ? [`git plan rollback ${id} --undo`] : []),
      ]
    }
  }
}

/**
 * Resuming runs the step's probe; otherwise a person has to declare the outcome. Retrying without knowing it could make
 * the effect happen twice.
 */
const unknownCommands = (id: string, step: string): string[] => [
  `git plan resume ${id}`,
  `git plan resume ${id} --done ${step}`,
  `git plan resume ${id} --skip ${step}`,
]

/** The result may need an approval first. */
function finishCommands({ id, approval }: PlanSummary): string[] {
  if (!approval.isResultOpen) return [`git plan finish ${id}`]
  if (approval.from.includes('review') && !approval.from.includes('local'))
    return [`git plan finish ${id} --ready`, `git plan finish ${id}`]
  return [
    `git plan diff ${id}`,
    `git plan approve ${id}${approval.from.includes('local') ? '' : ' --sign'}`,
    `git plan finish ${id}`,
  ]
}

/** At a gate, a no ends the plan: `--skip` would continue without a decision. */
export function waitingCommands(plan: PlanSummary): string[] {
  const step = plan.steps.find((each) => each.status === 'waiting')
  if (step === undefined) return [`git plan resume ${plan.id}`]
  return [
    `git plan resume ${plan.id} --done ${step.id}`,
    step.asks === 'decision' ? `git plan cancel ${plan.id} -m WHY` : `git plan resume ${plan.id} --skip ${step.id}`,
  ]
}

function failedCommands(plan: PlanSummary): string[] {
  const failed = plan.steps.find((step) => isFailure(step.status))
  if (failed === undefined) return [`git plan resume ${plan.id}`]
  // A file step that could not begin printed and left nothing: either its text or the file is wrong.
  if (failed.error?.startsWith('cannot ') === true)
    return [`git plan edit ${plan.id}`, `git plan resume ${plan.id} --fix`]
  const isSaved = plan.attempts.some((attempt) => attempt.step === failed.id)
  return [
    `git plan log ${plan.id} --output ${failed.id}`,
    ...(isSaved ? [`git plan attempts ${plan.id} --show ${failed.id}`] : []),
    `git plan resume ${plan.id} --retry ${failed.id}`,
    `git plan resume ${plan.id} --fix`,
    `git plan edit ${plan.id}`,
  ]
}
