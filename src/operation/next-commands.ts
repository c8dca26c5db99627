// What one would type next about a plan as it stands, most likely first.

import { isFailure } from '../plan/model/step-status.ts'
import type { PlanSummary } from '../view/plan-view.ts'
import { waysToApprove } from './approval-ways.ts'

/** `isPushed`: the remote has its branch, and has to be asked and told. */
export const nextCommands = (plan: PlanSummary, options: { readonly isPushed: boolean }): string[] =>
  commandsFor(plan).map((command) => (options.isPushed ? pushing(command) : command))

const working = /git plan (?:start|resume|rollback|rebase|cancel|finish) [^;&\n,]*[^;&\n, ]/g

/** Each command in the text that changes a plan, with `--push`. */
export const pushing = (text: string): string =>
  text.replace(working, (command) =>
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
      return [`git plan clone ${id}`]
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
 * Whether its effect happened, its probe says when it is resumed, or a person does. To run it again without a look
 * could make it happen twice.
 */
const unknownCommands = (id: string, step: string): string[] => [
  `git plan resume ${id}`,
  `git plan resume ${id} --done ${step}`,
  `git plan resume ${id} --skip ${step}`,
]

/** What came of it may have to be looked at first. */
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

/** At a gate, no is the end of the plan; leaving it out would go on without a decision. */
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
  // A file step that could not even begin printed nothing and left nothing: its text is wrong, or the file is.
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
