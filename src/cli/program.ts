// ONE table of all commands: help, parsing and completion are read from it, and nothing about the command line stands elsewhere.

export interface OptionSpec {
  /** Without the dashes. In the request it is camelCased: `dry-run` → `dryRun`. */
  readonly name: string
  readonly short?: string
  readonly type: 'string' | 'boolean'
  readonly multiple?: true
  /** How the value is called in the help. */
  readonly value?: string
  readonly description: string
}

export interface PositionalSpec {
  /** The key in the request. */
  readonly name: string
  readonly label: string
  readonly isRequired?: true
}

export interface CommandSpec {
  readonly name: string
  readonly group: 'start' | 'run' | 'end' | 'look' | 'around'
  readonly summary: string
  /** May change refs or files: Ctrl-C asks it to stop instead of ending it. */
  readonly writes: boolean
  /** With --json: one event a line, the last line the report. */
  readonly streams?: true
  readonly positionals: readonly PositionalSpec[]
  readonly options: readonly OptionSpec[]
  readonly examples: readonly string[]
}

const flag = (name: string, description: string, short?: string): OptionSpec => ({ name, type: 'boolean', description, ...(short === undefined ? {} : { short }) })
const text = (name: string, value: string, description: string, short?: string): OptionSpec => ({ name, type: 'string', value, description, ...(short === undefined ? {} : { short }) })

const plan: PositionalSpec = { name: 'plan', label: 'PLAN' }
const requiredPlan: PositionalSpec = { ...plan, isRequired: true }

const why = text('message', 'WHY', 'the reason, kept in the record', 'm')
const digest = text('digest', 'D', 'refuse unless the plan has this digest: decide on what was read, not on what it became')
const dryRun = flag('dry-run', 'say what would happen, and do nothing')
const runOptions: readonly OptionSpec[] = [
  flag('approve', 'approve the plan as it is, in your name'),
  flag('autostash', 'put your changes aside first; they come back at the end'),
  flag('keep-going', 'after a failure go on with the steps that do not need the failed one'),
  flag('keep-tree', 'leave the tree of a failed step for inspection'),
  dryRun,
  { ...text('skip-check', 'NAME', 'leave out one check before the run; can be given again, is recorded'), multiple: true },
]

export const globalOptions: readonly OptionSpec[] = [
  flag('json', 'print one JSON object (start and resume: one a line)'),
  flag('no-input', 'never ask'),
  flag('no-color', 'no colours'),
  text('directory', 'DIR', 'as if started in DIR', 'C'),
  flag('debug', 'show the stack of an error'),
  flag('help', 'show help', 'h'),
  flag('version', 'show the version'),
]

