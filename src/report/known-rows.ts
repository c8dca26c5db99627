// What a list says of a plan as a line of text, and back. A line is believed only as far as every part of it is what we could have written: a file in the git directory may be
// anybody's, and what is read here goes to a terminal. There can be thousands of lines, so one expression judges all of each.

import { planStatuses, riskLevels, type PlanStatus, type Risk } from '../plan/plan.ts'
import { branchProblem } from '../plan/repo-path.ts'
import { titleProblem } from '../plan/text-problems.ts'
import type { Oid, PlanId } from '../plan/values.ts'
import type { ListedPlan } from './listed.ts'
import { isStale, type SeenStatus } from './view.ts'

/** What follows from its commits and settings alone: not its age, and not who is at work on it. */
export interface KnownPlan {
  readonly plan: ListedPlan
  /** Its file where it would be merged: see merged.ts. */
  readonly mergedBlobs: string
}

const oneOf = (words: readonly string[]): string => words.join('|')
const seenByCommits: readonly SeenStatus[] = [...planStatuses, 'paused', 'rolled-back', 'merged']
const oid = '[0-9a-f]{40}(?:[0-9a-f]{24})?'
const id = '[a-z0-9][a-z0-9-]{0,62}'
const count = '0|[1-9]\\d{0,3}'
/** ISO 8601 in UTC, as dates of commits are written. */
const instant = '\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}Z'
const orNothing = (shape: string): string => `(?:${shape})?`

const shapes = [
  `${orNothing(oid)}(?:,${orNothing(oid)})?`,
  oneOf(planStatuses),
  oneOf(seenByCommits),
  orNothing(id),
  '[01]',
  orNothing('complete|partial'),
  '[^\\t]*',
  '[0-9a-f]{64}',
  oneOf(riskLevels),
  count,
  count,
  orNothing(id),
  ...Array.from({ length: 4 }, () => orNothing(instant)),
  '[^\\t]*',
]
const pattern = new RegExp(`^${shapes.map((shape) => `(${shape})`).join('\\t')}$`)

export function rowOf({ plan, mergedBlobs }: KnownPlan): string {
  const { status, seen, rolledBackTo, resumable, outcome, base, digest, risk, progress, next, createdAt, startedAt, endedAt, updatedAt, title } = plan
  const bySteps = [status, seen === 'stale' ? status : seen, rolledBackTo, resumable ? 1 : 0, outcome, base, digest, risk, progress.done, progress.total, next]
  return [mergedBlobs, ...bySteps, createdAt, startedAt, endedAt, updatedAt, title].map((field) => field ?? '').join('\t')
}

/** Undefined where it is none of ours. What was written before `before` is old. */
export function planIn(row: string, { id, tip, before }: { readonly id: PlanId; readonly tip: Oid; readonly before: string }): KnownPlan | undefined {
  const fields = pattern.exec(row)
  if (fields === null) return undefined
  // By number: an iterator over so many takes as long as the expression.
  const { 1: mergedBlobs = '', 2: status, 3: seen, 4: rolledBackTo, 5: resumable, 6: outcome, 7: base = '', 8: digest = '', 9: risk } = fields
  const { 10: done, 11: total, 12: next, 13: createdAt, 14: startedAt, 15: endedAt, 16: updatedAt, 17: title = '' } = fields
  if ((base !== '' && branchProblem(base) !== undefined) || titleProblem(title) !== undefined) return undefined
  const plan = {
    id,
    title,
    status: status as PlanStatus,
    seen: seen as SeenStatus,
    rolledBackTo: rolledBackTo || null,
    resumable: resumable === '1',
    outcome: (outcome as ListedPlan['outcome']) || null,
    base: base || null,
    tip,
    digest,
    risk: risk as Risk,
    progress: { done: Number(done), total: Number(total) },
    next: next || null,
    createdAt: createdAt || null,
    startedAt: startedAt || null,
    endedAt: endedAt || null,
    updatedAt: updatedAt || null,
  }
  if (plan.seen === 'proposed' && isStale(plan, before)) plan.seen = 'stale'
  return { plan, mergedBlobs }
}
