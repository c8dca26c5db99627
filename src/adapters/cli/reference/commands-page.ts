// Generates docs/commands.md.

import { usageLines } from '../help.ts'
import { groups, type CommandSpec } from '../../../commands/table/index.ts'
import { globalOptions } from '../global-options.ts'
import { argumentRows, codeBlock, list, optionRow, table } from './markdown.ts'
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

const sharedTopics = [
  'Global options',
  'The default plan',
  'JSON output',
  'Exit codes',
  'Settings',
  'Environment',
  'Files and refs',
]

export function commandsPage(): string {
  const blocks = [
    '<!-- Generated from the table of commands by `npm run docs`. Edit src/commands/table, not this page. -->',
    '# Commands',
    'The same text is in the manual pages: `man git-plan`, `man git-plan-start`. For a short help, use `git plan COMMAND -h`.',
    list([
      ...groups.map(
        ({ title, commands }) =>
          [title, commands.map(({ name }) => link(name, `git plan ${name}`)).join(', ')] as const,
      ),
      ['For all commands', sharedTopics.map((title) => link(title, title)).join(', ')],
    ]),
    ...groups.flatMap(({ title, commands }) => [`## ${title}`, ...commands.flatMap(commandBlocks)]),
    '## Global options',
    'They may be given before or after the name of the command.',
    table(['option', 'meaning'], globalOptions.map(optionRow)),
    '## The default plan',
    whichPlan,
    '## JSON output',
    jsonText,
    '## Exit codes',
    exitText,
    table(['code', 'meaning'], exitRows),
    '[Troubleshooting](troubleshooting.md) lists every error code with its remedy.',
    '## Settings',
    'Keys of `git config`, for a user or a clone:',
    list(settingRows.map(([key, fallback = '', meaning = '']) => [key, `${meaning}. Default: ${fallback}`])),
    configText,
    codeBlock(configLines, 'text'),
    '`git plan config` shows the settings in force and where they come from.',
    '## Environment',
    list(environmentRows),
    stepEnvironmentText,
    table(['variable', 'meaning'], stepEnvironmentRows),
    '## Files and refs',
    filesText,
    list(fileRows),
    logText,
  ]
  return `${blocks.join('\n\n')}\n`
}

function commandBlocks(command: CommandSpec): string[] {
  const rows = argumentRows(command)
  return [
    `### git plan ${command.name}`,
    `${capitalize(command.summary)}.`,
    codeBlock(usageLines(command)),
    command.description,
    ...(rows.length === 0 ? [] : [table(['argument', 'meaning'], rows)]),
    codeBlock(command.examples, 'sh'),
  ]
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const link = (text: string, title: string): string => `[${text}](#${title.toLowerCase().replaceAll(' ', '-')})`
