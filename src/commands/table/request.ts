// The request of a command: a key for each positional and option of its row. The command line and the library make it.

import type { OptionSpec } from './spec.ts'

/** The key of an option: `dry-run` → `dryRun`. */
export const requestKey = ({ name }: OptionSpec): string =>
  name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
