// Every program that is known to only read, by its name, with the rule that its arguments have to keep.

import type { Rule } from '../verdict.ts'
import { archives } from './archives.ts'
import { builtins } from './builtins.ts'
import { awk, sed } from './filters.ts'
import { find } from './find.ts'
import { flagged } from './flagged.ts'
import { git } from './git.ts'
import { plain } from './plain.ts'
import { tools } from './tools.ts'
import { wrappers } from './wrappers.ts'

const rules: Readonly<Record<string, Rule>> = {
  ...plain,
  ...flagged,
  ...archives,
  ...builtins,
  ...wrappers,
  ...tools,
  awk,
  sed,
  find,
  git,
  gawk: awk,
  mawk: awk,
}

/** Undefined: nothing is known about it. */
export const ruleOf = (name: string): Rule | undefined => (Object.hasOwn(rules, name) ? rules[name] : undefined)
