// What a step may change, judged on the paths that a commit changes: before it is made, and by whoever audits it.

import { scopeCheck } from '../../plan/model/describe-check.ts'
import type { FailReason } from '../../plan/model/fail-reason.ts'
import { globMatcher } from '../../plan/text/glob.ts'
import type { Step } from '../../plan/model/plan.ts'
import { verbOf } from '../../plan/verbs/index.ts'

export interface ScopeProblem {
  readonly reason: FailReason
  readonly message: string
  /** The check that did not hold, by its name. */
  readonly check?: string
}

/**
 * The plan's own file and the configuration are not a step's to change, in whatever spelling a file system may take for
 * theirs.
 */
export function isOutOfBounds(
  path: string,
  { planFile, dir }: { readonly planFile: string; readonly dir: string },
): boolean {
  const folded = path.normalize('NFC').toLowerCase()
  return [planFile, `${dir}/config.yml`, `${dir}/allowed_signers`].some((each) => folded === each.toLowerCase())
}

/**
 * `paths`: all that it changed but the plan file. A person who did it by hand may have touched more than the verb would
 * have, but nothing outside `files`.
 */
export function scopeProblem(
  step: Step,
  paths: readonly string[],
  by: 'executor' | 'person',
): ScopeProblem | undefined {
  if (step.changes === 'none' && paths.length > 0)
    return { reason: 'changes', message: `it must not change files, but changed ${list(paths)}` }
  if (step.changes === 'some' && paths.length === 0)
    return { reason: 'changes', message: 'it must change files, but changed none' }
  if (step.files !== undefined) {
    // A branch from elsewhere may have many paths for many globs; what is not compared is outside.
    const isInside = globMatcher(step.files, { steps: 200e6 })
    const strays = paths.filter((path) => !isInside(path))
    return strays.length === 0
      ? undefined
      : { reason: 'scope', message: `it changed files outside its \`files\`: ${list(strays)}`, check: scopeCheck }
  }
  const declared = by === 'person' ? undefined : declaredBy(step)
  const strays =
    declared === undefined
      ? []
      : paths.filter((path) => !declared.some((each) => path === each || path.startsWith(`${each}/`)))
  return strays.length === 0
    ? undefined
    : { reason: 'scope', message: `it changed more than ${declared?.join(', ')}: ${list(strays)}` }
}

/** A file step says with its verb what it touches; undefined: anything, as commands and people do. */
function declaredBy(step: Step): readonly string[] | undefined {
  const verb = verbOf(step)
  const { writes, deletes } = verb.paths(step.spec)
  return verb.startsProgram === true || writes.length + deletes.length === 0 ? undefined : [...writes, ...deletes]
}

/** Whether its verb alone says what it touches. */
export const isDeclaring = (step: Step): boolean => declaredBy(step) !== undefined

const list = (paths: readonly string[]): string =>
  paths.length > 5 ? `${paths.slice(0, 5).join(', ')} and ${paths.length - 5} more` : paths.join(', ')
