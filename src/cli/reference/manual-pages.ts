// The manual pages as Markdown: `git-plan` for all of it, and one for each command. A heading `# name -- summary` begins each.

import { usageParts } from '../help.ts'
import { commands, globalOptions, groups, type CommandSpec } from '../program.ts'
import { argumentRows, codeBlock, optionRow, table, type Row } from './markdown.ts'
import {
  configLines,
  configText,
  environmentRows,
  exitRows,
  exitText,
  fileRows,
  jsonText,
  settingRows,
  stepEnvironmentRows,
  stepEnvironmentText,
  whichPlan,
} from './topics.ts'
import { tour } from './tour.ts'

export interface ManualPage {
  /** Without the section: `git-plan-start`. */
  readonly name: string
  readonly markdown: string
}

export const manualPages = (): ManualPage[] => [
  { name: 'git-plan', markdown: overview() },
  ...commands.map((command) => ({ name: pageOf(command), markdown: commandPage(command) })),
]

const pageOf = (command: CommandSpec): string => `git-plan-${command.name}`
const joined = (blocks: readonly string[]): string => `${blocks.join('\n\n')}\n`
const terms = (rows: readonly Row[]): string => table(['term', 'meaning'], rows)
const reference = (name: string): string => `**${name}**(1)`
const exitStatus = ['## EXIT STATUS', terms(exitRows), exitText]
const options = terms(globalOptions.map(optionRow))

function overview(): string {
  return joined([
    '# git-plan -- carry out changes in steps: a plan is a branch, a step is a commit',
    '## SYNOPSIS',
    '**git plan** *COMMAND* [*ARGUMENTS*]',
    '## DESCRIPTION',
    ...tour.description,
    '## A TOUR',
    ...tour.blocks.map((block) => (typeof block === 'string' ? block : codeBlock(block))),
    '## COMMANDS',
    'Each has a page of its own.',
    ...groups.flatMap(({ title, commands: members }) => [`### ${title}`, terms(members.map((command) => [reference(pageOf(command)), command.summary]))]),
    '### Which plan is meant',
    whichPlan,
    '## OPTIONS',
    'These are for every command, and may stand before or behind its name.',
    options,
    jsonText,
    ...exitStatus,
    '## CONFIGURATION',
    'Keys of **git-config**(1), for one user or one clone:',
    terms(settingRows.map(([key, fallback = '', meaning = '']) => [key, `${meaning}. Default: ${fallback}.`])),
    configText,
    codeBlock(configLines),
    '`git plan config` shows what is in force, and where it comes from.',
    '## FILES',
    'All of it is in the repository; there is no other state.',
    terms(fileRows),
    '## ENVIRONMENT',
    terms(environmentRows),
    stepEnvironmentText,
    terms(stepEnvironmentRows),
    '## EXAMPLES',
    codeBlock(['new', 'check', 'start', 'resume', 'rollback', 'finish'].flatMap((name) => commands.find((each) => each.name === name)?.examples[0] ?? [])),
    '## SEE ALSO',
    `${commands.map((command) => reference(pageOf(command))).join(', ')}, **git**(1), **git-config**(1), **git-worktree**(1)`,
  ])
}

function commandPage(command: CommandSpec): string {
  const rows = argumentRows(command)
  const siblings = groups.find((group) => group.commands.includes(command))?.commands.filter((each) => each !== command) ?? []
  return joined([
    `# ${pageOf(command)} -- ${command.summary}`,
    '## SYNOPSIS',
    [`**git plan ${command.name}**`, ...usageParts(command).map(emphasised)].join(' '),
    '## DESCRIPTION',
    command.description,
    '## OPTIONS',
    ...(rows.length === 0 ? [] : [terms(rows), '### Options of every command']),
    options,
    `## ${command.examples.length === 1 ? 'EXAMPLE' : 'EXAMPLES'}`,
    codeBlock(command.examples),
    ...exitStatus,
    '## SEE ALSO',
    ['git-plan', ...siblings.map(pageOf)].map(reference).join(', '),
  ])
}

/** `[--retry STEP]` → [**--retry** *STEP*], not to be broken over two lines. */
function emphasised(part: string): string {
  const [, open = '', words = '', close = ''] = /^(\[?)(.*?)(\]?…?)$/.exec(part) ?? []
  const marked = words.split(' ').map((word) => (word.startsWith('-') ? `**${word}**` : `*${word}*`))
  return `${open}${marked.join('&nbsp;')}${close}`
}
