// The protocol of a run, from a plan on its branch to the end of its steps: named phases, in order. `start`, `resume`
// and `rebase` are lists of phases, so that their differences can be read and printed.

import { availableParallelism } from 'node:os'
import { PlanError } from '../errors.ts'
import { jobsOf } from '../operation/settings.ts'
import type { RawPath } from '../git/read/raw-path.ts'
import type { ForeignCommit } from '../store/history.ts'
import { enter, holdUserTree, refuseDirty } from '../engine/switch/enter-and-leave.ts'
import { preflight as checkBeforeRun, refuseUnknownChecks } from '../engine/preflight/preflight.ts'
import { requireClean } from '../engine/rollback/rollback.ts'
import type { RunOptions } from '../engine/schedule/loop.ts'
import type { RunEnd } from '../engine/schedule/run-end.ts'
import type { Slots } from '../engine/schedule/slots.ts'
import { runPlan } from '../engine/schedule/run-plan.ts'
import { leavePlanMode as leaveMode } from '../engine/run/plan-mode.ts'
import type { Scan } from '../git/worktree/work-tree.ts'
import type { Step } from '../plan/model/plan.ts'
import type { Oid } from '../plan/model/ids.ts'
import { stepPermit } from '../approval/flow/ensure-approved.ts'
import type { CommandResult } from '../operation/context.ts'
import { dryRunResult } from './dry-run.ts'
import { refuseFinishedElsewhere } from '../approval/flow/finished-elsewhere.ts'
import { objectionToRun, permitRun } from '../approval/flow/gate.ts'
import { judgePlan } from '../approval/flow/judge-plan.ts'
import { askRemoteFirst } from '../remote/remote-state.ts'
import type { DryRunData, NextData, RebasedData, RunData } from '../operation/results.ts'
import { runResult } from './run-result.ts'
import { once } from '../remote/forge/once.ts'
import { readRemarks } from '../remote/read-remarks.ts'
import { whilePushing } from '../remote/while-pushing.ts'
import type { Pushing, PushRequest } from '../remote/push-request.ts'
import type { WriteContext } from '../operation/with-run.ts'

export interface RunRequest extends PushRequest {
  readonly approve?: boolean
  /** Wait for reviews on the forge. */
  readonly wait?: boolean
  readonly autostash?: boolean
  readonly worktree?: boolean
  readonly keepGoing?: boolean
  /** The number of steps that may run at the same time. */
  readonly jobs?: string
  readonly failFast?: boolean
  readonly noCache?: boolean
  readonly keepTree?: boolean
  readonly dryRun?: boolean
  readonly skipCheck?: readonly string[]
}

/** The facts that the phases of one command share, each read once. */
export interface RunFacts<R extends RunRequest = RunRequest> extends WriteContext {
  readonly request: R
  /** Untracked files that may lie in the work tree: the plan file given to `start`. */
  adopted: readonly RawPath[]
  /** The person at the keyboard approves the plan. */
  isApproving: boolean
  /** Commits that a person made on top of the newest event. */
  commits: readonly ForeignCommit[]
  /** True if those commits, and edits in the work tree, become a fix or the result of a step. */
  takesWork: boolean
  /** The work tree before the run, if the plan is not checked out yet. */
  scan: Scan | undefined
  /** The work tree was entered and is known to match the tip. */
  isClean: boolean
  retry: RunOptions['retry']
  /** The tree of a fix that is about to be committed. */
  fix: Oid | undefined
  /** The preflight checks have passed: before the fix was committed. */
  isChecked: boolean
  /** The same command has proposed the plan, and checked it on its tree. */
  readonly isJustProposed: boolean
  /** Shared with other plans that the same command runs. */
  readonly slots: Slots | undefined
  /** Restores plan mode, if the run has left it. */
  restoreMode: () => Promise<void>
}

/** What the plans of one command share. */
export interface Shared {
  readonly slots: Slots
}

export type RunAnswer = CommandResult<RunData | NextData | DryRunData | RebasedData>

/** A phase that returns an answer ends the command. */
export interface Phase<R extends RunRequest = RunRequest> {
  readonly name: string
  run(facts: RunFacts<R>): Promise<RunAnswer | undefined>
}

/** A phase that never ends the command, except by a refusal. */
export const phase = <R extends RunRequest = RunRequest>(
  name: string,
  work: (facts: RunFacts<R>) => Promise<void>,
): Phase<R> => ({
  name,
  run: (facts) => work(facts).then(() => undefined),
})

export async function runPhases<R extends RunRequest>(
  phases: readonly Phase<R>[],
  writing: WriteContext,
  request: R,
  known: Partial<Pick<RunFacts, 'scan' | 'slots' | 'isJustProposed'>> = {},
): Promise<RunAnswer> {
  refuseUnknownChecks(request.skipCheck)
  refuseBadJobs(request)
  const facts: RunFacts<R> = {
    ...writing,
    request,
    adopted: [],
    isApproving: request.approve === true,
    commits: [],
    takesWork: false,
    scan: known.scan,
    slots: known.slots,
    isJustProposed: known.isJustProposed === true,
    isClean: false,
    retry: undefined,
    fix: undefined,
    isChecked: false,
    restoreMode: async () => {},
  }
  try {
    for (const phase of phases) {
      const answer = await phase.run(facts)
      if (answer !== undefined) return answer
    }
    throw new Error('the last phase has no answer')
  } finally {
    await facts.restoreMode()
  }
}

