// Suggests the next commands for a plan in its current status, most likely first.

import { isDraft } from '../plan/model/draft.ts'
import { isBegun, isFailure } from '../plan/model/step-status.ts'
import type { PlanSummary } from '../view/plan-view.ts'
import { waysToApprove } from './approval-ways.ts'

/** `isPushed`: the remote has the plan's branch, so commands that change the plan need `--push`. */
export const nextCommands = (plan: PlanSummary, options: { readonly isPushed: boolean }): string[] =>
  options.isPushed ? withWait(commandsFor(plan), plan).map(addPushOption) : commandsFor(plan)

/** Once the branch is on the remote, the review can be waited for, unless there is something new to submit. */
const withWait = (commands: readonly string[], { id, startedAt }: PlanSummary): readonly string[] =>
  commands.includes(`git plan submit ${id}`)
    ? [...commands, `git plan ${startedAt === null ? 'start' : 'resume'} ${id} --wait`]
    : commands

const changingCommand = /git plan (?:start|resume|next|rollback|rebase|cancel|finish) [^;&\n,]*[^;&\n, ]/g

/** Adds `--push` to each command in the text that changes a plan. */
export const addPushOption = (text: string): string =>
  text.replace(changingCommand, (command) =>
    / (--push|--ready|--remote|--dry-run|-h)\b/.test(command) ? command : `${command} --push`,
  )

/** Commands that settle what another clone has pushed. A fetch would undo a rollback. */
export function waysToSettle(id: string, relation: string, { isRolledBack = false } = {}): string[] {
  if (relation === 'diverged') return [`git plan fetch ${id} --take theirs`, `git plan fetch ${id} --take ours`]
  if (relation !== 'behind') return []
  return isRolledBack ? [`git plan fetch ${id} --take ours`, `git plan fetch ${id}`] : [`git plan fetch ${id}`]
}

function commandsFor(plan: PlanSummary): string[] {
  const { id } = plan
  // A plan that was begun may have got another text. What an interrupted step changed of Git, only `resume` accepts.
  const isInside = plan.seen === 'stalled' || plan.steps.some(({ status }) => status !== 'pending')
  const verb = isInside ? 'resume' : 'start'
  const unknown = plan.steps.find((step) => step.seen === 'unknown' && isReady(plan, step))
  const byHand = plan.foreign[0]?.commit === plan.tip
  const isOutdated = plan.approval.state === 'outdated'
  if (plan.undone !== null && plan.seen !== 'running' && plan.seen !== 'merged')
    return [`${plan.undone.rollback} && git plan resume ${id}`]
  switch (plan.seen) {
    case 'running':
      return [`git plan log ${id}`]
    case 'merged':
      return [`git plan report ${id}`]
    case 'completed':
      return [...(byHand ? [`git plan audit ${id}`] : finishCommands(plan)), `git plan report ${id}`]
    case 'cancelled':
      return [`git plan clone ${id}`, `git plan rollback ${id} --undo`]
    case 'proposed':
    case 'stale':
      if (isDraft(plan.steps)) return [`git plan edit ${id}`]
      return [`git plan show ${id}`, ...waysToApprove(id, plan.approval, verb, { hasCommits: byHand })]
    case 'rejected':
      return [`git plan edit ${id}`]
    case 'approved':
      return byHand || plan.approval.state !== 'approved'
        ? [`git plan show ${id}`, ...waysToApprove(id, plan.approval, verb, { hasCommits: byHand })]
        : [`git plan ${verb} ${id}`]
    case 'failed':
      if (byHand) return adoptCommands(plan)
      if (isOutdated && unknown === undefined)
        return [...failedCommands(plan).filter(isReading), ...waysToApprove(id, plan.approval, 'resume')]
      return unknown === undefined
        ? [...failedCommands(plan), ...(canRollBack(plan) ? [`git plan rollback ${id}`] : [])]
        : unknownCommands(id, unknown.id)
    case 'waiting':
      if (isOutdated && !byHand) return waysToApprove(id, plan.approval, 'resume')
      return byHand ? adoptCommands(plan) : waitingCommands(plan)
    case 'paused':
    case 'stalled':
    case 'rolled-back':
    case 'active': {
      if (plan.open !== null) return [`git plan next ${id}`, `git plan resume ${id}`]
      if (byHand && isBegun(plan.status)) return adoptCommands(plan)
      if (unknown !== undefined) return unknownCommands(id, unknown.id)
      if (plan.status === 'proposed' || isOutdated)
        return waysToApprove(id, plan.approval, plan.status === 'proposed' ? verb : 'resume')
      return [
        plan.status === 'approved' ? `git plan ${verb} ${id}` : `git plan resume ${id}`,
        ...(plan.seen === 'rolled-back' ? [`git plan rollback ${id} --undo`] : []),
      ]
    }
  }
}

