// The actions of a plan: a row for each, with the fields of its dialog. A row says when it is offered, which saves the
// person a refusal; whether it is allowed is decided by its command.

import type { Status } from './api.ts'

export interface Field {
  /** The key of the request. */
  readonly key: string
  readonly label: string
  readonly type: 'text' | 'long' | 'flag' | 'number' | 'choice'
  readonly choices?: readonly (readonly [value: string, label: string])[]
  readonly help?: string
  readonly isOffered?: (status: Status) => boolean
}

export interface ActionRow {
  readonly name: string
  /** The command that it calls. */
  readonly command: string
  readonly label: string
  readonly about: string
  readonly tone?: 'good' | 'bad'
  readonly key?: string
  readonly fields: readonly Field[]
  readonly isOffered: (status: Status) => boolean
  /** It is about this step, by this key of the request. */
  readonly stepKey?: 'retry' | 'skip' | 'done'
}

const reason: Field = { key: 'message', label: 'Reason, for the record', type: 'long' }
const runFields: readonly Field[] = [
  { key: 'jobs', label: 'Steps at the same time', type: 'number', help: '0: one per core' },
  { key: 'keepGoing', label: 'After a failure, run the steps that do not need the failed one', type: 'flag' },
  { key: 'autostash', label: 'Stash my changes first', type: 'flag' },
]

const isEnded = ({ seen }: Status): boolean => ['completed', 'merged', 'cancelled', 'rejected'].includes(seen)
const isRunning = ({ seen }: Status): boolean => seen === 'running'
const isBegun = ({ status }: Status): boolean => ['active', 'waiting', 'failed', 'completed'].includes(status)
const isApproved = ({ approval }: Status): boolean => approval.state === 'approved' || approval.required === 0
const isOpen = (status: Status): boolean => !isEnded(status) && !isRunning(status)

