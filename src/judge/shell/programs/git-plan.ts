// git plan itself: the commands that write nothing. Not `audit`, which may start the program that verifies signatures.

import type { Rule } from '../verdict.ts'
import { withOptions } from './flagged.ts'
import { subcommands } from './tools.ts'

const globals = '--json --no-input --no-color --plain --debug --help --version -h'

/** A command with these options, besides those that every command takes. */
export const planForm = (usage: string, operands = Infinity): Rule =>
  withOptions([globals, usage], { operands, isOrdered: false })

const none = planForm('')

export const readingPlanCommands: Readonly<Record<string, Rule>> = {
  list: planForm('--status= --resumable --all --archived'),
  status: planForm('--watch'),
  show: planForm('--graph --mermaid'),
  log: planForm('--output= --follow'),
  wait: planForm('--for= --timeout='),
  diff: planForm('--all --spec --since='),
  attempts: planForm('--show= --against='),
  report: planForm('--html'),
  metrics: none,
  stats: planForm('--since= --svg'),
  check: planForm('--against= --sarif --watch -p= --param='),
  classify: planForm('--stdin'),
  schema: none,
  config: none,
  context: planForm('--budget= --hook='),
  // Without an option it only looks.
  doctor: none,
  help: none,
  'cache list': none,
  'hooks status': none,
  'mode status': none,
  'agents status': planForm('--user'),
  'safety list': planForm('--session='),
  'template list': none,
  'template show': none,
  completion: none,
  '-h': none,
  '--help': none,
}

export const gitPlan: Rule = subcommands(readingPlanCommands)