const isReading = (command: string): boolean => /^git plan (log|attempts) /.test(command)

/** Nothing that the step needs is open; a step above it may have been added since it stopped the plan. */
const isReady = ({ steps }: PlanSummary, { needs }: PlanSummary['steps'][number]): boolean =>
  needs.every((id) =>
    steps.some(
      (step) =>
        step.id === id &&
        (step.status === 'done' || step.status === 'skipped' || (step.allowFailure && isFailure(step.status))),
    ),
  )

/** A rollback without a step undoes the last done or skipped one. The policy may leave external effects to others. */
const canRollBack = ({ steps, effects, approval }: PlanSummary): boolean =>
  steps.some(({ status }) => status === 'done' || status === 'skipped') &&
  (approval.isEffectYours || effects.every(({ state }) => state !== 'happened'))

/** For commits that a person made on top of the plan's. */
const adoptCommands = ({ id, next, foreign }: PlanSummary): string[] =>
  foreign.some(({ isMerge }) => isMerge)
    ? [`git plan rebase ${id}`]
    : [`git plan resume ${id} --fix`, ...(next === null ? [] : [`git plan resume ${id} --done ${next}`])]

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
  const isLocal = approval.isYours && approval.from.includes('local')
  if (approval.from.includes('review') && !isLocal) return [`git plan finish ${id} --ready`]
  const approve = `git plan approve ${id}${isLocal ? '' : ' --sign'}`
  return [`git plan diff ${id}`, ...(approval.isYours ? [approve] : [])]
}

/** At a gate, a no ends the plan: `--skip` would continue without a decision. */
function waitingCommands(plan: PlanSummary): string[] {
  const step = plan.steps.find((each) => each.status === 'waiting' && isReady(plan, each))
  if (step === undefined) return [`git plan resume ${plan.id}`]
  if (plan.open !== null)
    return [
      `git plan next ${plan.id} --done ${plan.open.step} -m SUMMARY`,
      `git plan next ${plan.id} --failed ${plan.open.step} -m WHY`,
      `git plan next ${plan.id} --release ${plan.open.step}`,
    ]
  if (step.agent !== null)
    return [
      `git plan next ${plan.id}`,
      `git plan resume ${plan.id}${step.asks === 'driver' ? ` --skip ${step.id}` : ''}`,
    ]
  return [
    `git plan resume ${plan.id} --done ${step.id}`,
    step.asks === 'decision' ? `git plan cancel ${plan.id} -m WHY` : `git plan resume ${plan.id} --skip ${step.id}`,
  ]
}

function failedCommands(plan: PlanSummary): string[] {
  // Not one that was allowed to fail.
  const failed = plan.steps.find((step) => step.id === plan.next && isFailure(step.status))
  if (failed === undefined) return [`git plan resume ${plan.id}`]
  // Running it again would fail again: somebody has to combine both changes.
  if (failed.status === 'conflict')
    return [
      `git plan attempts ${plan.id}`,
      `git plan resume ${plan.id} --done ${failed.id}`,
      `git plan edit ${plan.id}`,
    ]
  // A file step that could not begin printed and left nothing: either its text or the file is wrong.
  if (failed.error?.startsWith('cannot ') === true)
    return [`git plan edit ${plan.id}`, `git plan resume ${plan.id} --fix`]
  const isSaved = plan.attempts.some((attempt) => attempt.step === failed.id)
  return [
    `git plan log ${plan.id} --output ${failed.id}`,
    ...(isSaved ? [`git plan attempts ${plan.id} --show ${failed.id}`] : []),
    `git plan ${failed.asks === 'driver' ? 'next' : 'resume'} ${plan.id} --retry ${failed.id}`,
    `git plan resume ${plan.id} --fix`,
    `git plan edit ${plan.id}`,
  ]
}
