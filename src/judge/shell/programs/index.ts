// Every program that can only read, by name, with the rule for its arguments.

import type { Rule } from '../verdict.ts'
import { archives } from './archives.ts'
import { builtins } from './builtins.ts'
import { awk, sed } from './filters.ts'
import { find } from './find.ts'
import { flagged } from './flagged.ts'
import { gitPlan } from './git-plan.ts'
import { git } from './git.ts'
import { anyArguments } from './any-arguments.ts'
import { packages } from './packages.ts'
import { system } from './system.ts'
import { texts } from './texts.ts'
import { tools } from './tools.ts'
import { versions } from './versions.ts'
import { wrappers } from './wrappers.ts'

const rules: Readonly<Record<string, Rule>> = {
  // The last rule for a program wins.
  ...versions,
  ...anyArguments,
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
  'git-plan': gitPlan,
  gawk: awk,
  mawk: awk,
}

/** Undefined for an unknown program. */
export const ruleOf = (name: string): Rule | undefined => (Object.hasOwn(rules, name) ? rules[name] : undefined)
