// Topics that apply to all commands, for the manual and docs/commands.md.

import { gitSettings } from '../../../operation/git-settings.ts'
import { exitCodes, type ErrorCode } from '../../../errors.ts'
import { configTemplate } from '../../../plan/config/config-template.ts'
import type { Row } from './markdown.ts'

type ExitCode = 0 | (typeof exitCodes)[ErrorCode]

const meanings: Readonly<Record<ExitCode, string>> = {
  0: 'success',
  1: 'a step failed, a check reported an error, a merge conflict, or `classify` answered WRITE',
  2: 'wrong usage, an invalid plan, or a plan or work tree in the wrong state for this command',
  3: 'not allowed: not approved, or the plan is not the one that was approved',
  4: 'another process or clone holds the plan, or the branch moved',
  5: 'a person has to act: a gate, a manual step, a pause, an external effect in an unknown state',
  70: 'an unexpected failure of Git, or a bug in git plan',
  130: 'interrupted by Ctrl-C',
  143: 'terminated by a signal',
}

export const exitRows: readonly Row[] = Object.entries(meanings).map(([code, meaning]) => [code, meaning])

export const exitText = [
  'An error message goes to standard error and ends with the command to type next. With `--json` the error is an object',
  'on standard output with `code`, `message`, `hint` and `exitCode`; the codes are stable.',
].join('\n')

export const whichPlan = [
  'A plan is named by its id or by its branch, `plan/<id>`. Without *PLAN*, a command takes the plan whose branch is',
  'checked out; or else the only open plan, one that is neither completed nor cancelled; or else the only plan that still',
  'has a branch. If that is ambiguous, commands that read print the list of plans (except `report`, and except when a',
  'step is named). Commands that write ask on a terminal; elsewhere they are refused with exit code 2 and name the',
  'candidates. `clone` and `delete` always need *PLAN*; `prune` defaults to all plans.',
  '',
  'Commands that only read, `doctor` and `hooks` also work in a bare repository, such as the one on a server; the others',
  'need a work tree.',
].join('\n')

export const jsonText = [
  'With `--json` standard output is one line with one JSON object. `start` and `resume` print one line per event and the',
  'result last; `classify --stdin` prints one line per answer. Each object has `schemaVersion` (1) and `kind`; an error has',
  'the kind `error`. If there are commands to type next, they are in `nextCommands`; `message` is a text for people.',
  'Nothing prompts.',
].join('\n')

export const settingRows: readonly Row[] = Object.values(gitSettings).map(({ key, fallback, meaning }) => [
  `\`${key}\``,
  fallback,
  meaning,
])

export const configText = [
  'The settings of a repository are in `config.yml` in the plan directory. They are read from the branch that',
  '`plan.policyRef` names, never from the work tree or from the branch of a plan, so that a plan cannot change its own',
  'rules. `git plan check .plans/config.yml` validates the file before it takes effect. The keys:',
].join('\n')

/** The template without its introduction, which `configText` replaces. */
export const configLines: readonly string[] = configTemplate
  .slice(configTemplate.indexOf('version:'))
  .trimEnd()
  .split('\n')

export const environmentRows: readonly Row[] = [
  ['`GIT_AUTHOR_NAME`, `GIT_COMMITTER_NAME` and the like', 'name, address and date of commits, as for Git itself'],
  ['other `GIT_*`', 'ignored: `git --git-dir` and `git -c` before `plan` have no effect; use `-C` and `git config`'],
  ['`GIT_EDITOR`, `VISUAL`, `EDITOR`', 'the editor of `git plan edit`; `core.editor` comes after the first'],
  ['`GIT_PLAN_OWN`', 'set for hooks: git plan itself made the commit or push'],
  ['`NO_COLOR`', 'disables colors'],
  ['`TERM`', '`dumb`: no colors and no live display; questions are plain lines'],
  ['`LC_ALL`, `LC_CTYPE`, `LANG`', 'if the first one that is set does not name UTF-8, symbols and questions are ASCII'],
  [
    '`HOME`, `XDG_DATA_HOME`, `XDG_CONFIG_HOME`, `BASH_COMPLETION_USER_DIR`',
    'where `git plan completion --install` writes',
  ],
  ['`XDG_CONFIG_HOME`', 'your templates are in `git-plan/templates` there; default: `~/.config`'],
  ['`PATH`', 'where Git, the programs in `requires` and the commands of a plan are found'],
]

export const stepEnvironmentText = [
  'The commands of a plan get your environment without `GIT_*`, `PLAN_*` and variables that load code into other programs',
  '(`NODE_OPTIONS`, `LD_PRELOAD` and the like). In addition they get:',
].join('\n')

export const stepEnvironmentRows: readonly Row[] = [
  ['`PLAN_ID`', 'the id of the plan'],
  ['`PLAN_STEP`', 'the id of the step'],
  ['`PLAN_ATTEMPT`', 'the number of this attempt of the step, from 1'],
  ['`PLAN_STEP_KEY`', 'the same for every attempt of the step, so that a service can recognize a repeated request'],
  ['`PLAN_PARAM_<NAME>`', 'the value of the parameter NAME; a list has one entry per line'],
  ['`PLAN_RUN`', 'the id of the run'],
]

export const filesText = 'All of it is in the repository; there is no other state.'

export const logText = [
  '`git log --all` also shows the commits of these refs. To leave them out, type',
  "`git log --exclude='refs/plan*' --exclude='refs/notes/plan/*' --all`, or `git log --branches --remotes --tags`.",
  "`git config --add log.excludeDecoration 'refs/notes/plan/*'` hides only their names.",
].join('\n')

export const fileRows: readonly Row[] = [
  ['`refs/heads/plan/<id>`', 'the plan: one commit per event'],
  ['`refs/plan/<id>/attempts/<step>/<n>`', 'the changes of a failed or interrupted attempt'],
  ['`refs/plan/<id>/rollbacks/<n>`', 'a tag on each tip replaced by a rollback, its undo, a rebase or `fetch --take`'],
  ['`refs/plan/<id>/effects/<step>/<n>`', 'an external effect: intended, happened, failed, undone'],
  ['`refs/plan/<id>/archive/<n>`', 'a tag for each time that the plan was archived, or taken out of the archive'],
  ['`refs/plan/<id>/final`', 'the tip of a finished plan, after its branch was deleted'],
  ['`refs/notes/plan/<id>`', 'the output of each step, on its commit'],
  [
    '`refs/plan-local/<id>/…`',
    'your previous branch, autostashed changes, results of parallel and cached steps, an open step; never pushed',
  ],
  ['`refs/plan-lease/<id>`', 'on the remote only: who runs the plan with `--push`, and until when'],
  ['`.git/plan/<id>/`', 'lock, intent, the last pushed tip, full logs, files moved aside; see `git plan prune`'],
  ['`.plans/<id>.md`, `.plans/config.yml`', 'tracked files: the plan, the settings of the repository'],
]
