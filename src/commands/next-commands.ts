// What one would type next about a plan as it stands, most likely first.

import type { PlanSummary } from '../report/view.ts'

export function nextCommands(plan: PlanSummary): string[] {
  const { id } = plan
  const unknown = plan.steps.find((step) => step.seen === 'unknown')
  switch (plan.seen) {
    case 'running':
      return [`git plan log ${id}`]
    case 'merged':
      return [`git plan report ${id}`]
    case 'completed':
      return [`git plan finish ${id}`, `git plan report ${id}`]
    case 'cancelled':
      return [`git plan clone ${id}`]
    case 'proposed':
    case 'stale':
      return [`git plan show ${id}`, `git plan approve ${id}`, `git plan start ${id} --approve`]
    case 'rejected':
      return [`git plan edit ${id}`]
    case 'approved':
      return [`git plan start ${id}`]
    case 'failed':
      return [...failedCommands(plan), `git plan rollback ${id}`]
    case 'waiting':
      return waitingCommands(plan)
    case 'paused':
    case 'stalled':
    case 'rolled-back':
    case 'active': {
      if (unknown !== undefined) return [`git plan resume ${id} --done ${unknown.id}`, `git plan resume ${id} --retry ${unknown.id}`]
      if (plan.status === 'proposed') return [`git plan approve ${id}`]
      return [
        plan.status === 'approved' ? `git plan start ${id}` : `git plan resume ${id}`,
        ...(plan.seen === 'rolled-back' ? [`git plan rollback ${id} --undo`] : []),
      ]
    }
  }
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
  const failed = plan.steps.find((step) => ['failed', 'timeout', 'conflict'].includes(step.status))
  if (failed === undefined) return [`git plan resume ${plan.id}`]
  // A file step that could not even begin printed nothing and left nothing: its text is wrong, or the file is.
  if (failed.error?.startsWith('cannot ') === true) return [`git plan edit ${plan.id}`, `git plan resume ${plan.id} --fix`]
  const isSaved = plan.attempts.some((attempt) => attempt.step === failed.id)
  return [
    `git plan log ${plan.id} --output ${failed.id}`,
    ...(isSaved ? [`git plan attempts ${plan.id} --show ${failed.id}`] : []),
    `git plan resume ${plan.id} --retry ${failed.id}`,
    `git plan resume ${plan.id} --fix`,
    `git plan edit ${plan.id}`,
  ]
}
