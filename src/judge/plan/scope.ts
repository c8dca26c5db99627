// The paths that a step may change. The executor checks them before a commit, and the audit afterwards.

import { scopeCheck } from '../../plan/model/describe-check.ts'
import type { FailReason } from '../../plan/model/fail-reason.ts'
import { isAgentConfiguration, isNamed } from '../../plan/agents/configuration.ts'
import { globMatcher } from '../../plan/text/glob.ts'
import type { Step } from '../../plan/model/plan.ts'
import { agentOf, verbOf } from '../../plan/verbs/index.ts'

export interface ScopeProblem {
  readonly reason: FailReason
  readonly message: string
  /** Name of the check that failed. */
  readonly check?: string
}

/**
 * A step must not change the plan file or the configuration, in any spelling that a file system accepts; that of an
 * agent no plan at all.
 */
export function isOutOfBounds(
  path: string,
  { planFile, dir }: { readonly planFile: string; readonly dir: string },
  step?: Step,
): boolean {
  const folded = path.normalize('NFC').toLowerCase()
  // Whatever its scope names: what an agent plans, a person approves.
  if (step !== undefined && agentOf(step) !== undefined && folded.startsWith(`${dir.toLowerCase()}/`)) return true
  return [planFile, `${dir}/config.yml`, `${dir}/allowed_signers`].some((each) => folded === each.toLowerCase())
}

/**
 * `paths`: all paths that the step changed, without the plan file. A person who did the step by hand may change more
 * than the verb would, but nothing outside `files`.
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
  const guarded = agentOf(step) !== undefined ? paths.filter((path) => isGuarded(path, step.files ?? [])) : []
  if (guarded.length > 0)
    return {
      reason: 'scope',
      message: `it changed what decides how agents work: ${list(guarded)}; name it in \`files\` if that is meant`,
      check: scopeCheck,
    }
  if (step.files !== undefined) {
    // A fetched branch may have many paths and globs; once the budget is exhausted, the remaining paths are outside.
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

/** An agent must not change its own configuration, unless a glob of the step names it. */
function isGuarded(path: string, files: readonly string[]): boolean {
  const name = isAgentConfiguration(path)
  return name !== undefined && !files.some((glob) => isNamed(name, glob))
}

/** Paths that the verb of a file step declares; undefined for commands and manual steps, which may change anything. */
function declaredBy(step: Step): readonly string[] | undefined {
  const verb = verbOf(step)
  const { writes, deletes } = verb.paths(step.spec)
  return verb.startsProgram === true || writes.length + deletes.length === 0 ? undefined : [...writes, ...deletes]
}

/** True if the verb declares all paths that the step touches. */
export const isDeclaring = (step: Step): boolean => declaredBy(step) !== undefined

const list = (paths: readonly string[]): string =>
  paths.length > 5 ? `${paths.slice(0, 5).join(', ')} and ${paths.length - 5} more` : paths.join(', ')
