// Every program that is known to only read, by its name, with the rule that its arguments have to keep.

import type { Rule } from '../verdict.ts'
import { archives } from './archives.ts'
import { builtins } from './builtins.ts'
import { awk, sed } from './filters.ts'
import { find } from './find.ts'
import { flagged } from './flagged.ts'
import { git } from './git.ts'
import { plain } from './plain.ts'
import { packages } from './packages.ts'
import { system } from './system.ts'
import { texts } from './texts.ts'
import { tools } from './tools.ts'
import { versions } from './versions.ts'
import { wrappers } from './wrappers.ts'

const rules: Readonly<Record<string, Rule>> = {
  // What is said of one more than once counts last.
  ...versions,
  ...plain,
  ...flagged,
  ...archives,
  ...builtins,
  ...wrappers,
  ...tools,
  ...packages,
  ...system,
  ...texts,
  awk,
  sed,
  find,
  git,
  gawk: awk,
  mawk: awk,
}

/** Undefined: nothing is known about it. */
export const ruleOf = (name: string): Rule | undefined => (Object.hasOwn(rules, name) ? rules[name] : undefined)
