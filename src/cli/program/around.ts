// Around it.

import { flag, text } from './parts.ts'
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
  {
    name: 'completion',
    summary: 'completion for bash, zsh or fish: print the script, or install it',
    description:
      'Prints a script with which the Tab key completes commands, options, plans, steps and files, after `git plan` and after `git-plan`. ' +
      'With `--install` it is written to the place in your home directory where the shell looks for it, and you are told what has to be added to the ' +
      'configuration of the shell, if anything. A file that git plan did not write is left alone. ' +
      'The script asks the program at each Tab, so a newer version needs no new script. ' +
      'Nothing that you have typed is run, and nothing of the repository.',
    writes: true,
    positionals: [{ name: 'shell', label: 'bash|zsh|fish', isRequired: true }],
    options: [flag('install', 'write it to where the shell looks for it')],
    examples: ['git plan completion bash --install', 'git plan completion zsh > _git-plan'],
  },
]
