// docs/commands.md.

import { usageLines } from '../help.ts'
import { globalOptions, groups, type CommandSpec } from '../program.ts'
import { argumentRows, codeBlock, optionRow, table } from './markdown.ts'
import {
  configLines,
  configText,
  environmentRows,
  exitRows,
  exitText,
  jsonText,
  settingRows,
  stepEnvironmentRows,
  stepEnvironmentText,
  whichPlan,
} from './topics.ts'

export function commandsPage(): string {
  const blocks = [
    '<!-- Made from the table of commands by `npm run docs`. Change src/cli/program, not this page. -->',
    '# Commands',
    'What each command does, changes and answers. The same text is in the manual pages: `man git-plan`, `man git-plan-start`. A short help is `git plan COMMAND -h`.',
    ...groups.flatMap(({ title, commands }) => [`**${title}:** ${commands.map(({ name }) => `[${name}](#git-plan-${name})`).join(', ')}`]),
    '**For all of them:** [options](#options-of-every-command), [which plan is meant](#which-plan-is-meant), [output for programs](#output-for-programs), [exit codes](#exit-codes), [settings](#settings), [environment](#environment)',
    ...groups.flatMap(({ title, commands }) => [`## ${title}`, ...commands.flatMap(commandBlocks)]),
    '## Options of every command',
    'They may stand before or behind the name of the command.',
    table(['option', 'meaning'], globalOptions.map(optionRow)),
    '## Which plan is meant',
    whichPlan,
    '## Output for programs',
    jsonText,
    '## Exit codes',
    exitText,
    table(['code', 'meaning'], exitRows),
    'Each error code, and what to do about it: [troubleshooting](troubleshooting.md).',
    '## Settings',
    'Keys of `git config`, for one user or one clone:',
    table(['key', 'default', 'meaning'], settingRows),
    configText,
    codeBlock(configLines, 'text'),
    '`git plan config` shows what is in force, and where it comes from.',
    '## Environment',
    table(['variable', 'meaning'], environmentRows),
    stepEnvironmentText,
    table(['variable', 'meaning'], stepEnvironmentRows),
  ]
  return `${blocks.join('\n\n')}\n`
}

function commandBlocks(command: CommandSpec): string[] {
  const rows = argumentRows(command)
  return [
    `### git plan ${command.name}`,
    `${capitalised(command.summary)}.`,
    codeBlock(usageLines(command)),
    command.description,
    ...(rows.length === 0 ? [] : [table(['argument', 'meaning'], rows)]),
    codeBlock(command.examples, 'sh'),
  ]
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
