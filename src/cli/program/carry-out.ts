// Carry out.

import { dryRun, flag, plan, runOptions, text, why } from './parts.ts'
import type { CommandSpec } from './spec.ts'

export const carryingOut: readonly CommandSpec[] = [
  {
    name: 'start',
    summary: 'carry a plan out: create it if given a file, see to approval, run its steps',
    description: '',
    writes: true,
    streams: true,
    positionals: [{ name: 'target', label: 'PLAN|FILE' }],
    options: [...runOptions, flag('worktree', 'run in a work tree of its own, so that you can go on working')],
    examples: ['git plan start limits.md --approve', 'git plan start add-rate-limiting --dry-run'],
  },
  {
    name: 'resume',
    summary: 'go on from the last step that is done',
    description: '',
    writes: true,
    streams: true,
    positionals: [plan],
    options: [
      text('retry', 'STEP', 'run this failed step again'),
      text('from-attempt', 'N', 'with --retry: begin with what attempt N left'),
      text('skip', 'STEP', 'leave this step out'),
      text('done', 'STEP', 'take the work tree as the result of this step, after its checks'),
      flag('fix', 'commit your edits or adopt your commits as a fix, then retry'),
      why,
      ...runOptions,
    ],
    examples: ['git plan resume', 'git plan resume add-rate-limiting --retry wire', "git plan resume --skip docs -m 'written by hand'"],
  },
  {
    name: 'rollback',
    summary: 'back to the commit of a step; what is left behind is kept',
    description: '',
    writes: true,
    positionals: [plan],
    options: [
      text('to', 'STEP', 'keep this step and what came before it (default: the last step goes)'),
      flag('all', 'back to the approved commit'),
      flag('undo', 'restore what the last rollback left'),
      flag('keep-effects', 'leave external effects as they are'),
      dryRun,
      why,
    ],
    examples: ['git plan rollback', 'git plan rollback add-rate-limiting --to middleware', 'git plan rollback --undo'],
  },
  {
    name: 'replan',
    summary: 'a new plan file for what is not done yet; needs a new approval',
    description: '',
    writes: true,
    positionals: [plan],
    options: [text('from', 'FILE|-', 'the new plan file, or - for standard input')],
    examples: ['git plan replan add-rate-limiting --from limits-2.md'],
  },
  {
    name: 'rebase',
    summary: 'run the steps again on the base as it is now; the old tip is kept',
    description: '',
    writes: true,
    positionals: [plan],
    options: [flag('approve', 'approve the plan as it is, in your name')],
    examples: ['git plan rebase add-rate-limiting'],
  },
]
