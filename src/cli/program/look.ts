// Look.

import { flag, plan, text } from './parts.ts'
import type { CommandSpec } from './spec.ts'

export const looking: readonly CommandSpec[] = [
  {
    name: 'list',
    summary: 'all plans, newest first',
    description: '',
    writes: false,
    positionals: [],
    options: [text('status', 'S', 'only plans with this status, written or seen'), flag('resumable', 'only plans that `git plan resume` can go on with')],
    examples: ['git plan list', 'git plan list --status failed'],
  },
  {
    name: 'status',
    summary: 'where a plan stands: steps, approval, who runs it',
    description: '',
    writes: false,
    positionals: [plan],
    options: [],
    examples: ['git plan status', 'git plan status add-rate-limiting --json'],
  },
  {
    name: 'show',
    summary: 'what a plan says: risk, steps in waves',
    description: '',
    writes: false,
    positionals: [plan],
    options: [flag('graph', 'draw what needs what'), flag('mermaid', 'the graph as Mermaid text')],
    examples: ['git plan show add-rate-limiting --graph'],
  },
  {
    name: 'log',
    summary: 'what happened: events, attempts, rollbacks',
    description: '',
    writes: false,
    positionals: [plan],
    options: [text('output', 'STEP', 'print what this step printed')],
    examples: ['git plan log add-rate-limiting', 'git plan log --output test'],
  },
  {
    name: 'diff',
    summary: 'what a step, or the whole plan, changed',
    description: '',
    writes: false,
    positionals: [plan, { name: 'step', label: 'STEP' }],
    options: [flag('all', 'the plan file too')],
    examples: ['git plan diff add-rate-limiting wire', 'git plan diff'],
  },
  {
    name: 'attempts',
    summary: 'what failed attempts left',
    description: '',
    writes: false,
    positionals: [plan, { name: 'number', label: 'N' }],
    options: [text('show', 'STEP', 'print what attempt N (default: the last) of this step changed')],
    examples: ['git plan attempts add-rate-limiting', 'git plan attempts --show wire 2'],
  },
  {
    name: 'report',
    summary: 'the outcome of a plan as Markdown: steps, files, checks, attempts',
    description: '',
    writes: false,
    positionals: [plan],
    options: [],
    examples: ['git plan report add-rate-limiting > report.md'],
  },
]