export const commands: readonly CommandSpec[] = [
  {
    name: 'init',
    group: 'start',
    summary: 'write .plans/config.yml with the defaults, if it is not there',
    writes: true,
    positionals: [],
    options: [],
    examples: ['git plan init'],
  },
  {
    name: 'new',
    group: 'start',
    summary: 'propose a plan on its own branch, without touching the checkout',
    writes: true,
    positionals: [{ name: 'title', label: 'TITLE' }],
    options: [text('from', 'FILE|-', 'the plan file, or - for standard input'), text('id', 'ID', 'the id; derived from the title otherwise')],
    examples: ["git plan new 'Add rate limiting'", "git plan new 'Add rate limiting' --from limits.md"],
  },
  {
    name: 'edit',
    group: 'start',
    summary: 'open the plan file in your editor, check it, commit it',
    writes: true,
    positionals: [plan],
    options: [],
    examples: ['git plan edit add-rate-limiting'],
  },
  {
    name: 'check',
    group: 'start',
    summary: 'validate a plan, scan it, assess its risk; runs nothing',
    writes: false,
    positionals: [{ name: 'target', label: 'PLAN|FILE|-' }],
    options: [],
    examples: ['git plan check limits.md', 'git plan check add-rate-limiting --json'],
  },
  {
    name: 'approve',
    group: 'start',
    summary: 'approve a plan: the decision is bound to its digest',
    writes: true,
    positionals: [plan],
    options: [why, digest],
    examples: ["git plan approve add-rate-limiting -m 'read it with Kim'"],
  },
  {
    name: 'reject',
    group: 'start',
    summary: 'reject a plan',
    writes: true,
    positionals: [plan],
    options: [why, digest],
    examples: ["git plan reject add-rate-limiting -m 'use the gateway instead'"],
  },
  {
    name: 'start',
    group: 'run',
    summary: 'carry a plan out: create it if given a file, see to approval, run its steps',
    writes: true,
    streams: true,
    positionals: [{ name: 'target', label: 'PLAN|FILE', isRequired: true }],
    options: [...runOptions, flag('worktree', 'run in a work tree of its own, so that you can go on working')],
    examples: ['git plan start limits.md --approve', 'git plan start add-rate-limiting --dry-run'],
  },
  {
    name: 'resume',
    group: 'run',
    summary: 'go on from the last step that is done',
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
    group: 'run',
    summary: 'back to the commit of a step; what is left behind is kept',
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
    group: 'run',
    summary: 'a new plan file for what is not done yet; needs a new approval',
    writes: true,
    positionals: [plan],
    options: [text('from', 'FILE|-', 'the new plan file, or - for standard input')],
    examples: ['git plan replan add-rate-limiting --from limits-2.md'],
  },
  {
    name: 'rebase',
    group: 'run',
    summary: 'run the steps again on the base as it is now; the old tip is kept',
    writes: true,
    positionals: [plan],
    options: [flag('approve', 'approve the plan as it is, in your name')],
    examples: ['git plan rebase add-rate-limiting'],
  },
  {
    name: 'cancel',
    group: 'end',
    summary: 'stop a plan for good',
    writes: true,
    positionals: [plan],
    options: [why],
    examples: ["git plan cancel add-rate-limiting -m 'the gateway does it now'"],
  },
  {
    name: 'clone',
    group: 'end',
    summary: 'propose a plan again under a new id',
    writes: true,
    positionals: [requiredPlan, { name: 'newId', label: 'NEW-ID' }],
    options: [],
    examples: ['git plan clone add-rate-limiting add-rate-limiting-2'],
  },
  {
    name: 'finish',
    group: 'end',
    summary: 'check a completed plan and merge it into its base',
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
    group: 'end',
    summary: 'remove a plan: its branch and everything kept for it',
    writes: true,
    positionals: [requiredPlan],
    options: [flag('force', 'also when its work is not merged')],
    examples: ['git plan delete add-rate-limiting'],
  },
  {
    name: 'prune',
    group: 'end',
    summary: 'remove what the retention no longer asks to keep',
    writes: true,
    positionals: [plan],
    options: [dryRun],
    examples: ['git plan prune --dry-run'],
  },
  {
    name: 'list',
    group: 'look',
    summary: 'all plans, newest first',
    writes: false,
    positionals: [],
    options: [text('status', 'S', 'only plans with this status, written or seen'), flag('resumable', 'only plans that `git plan resume` can go on with')],
    examples: ['git plan list', 'git plan list --status failed'],
  },
  {
    name: 'status',
    group: 'look',
    summary: 'where a plan stands: steps, approval, who runs it',
    writes: false,
    positionals: [plan],
    options: [],
    examples: ['git plan status', 'git plan status add-rate-limiting --json'],
  },
  {
    name: 'show',
    group: 'look',
    summary: 'what a plan says: digest, risk, steps in waves',
    writes: false,
    positionals: [plan],
    options: [flag('graph', 'draw what needs what'), flag('mermaid', 'the graph as Mermaid text')],
    examples: ['git plan show add-rate-limiting --graph'],
  },
  {
    name: 'log',
    group: 'look',
    summary: 'what happened: events, attempts, rollbacks',
    writes: false,
    positionals: [plan],
    options: [text('output', 'STEP', 'print what this step printed')],
    examples: ['git plan log add-rate-limiting', 'git plan log --output test'],
  },
  {
    name: 'diff',
    group: 'look',
    summary: 'what a step, or the whole plan, changed',
    writes: false,
    positionals: [plan, { name: 'step', label: 'STEP' }],
    options: [flag('all', 'the plan file too')],
    examples: ['git plan diff add-rate-limiting wire', 'git plan diff'],
  },
  {
    name: 'attempts',
    group: 'look',
    summary: 'what failed attempts left',
    writes: false,
    positionals: [plan, { name: 'number', label: 'N' }],
    options: [text('show', 'STEP', 'print what attempt N (default: the last) of this step changed')],
    examples: ['git plan attempts add-rate-limiting', 'git plan attempts --show wire 2'],
  },
  {
    name: 'report',
    group: 'look',
    summary: 'the outcome of a plan as Markdown: steps, files, checks, attempts',
    writes: false,
    positionals: [plan],
    options: [],
    examples: ['git plan report add-rate-limiting > report.md'],
  },
  {
    name: 'schema',
    group: 'around',
    summary: 'the JSON Schema of the plan file, for editors',
    writes: false,
    positionals: [],
    options: [],
    examples: ['git plan schema > plan.schema.json'],
  },
  {
    name: 'config',
    group: 'around',
    summary: 'the settings in force, and where each comes from',
    writes: false,
    positionals: [],
    options: [],
    examples: ['git plan config'],
  },
  {
    name: 'doctor',
    group: 'around',
    summary: 'look for trouble: versions, identity, locks, plans that cannot be read',
    writes: true,
    positionals: [],
    options: [text('unlock', 'PLAN', 'remove the lock of a holder on another machine')],
    examples: ['git plan doctor', 'git plan doctor --unlock add-rate-limiting'],
  },
]

export const commandNamed = (name: string): CommandSpec | undefined => commands.find((command) => command.name === name)
