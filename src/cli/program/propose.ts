// Propose and decide.

import { digest, plan, text, why } from './parts.ts'
import type { CommandSpec } from './spec.ts'

export const proposing: readonly CommandSpec[] = [
  {
    name: 'init',
    summary: 'write .plans/config.yml with the defaults, if it is not there',
    description: '',
    writes: true,
    positionals: [],
    options: [],
    examples: ['git plan init'],
  },
  {
    name: 'new',
    summary: 'propose a plan on its own branch, without touching the checkout',
    description: '',
    writes: true,
    positionals: [{ name: 'title', label: 'TITLE' }],
    options: [text('from', 'FILE|-', 'the plan file, or - for standard input'), text('id', 'ID', 'the id; derived from the title otherwise')],
    examples: ["git plan new 'Add rate limiting'", "git plan new 'Add rate limiting' --from limits.md"],
  },
  {
    name: 'edit',
    summary: 'open the plan file in your editor, check it, commit it',
    description: '',
    writes: true,
    positionals: [plan],
    options: [],
    examples: ['git plan edit add-rate-limiting'],
  },
  {
    name: 'check',
    summary: 'validate a plan, scan it, assess its risk; runs nothing',
    description: '',
    writes: false,
    positionals: [{ name: 'target', label: 'PLAN|FILE|-' }],
    options: [],
    examples: ['git plan check limits.md', 'git plan check add-rate-limiting --json'],
  },
  {
    name: 'approve',
    summary: 'approve a plan: the decision is bound to its digest',
    description: '',
    writes: true,
    positionals: [plan],
    options: [why, digest],
    examples: ["git plan approve add-rate-limiting -m 'read it with Kim'"],
  },
  {
    name: 'reject',
    summary: 'reject a plan',
    description: '',
    writes: true,
    positionals: [plan],
    options: [why, digest],
    examples: ["git plan reject add-rate-limiting -m 'use the gateway instead'"],
  },
]