const actionRows: readonly ActionRow[] = [
  {
    name: 'approve',
    command: 'approve',
    label: 'Approve',
    about: 'You approve exactly this text. Nothing runs yet.',
    tone: 'good',
    key: 'a',
    fields: [
      reason,
      { key: 'sign', label: 'Sign the approval', type: 'flag' },
      {
        key: 'files',
        label: 'Approve the commits of others on the branch too',
        type: 'flag',
        isOffered: ({ foreign }) => foreign.length > 0,
      },
    ],
    isOffered: (status) =>
      status.approval.isResultOpen || status.seen === 'rejected' || (isOpen(status) && !isApproved(status)),
  },
  {
    name: 'reject',
    command: 'reject',
    label: 'Reject',
    about: 'Your comments on lines of the plan become the reason.',
    tone: 'bad',
    key: 'x',
    fields: [reason],
    isOffered: (status) => status.approval.isResultOpen || (isOpen(status) && !isBegun(status)),
  },
  {
    name: 'start',
    command: 'start',
    label: 'Start',
    about: 'Runs the approved plan from its first step.',
    tone: 'good',
    key: 's',
    fields: [...runFields, { key: 'worktree', label: 'In a work tree of its own', type: 'flag' }],
    isOffered: (status) => isOpen(status) && !isBegun(status) && isApproved(status),
  },
  {
    name: 'resume',
    command: 'resume',
    label: 'Resume',
    about: 'Continues after the last completed step; a failed step is tried again.',
    tone: 'good',
    key: 's',
    fields: [...runFields, { key: 'fix', label: 'Commit my edits in the work tree as a fix', type: 'flag' }, reason],
    isOffered: (status) => isOpen(status) && (status.resumable || isBegun(status)),
  },
  {
    name: 'retry',
    command: 'resume',
    stepKey: 'retry',
    label: 'Retry the step',
    about: 'Runs the step again, and then the steps after it.',
    tone: 'good',
    fields: [
      { key: 'fromAttempt', label: 'Begin with the files of attempt', type: 'number', help: 'empty: with none' },
      { key: 'continueSession', label: 'Continue the session of the agent', type: 'flag' },
      ...runFields,
      reason,
    ],
    isOffered: isOpen,
  },
  {
    name: 'skip',
    command: 'resume',
    stepKey: 'skip',
    label: 'Skip the step',
    about: 'The step is recorded as skipped, and the plan continues.',
    fields: [reason, ...runFields],
    isOffered: isOpen,
  },
  {
    name: 'done',
    command: 'resume',
    stepKey: 'done',
    label: 'Declare it done',
    about: 'You say that the step is done; its checks still decide. For a gate this is the answer yes.',
    fields: [reason, ...runFields],
    isOffered: isOpen,
  },
  {
    name: 'rollback',
    command: 'rollback',
    label: 'Roll back',
    about: 'Goes back to an earlier step. The commits are saved, and the rollback can be undone.',
    tone: 'bad',
    key: 'b',
    fields: [{ key: 'keepEffects', label: 'Leave external effects as they are', type: 'flag' }, reason],
    isOffered: (status) =>
      !isRunning(status) &&
      status.seen !== 'merged' &&
      (status.progress.done > 0 || status.rollbacks.length > 0 || status.seen === 'cancelled'),
  },
  {
    name: 'replan',
    command: 'replan',
    label: 'Replan',
    about: 'Replaces the steps that are not done. The new text needs a new approval.',
    fields: [reason],
    isOffered: isOpen,
  },
  {
    name: 'finish',
    command: 'finish',
    label: 'Finish',
    about: 'Merges the completed plan into its base.',
    tone: 'good',
    fields: [
      {
        key: 'mode',
        label: 'How',
        type: 'choice',
        choices: [
          ['', 'as configured'],
          ['merge', 'a merge commit'],
          ['squash', 'one commit'],
          ['ff', 'fast-forward'],
        ],
      },
      { key: 'message', label: 'Message of the commit', type: 'long', help: 'empty: the list of the steps' },
      { key: 'keepBranch', label: 'Keep the branch of the plan', type: 'flag' },
    ],
    isOffered: ({ seen, status }) => status === 'completed' && seen !== 'merged',
  },
  {
    name: 'clone',
    command: 'clone',
    label: 'Clone',
    about: 'Proposes the same text again, under a new id.',
    fields: [{ key: 'newId', label: 'New id', type: 'text', help: 'empty: the old id with a number' }],
    isOffered: () => true,
  },
  {
    name: 'cancel',
    command: 'cancel',
    label: 'Cancel',
    about: 'Stops the plan permanently. Its branch and records are kept; effects are not undone.',
    tone: 'bad',
    fields: [reason],
    isOffered: ({ seen }) => !['merged', 'cancelled'].includes(seen),
  },
]

/** Those of the whole plan; the first commands that `status` suggests come first. */
export function offeredActions(status: Status): {
  readonly first: readonly ActionRow[]
  readonly more: readonly ActionRow[]
} {
  const offered = actionRows.filter((row) => row.stepKey === undefined && row.isOffered(status))
  const suggested = (status.nextCommands ?? []).flatMap((command) => /^git plan (\w+)/.exec(command)?.[1] ?? [])
  const rank = ({ command }: ActionRow): number => (suggested.includes(command) ? suggested.indexOf(command) : 99)
  const isFirst = (row: ActionRow): boolean => row.tone === 'good' || row.name === 'reject'
  const first = offered.filter(isFirst).toSorted((a, b) => rank(a) - rank(b))
  return { first, more: offered.filter((row) => !isFirst(row)) }
}

/** What a person may do about a step. */
export function stepActions(status: Status, step: string): readonly ActionRow[] {
  const view = status.steps.find(({ id }) => id === step)
  if (view === undefined || ['done', 'skipped', 'running'].includes(view.seen)) return []
  const isStuck = ['failed', 'timeout', 'conflict', 'waiting', 'unknown'].includes(view.seen)
  return isStuck ? actionRows.filter((row) => row.stepKey !== undefined && row.isOffered(status)) : []
}
