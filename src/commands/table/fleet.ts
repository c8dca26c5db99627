// The commands of the group Fleet.

import { flag, jobs, param, text, why } from './options.ts'
import type { CommandSpec, OptionSpec } from './spec.ts'

const repeated = (option: OptionSpec): OptionSpec => ({ ...option, multiple: true })

export const fleetCommands: readonly CommandSpec[] = [
  {
    name: 'fleet',
    synonyms: ['campaign', 'campaigns', 'many', 'repositories', 'batch'],
    load: () => import('../fleet/fleet.ts').then((module) => module.fleet),
    summary: 'carry one plan out in many repositories',
    description: [
      '`run REPOSITORIES PLAN` carries a plan out in many repositories: each gets its own clone, plan, branch, lease and',
      'pull request. REPOSITORIES is a file with one address per line, or a directory of clones. The campaign is a branch',
      'of a control repository, `campaign/<id>`, which is made on this machine unless `--control` names one. It says',
      'what runs where: its manifest has the digest of the plan in each repository, and nothing runs until it is',
      'approved. `new` only writes it, `approve` approves it, and `resume` continues it, after a kill too.',
      '',
      'How far a repository is stands in its own refs. `status` reads them, `report` lists every repository, and `metrics`',
      'prints the numbers for Prometheus. Failures are grouped by step and last line. `retry --failed [STEP]` lets those',
      'repositories run again, `exclude` takes some out, `pause` lets nothing new begin until `resume`, and `cancel` ends',
      'the campaign. `ready`, `finish` and `close` offer the completed plans for review, merge them, or close them.',
      '',
      'What each repository accepts, its own policy decides (docs/fleet.md). `--approve` approves the campaign, and each',
      'of its plans in your name where the policy there takes such an approval. A policy may also accept a signed',
      'campaign. A repository that accepts neither waits for its owners.',
      '',
      '`work ADDRESS` works for a server: `redis://`, `valkey://` or `postgres://`, with `--control` and `--campaign`;',
      '`run` and `resume` with `--engine ADDRESS` then only decide. They need the packages `bullmq` and `ioredis` or `pg`.',
      '',
      'The exit code of `run` and `resume` is 0 if all is done, 1 if something failed, and 5 if something waits.',
      '',
      'With `--json`: `id`, `control`, `digest`, `epoch`, `wave`, `waves`, `counts` (by state), `failures` (each with',
      '`state`, `step`, `line` and `addresses`), `targets` and `why` (why it stopped early). `run` and `resume` print one',
      'event per line, and this on the last line.',
    ].join('\n'),
    writes: true,
    streams: true,
    positionals: [
      {
        name: 'action',
        label: 'ACTION',
        words: [
          ...['run', 'new', 'approve', 'resume', 'status', 'report', 'retry', 'exclude', 'pause', 'cancel'],
          ...['ready', 'finish', 'close', 'work', 'metrics', 'list'],
        ],
        description: 'what to do, as above',
        defaultsTo: 'list',
      },
      { name: 'words', label: 'ARGUMENT…', description: 'files, a campaign, or repositories', isRest: true },
    ],
    options: [
      { ...jobs, description: 'work on up to JOBS repositories at the same time (default: 4)' },
      param,
      flag('approve', 'approve the campaign, and its plans in your name'),
      flag('sign', 'with approve: sign the approval'),
      text('digest', 'D', 'with approve: refuse unless the manifest has this digest'),
      text('campaign', 'ID', 'the campaign (default: the only one)'),
      text('control', 'ADDRESS', 'the control repository'),
      text('engine', 'ADDRESS', 'the server whose workers do the work'),
      repeated(text('wave', 'N', 'the size of the next wave, such as 1 or 10%; repeatable')),
      text('max-failures', 'N', 'open no wave after more failures'),
      repeated(text('limit', 'LIMIT', 'such as github.com.pull_requests=5/min; repeatable')),
      flag('failed', 'with retry: all that failed, or those that failed at STEP'),
      flag('drain', 'with work: end when nothing is left to do'),
      why,
    ],
    examples: [
      'git plan fleet run repositories.txt upgrade.md --approve -j 8',
      'git plan fleet run repositories.txt upgrade.md --wave 1 --wave 10% --max-failures 3',
      'git plan fleet retry --failed tests',
      'git plan fleet work redis://queue.example.com --control git@git.example.com:acme/plans.git --campaign upgrade',
    ],
  },
]
