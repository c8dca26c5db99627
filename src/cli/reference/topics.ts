// What holds for all commands.

import { gitSettings } from '../../commands/git-settings.ts'
import { exitCodes, type ErrorCode } from '../../errors.ts'
import { configTemplate } from '../../plan/config-template.ts'
import type { Row } from './markdown.ts'

type ExitCode = 0 | (typeof exitCodes)[ErrorCode]

const meanings: Readonly<Record<ExitCode, string>> = {
  0: 'done',
  1: 'a step failed, a check found something, a merge conflicts, a command may write (`classify`)',
  2: 'bad usage, an invalid plan, or a state in which this cannot be done',
  3: 'not allowed: no approval, or the plan is not the one that was approved',
  4: 'held by another process, or the branch moved',
  5: 'waits for a person: a gate, a manual step, a pause, an effect nobody knows about',
  70: 'Git failed in a way that was not foreseen, or a bug of ours',
  130: 'interrupted by Ctrl-C',
  143: 'terminated',
}

export const exitRows: readonly Row[] = Object.entries(meanings).map(([code, meaning]) => [code, meaning])

export const exitText = [
  'A refusal says on standard error what was attempted on what, and ends with the command to type next. With `--json` it is an object with `code`,',
  '`message`, `hint` and `exitCode` on standard output; the code is stable.',
].join('\n')

export const whichPlan = [
  'A plan is named by its id, or by its branch `plan/<id>`. Where *PLAN* is left out, the plan is meant whose branch is checked out; else the only one that is open,',
  'that is neither completed nor cancelled; else the only one that still has a branch. Where that is not plain, commands that look show the list of plans (not `report`, nor where a step is named), and',
  'commands that write ask on a terminal, and elsewhere refuse with exit code 2 and name the candidates. `clone` and `delete` are always told, and `prune` means all',
  'plans.',
].join('\n')

export const jsonText = [
  'With `--json` standard output carries one line with one JSON object; `start` and `resume` print one line an event, and the result last, `classify --stdin` one line an answer. Each has',
  '`schemaVersion` (1) and `kind`. Where there is something to type next, it is in `nextCommands`. An error has the kind `error`. Nothing is asked, and words for',
  'people are left out.',
].join('\n')

export const settingRows: readonly Row[] = Object.values(gitSettings).map(({ key, fallback, meaning }) => [`\`${key}\``, fallback, meaning])

export const configText = [
  'What holds for all plans of a repository stands in `config.yml` in the directory of plans. It is read from the branch that `plan.policyRef` names, never from the',
  'work tree or from the branch of a plan, so that a plan cannot write its own rules. `git plan check .plans/config.yml` looks at it before it counts. These are its keys:',
].join('\n')

/** Without the words above them, which stand here already. */
export const configLines: readonly string[] = configTemplate.slice(configTemplate.indexOf('version:')).trimEnd().split('\n')

export const environmentRows: readonly Row[] = [
  ['`GIT_AUTHOR_NAME`, `GIT_COMMITTER_NAME` and the like', 'who makes the commits, as for Git itself; the dates as well'],
  ['other `GIT_*`', 'not passed on: `git --git-dir` and `git -c` before `plan` have no effect; use `-C` and `git config`'],
  ['`GIT_EDITOR`, `VISUAL`, `EDITOR`', 'the editor of `git plan edit`; `core.editor` comes after the first'],
  ['`GIT_PLAN_OWN`', 'set for hooks: the commit or push that they are called for is one of git plan itself'],
  ['`NO_COLOR`', 'no colours'],
  ['`TERM`', '`dumb`: no colours, nothing is drawn, questions are plain lines'],
  ['`LC_ALL`, `LC_CTYPE`, `LANG`', 'signs and questions without Unicode where the first of them that is set names another encoding than UTF-8'],
  ['`HOME`, `XDG_DATA_HOME`, `XDG_CONFIG_HOME`, `BASH_COMPLETION_USER_DIR`', 'where `git plan completion --install` writes'],
  ['`PATH`', 'where Git, the programs that a plan requires, and those that its commands call are found'],
]

export const stepEnvironmentText = [
  'The commands of a plan get your environment without `GIT_*`, `PLAN_*` and what loads code into other programs (`NODE_OPTIONS`, `LD_PRELOAD` and the like). They',
  'get in addition:',
].join('\n')

export const stepEnvironmentRows: readonly Row[] = [
  ['`PLAN_ID`', 'the id of the plan'],
  ['`PLAN_STEP`', 'the id of the step'],
  ['`PLAN_ATTEMPT`', 'which attempt of the step this is, from 1'],
  ['`PLAN_STEP_KEY`', 'the same for every attempt of the step, so that a service can tell a request that is repeated'],
  ['`PLAN_RUN`', 'names the run'],
]

export const fileRows: readonly Row[] = [
  ['`refs/heads/plan/<id>`', 'the plan: one commit for each event'],
  ['`refs/plan/<id>/attempts/<step>/<n>`', 'what a failed or interrupted attempt left'],
  ['`refs/plan/<id>/rollbacks/<n>`', 'a tag on each tip that a rollback, its undo, a rebase or `fetch --take` left'],
  ['`refs/plan/<id>/effects/<step>/<n>`', 'an external effect: intended, happened, failed, undone'],
  ['`refs/plan/<id>/final`', 'the tip of a finished plan, when its branch is gone'],
  ['`refs/notes/plan/<id>`', 'the output of each step, on its commit'],
  ['`refs/plan-local/<id>/…`', 'where you were, and what `--autostash` put aside; never to be pushed'],
  ['`refs/plan-lease/<id>`', 'on the remote alone: who runs the plan with `--push`, and until when'],
  ['`.git/plan/<id>/`', 'lock, intent, the remote tip that the branch was built on, full logs, files moved aside; `git plan prune` removes old ones'],
  ['`.plans/<id>.md`, `.plans/config.yml`', 'tracked files: the plan, the settings of the repository'],
]