const usesOwnTree = ({ request, settings }: RunFacts): boolean => request.worktree ?? settings.worktree

export const refuseFinished: Phase = phase('refuse a plan that is finished', refuseFinishedElsewhere)

export const askRemote: Phase = phase('ask the remote', (facts) => askRemoteFirst(facts, pushingOf(facts)))

const pushingOf = ({ request, run }: RunFacts): Pushing => ({ request, again: `git plan ${run.command} ${run.id}` })

/** Runs before a decision is asked for or recorded that could then not be carried out. */
export const holdWorkTree: Phase = phase('hold the work tree', async (facts) => {
  const { run } = facts
  await holdUserTree(run, { worktree: usesOwnTree(facts) })
  if (run.tree === undefined && !usesOwnTree(facts)) facts.scan ??= await refuseDirty(run, treeOptions(facts))
})

export const ensureApproved: Phase = phase('ensure that it is approved', async (facts) => {
  const { context, request, isApproving, takesWork } = facts
  await permitRun(facts, {
    ...request,
    approve: isApproving,
    adopts: takesWork,
    // A person's work may be what the next step needs.
    checksTree: !facts.isJustProposed && !takesWork && request.skipCheck?.includes('plan') !== true,
  })
  // A prompt or a review may have taken a while: the work tree may have changed meanwhile.
  if (context.isInteractive || request.wait === true) facts.scan = undefined
})

const treeOptions = (facts: RunFacts) => ({
  autostash: facts.request.autostash === true,
  worktree: usesOwnTree(facts),
  adopted: facts.adopted,
})

export const enterWorkTree: Phase = phase('enter the work tree', async (facts) => {
  facts.isClean = await enter(facts.run, { ...treeOptions(facts), scan: facts.scan })
})

/** After the approval: a plan that is only asked about leaves nothing. */
export const leavePlanMode: Phase = phase('leave plan mode', async (facts) => {
  facts.restoreMode = await leaveMode(facts.run)
})

export const requireCleanTree: Phase = phase('require a clean work tree', async ({ run, request, isClean }) => {
  if (!isClean) await requireClean(run, { isAutostashing: request.autostash === true })
})

export const preflight: Phase = phase('preflight checks', async (facts) => {
  const { run, request, retry, fix, isChecked } = facts
  if (isChecked) return
  // A step that starts from the files of an earlier attempt does not start from the tree of the tip.
  await checkBeforeRun(run, request.skipCheck ?? [], async () =>
    retry?.fromAttempt === undefined ? judgePlan(facts, { fix }) : undefined,
  )
  facts.isChecked = true
})

/** Every step needs its permit; with `--push` the plan is published before each step. */
export const runSteps: Phase = {
  name: 'run the steps',
  run: (facts) => runStepsOf(facts, {}, (end, keepsTree) => runResult(facts, end, { keepsTree })),
}

/** `conclude`: what the end of the run means; the plan is published after it. */
export function runStepsOf<T extends CommandResult>(
  facts: RunFacts,
  how: Pick<RunOptions, 'handsOut'>,
  conclude: (end: RunEnd, keepsTree: boolean) => Promise<T>,
): Promise<T> {
  const { run, request, retry } = facts
  const permit = stepPermit(facts)
  return whilePushing(facts, pushingOf(facts), async (publish) => {
    const before = async (step: Step): Promise<void> => {
      await permit(step)
      await publish()
    }
    run.skipsCache = request.noCache === true
    run.readRemarks = once(() => readRemarks(facts))
    const keepTree = request.keepTree === true || !run.settings.automaticRollback
    const end = await runPlan(run, {
      keepGoing: request.keepGoing === true,
      failFast: request.failFast === true,
      jobs: jobsFor(facts),
      slots: facts.slots,
      keepTree,
      retry,
      permit: before,
      ...how,
    })
    return conclude(end, keepTree)
  })
}

/** With `--push`, holds the lease during `work` and pushes what was recorded. */
export const publishing = <T extends CommandResult>(facts: RunFacts, work: () => Promise<T>): Promise<T> =>
  whilePushing(facts, pushingOf(facts), work)

/** 0 means one per core. The policy can limit it. */
export function jobsFor({ request, settings }: Pick<RunFacts, 'request' | 'settings'>): number {
  refuseBadJobs(request)
  const jobs = request.jobs === undefined ? settings.jobs : (jobsOf(request.jobs) ?? 1)
  const most = settings.config.limits.jobs ?? Infinity
  return Math.min(most, jobs === 0 ? availableParallelism() : jobs)
}

function refuseBadJobs({ jobs }: RunRequest): void {
  if (jobs === undefined || jobsOf(jobs) !== undefined) return
  throw new PlanError('usage', `-j needs a number, not ${JSON.stringify(jobs)}`, { hint: 'git plan start -h' })
}

/** `--dry-run`; with `asks` it fails with whatever the approval gate would object. */
export const preview = (command: string, { asks }: { readonly asks: boolean }): Phase => ({
  name: 'answer a dry run',
  async run(facts) {
    if (facts.request.dryRun !== true) return undefined
    const objection = asks ? await objectionToRun(facts) : undefined
    if (objection !== undefined) throw objection
    return dryRunResult(command, facts.run.at.plan)
  },
})
