// The options that every command takes.

import { flag, text } from '../../commands/table/options.ts'
import type { OptionSpec } from '../../commands/table/spec.ts'

export const globalOptions: readonly OptionSpec[] = [
  flag('json', 'print one JSON object (start, resume and classify --stdin: one per line)'),
  flag('no-input', 'never prompt'),
  flag('no-color', 'disable colors'),
  flag('plain', 'print plain lines with all output, even on a terminal'),
  text('directory', 'DIR', 'run as if started in DIR', 'C'),
  flag('debug', 'print the stack trace of an error'),
  flag('help', 'show help', 'h'),
  flag('version', 'show the version'),
]
