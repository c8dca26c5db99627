// End.

import { dryRun, flag, plan, requiredPlan, why } from './parts.ts'
import type { CommandSpec } from './spec.ts'

export const ending: readonly CommandSpec[] = [
  {
    name: 'cancel',
    summary: 'stop a plan for good',
    description: '',
    writes: true,
    positionals: [plan],
    options: [why],
    examples: ["git plan cancel add-rate-limiting -m 'the gateway does it now'"],
  },
  {
    name: 'clone',
    summary: 'propose a plan again under a new id',
    description: '',
    writes: true,
    positionals: [requiredPlan, { name: 'newId', label: 'NEW-ID' }],
    options: [],
    examples: ['git plan clone add-rate-limiting add-rate-limiting-2'],
  },
  {
    name: 'finish',
    summary: 'check a completed plan and merge it into its base',
    description: '',
    writes: true,
    positionals: [plan],
    options: [
      flag('merge', 'with a merge commit'),
      flag('squash', 'as one commit'),
      flag('ff', 'by moving the base forward'),
      dryRun,
      flag('keep-branch', 'leave the branch'),
    ],
    examples: ['git plan finish add-rate-limiting --merge'],
  },
  {
    name: 'delete',
    summary: 'remove a plan: its branch and everything kept for it',
    description: '',
    writes: true,
    positionals: [requiredPlan],
    options: [flag('force', 'also when its work is not merged')],
    examples: ['git plan delete add-rate-limiting'],
  },
  {
    name: 'prune',
    summary: 'remove what the retention no longer asks to keep',
    description: '',
    writes: true,
    positionals: [plan],
    options: [dryRun],
    examples: ['git plan prune --dry-run'],
  },
]
