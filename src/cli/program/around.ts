// Around it.

import { text } from './parts.ts'
import type { CommandSpec } from './spec.ts'

export const around: readonly CommandSpec[] = [
  {
    name: 'schema',
    summary: 'the JSON Schema of the plan file, for editors',
    description: '',
    writes: false,
    positionals: [],
    options: [],
    examples: ['git plan schema > plan.schema.json'],
  },
  {
    name: 'config',
    summary: 'the settings in force, and where each comes from',
    description: '',
    writes: false,
    positionals: [],
    options: [],
    examples: ['git plan config'],
  },
  {
    name: 'doctor',
    summary: 'look for trouble: versions, identity, locks, plans that cannot be read',
    description: '',
    writes: true,
    positionals: [],
    options: [text('unlock', 'PLAN', 'remove the lock of a holder on another machine')],
    examples: ['git plan doctor', 'git plan doctor --unlock add-rate-limiting'],
  },
]
