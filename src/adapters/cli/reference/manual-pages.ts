// The manual pages as Markdown: `git-plan`, and one per command. Each begins with a heading `# name -- summary`.

import { usageParts } from '../help.ts'
import { commands, groups, type CommandSpec } from '../../../commands/table/index.ts'
import { globalOptions } from '../global-options.ts'
import { argumentRows, codeBlock, optionRow, table, type Row } from './markdown.ts'
import {
  configLines,
  configText,
  environmentRows,
  exitRows,
  exitText,
  fileRows,
  filesText,
  jsonText,
  logText,
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
  ...commands.map((command) => ({ name: pageName(command), markdown: commandPage(command) })),
]

const pageName = (command: CommandSpec): string => `git-plan-${command.name}`
const joinBlocks = (blocks: readonly string[]): string => `${blocks.join('\n\n')}\n`
const terms = (rows: readonly Row[]): string => table(['term', 'meaning'], rows)
const reference = (name: string): string => `**${name}**(1)`
const exitStatus = ['## EXIT STATUS', terms(exitRows), exitText]
const options = terms(globalOptions.map(optionRow))

function overview(): string {
  return joinBlocks([
    '# git-plan -- run multi-step changes as one commit per step',
    '## SYNOPSIS',
    '**git plan** *COMMAND* [*ARGUMENTS*]',
    '## DESCRIPTION',
    ...tour.description,
    '## A TOUR',
    ...tour.blocks.map((block) => (typeof block === 'string' ? block : codeBlock(block))),
    '## COMMANDS',
    'Each command has its own page.',
    ...groups.flatMap(({ title, commands: members }) => [
      `### ${title}`,
      terms(members.map((command) => [reference(pageName(command)), command.summary])),
    ]),
    '### The default plan',
    whichPlan,
    '## OPTIONS',
    'These apply to every command, and may be given before or after its name.',
    options,
    jsonText,
    ...exitStatus,
    '## CONFIGURATION',
    'Keys of **git-config**(1), for a user or a clone:',
    terms(settingRows.map(([key, fallback = '', meaning = '']) => [key, `${meaning}. Default: ${fallback}.`])),
    configText,
    codeBlock(configLines),
    '`git plan config` shows the settings in force and where they come from.',
    '## FILES',
    filesText,
    terms(fileRows),
    logText,
    '## ENVIRONMENT',
    terms(environmentRows),
    stepEnvironmentText,
    terms(stepEnvironmentRows),
    '## EXAMPLES',
    codeBlock(
      ['new', 'check', 'start', 'resume', 'rollback', 'finish'].flatMap(
        (name) => commands.find((each) => each.name === name)?.examples[0] ?? [],
      ),
    ),
    '## SEE ALSO',
    `${commands.map((command) => reference(pageName(command))).join(', ')}, **git**(1), **git-config**(1), **git-worktree**(1)`,
  ])
}

function commandPage(command: CommandSpec): string {
  const rows = argumentRows(command)
  const siblings =
    groups.find((group) => group.commands.includes(command))?.commands.filter((each) => each !== command) ?? []
  return joinBlocks([
    `# ${pageName(command)} -- ${command.summary}`,
    '## SYNOPSIS',
    [`**git plan ${command.name}**`, ...usageParts(command).map(emphasize)].join(' '),
    '## DESCRIPTION',
    command.description,
    '## OPTIONS',
    ...(rows.length === 0 ? [] : [terms(rows), '### Global options']),
    options,
    `## ${command.examples.length === 1 ? 'EXAMPLE' : 'EXAMPLES'}`,
    codeBlock(command.examples),
    ...exitStatus,
    '## SEE ALSO',
    ['git-plan', ...siblings.map(pageName)].map(reference).join(', '),
  ])
}

/** `[--retry STEP]` → [**--retry** *STEP*], with a no-break space. */
function emphasize(part: string): string {
  const [, open = '', words = '', close = ''] = /^(\[?)(.*?)(\]?…?)$/.exec(part) ?? []
  const marked = words.split(' ').map((word) => (word.startsWith('-') ? `**${word}**` : `*${word}*`))
  return `${open}${marked.join('&nbsp;')}${close}`
}
