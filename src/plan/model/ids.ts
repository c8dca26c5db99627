// Branded names. A string becomes one of these only through a constructor in this file.

declare const brand: unique symbol
type Brand<T, Name extends string> = T & { readonly [brand]: Name }

export type PlanId = Brand<string, 'PlanId'>
export type StepId = Brand<string, 'StepId'>
export type Oid = Brand<string, 'Oid'>
/** A path inside the repository: relative, with `/` separators, without `.` or `..`. */
export type RepoPath = Brand<string, 'RepoPath'>
/** Milliseconds, at least 1. */
export type Duration = Brand<number, 'Duration'>

const idPattern = /^[a-z0-9][a-z0-9-]{0,62}$/
/**
 * Ids become branch and ref names on every platform, so Windows device names are excluded. They also become keys of
 * `state`, where the YAML reader refuses `constructor` and `prototype`.
 */
const reservedNames = /^(con|prn|aux|nul|com[0-9]|lpt[0-9]|constructor|prototype)$/

export const isId = (text: string): boolean => idPattern.test(text) && !reservedNames.test(text)
export const isOid = (text: string): boolean => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text)

export const planId = (text: string): PlanId => requireValid(text, isId, 'plan id') as PlanId
export const stepId = (text: string): StepId => requireValid(text, isId, 'step id') as StepId

function requireValid(text: string, isValid: (text: string) => boolean, what: string): string {
  if (!isValid(text)) throw new TypeError(`not a ${what}: ${JSON.stringify(text.slice(0, 80))}`)
  return text
}

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** `90s`, `1h30m`, `500ms`; undefined for anything else, including zero. */
export function parseDuration(text: string): Duration | undefined {
  if (!/^(\d{1,9}(ms|s|m|h|d))+$/.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d+)(ms|s|m|h|d)/g))
    total += Number(amount) * units[unit as keyof typeof units]
  return total > 0 && total <= 366 * units.d ? (total as Duration) : undefined
}

export const planBranch = (id: PlanId): string => `refs/heads/plan/${id}`
/** The id in a name as people type it: the id, `plan/<id>` or the full ref. */
export const nameOfPlan = (given: string): string => given.replace(/^(refs\/heads\/)?plan\//, '')
export const planRefs = (id: PlanId): string => `refs/plan/${id}/`
/** Prefixes of the branches and records of all plans. */
export const allPlanRefs = ['refs/heads/plan/', 'refs/plan/'] as const
export const localRefs = (id: PlanId): string => `${allLocalRefs}${id}/`
/** Prefix of the local refs of all plans. */
export const allLocalRefs = 'refs/plan-local/'
/** The branch or commit that was checked out before the plan. */
export const originRef = (id: PlanId): string => `${localRefs(id)}origin`
/** The stash that `--autostash` made. */
export const stashRef = (id: PlanId): string => `${localRefs(id)}stash`
/** The result of a step that ran in the pool, until it is a commit of the plan's branch. */
export const resultRef = (id: PlanId, step: StepId): string => `${resultRefs(id)}${step}`
export const resultRefs = (id: PlanId): string => `${localRefs(id)}results/`
/** A step that was handed to a driver. */
export const openStepRef = (id: PlanId, step: StepId): string => `${openStepRefs(id)}${step}`
export const openStepRefs = (id: PlanId): string => `${localRefs(id)}open/`
/** The commit of a step whose result can be used again; the key stands for its inputs. */
export const cacheRef = (id: PlanId, key: string): string => `${localRefs(id)}cache/${key}`
export const notesRef = (id: PlanId): string => `refs/notes/plan/${id}`
export const attemptRef = (id: PlanId, step: StepId, n: number): string => `refs/plan/${id}/attempts/${step}/${n}`
export const rollbackRefs = (id: PlanId): string => `refs/plan/${id}/rollbacks/`
export const rollbackRef = (id: PlanId, n: number): string => `refs/plan/${id}/rollbacks/${n}`
/** A tag for each time that the plan was archived, or taken out of the archive. */
export const archiveRefs = (id: PlanId): string => `refs/plan/${id}/archive/`
export const effectRef = (id: PlanId, step: StepId, n: number): string => `refs/plan/${id}/effects/${step}/${n}`
export const finalRef = (id: PlanId): string => `refs/plan/${id}/final`

/** Name of the lock of a work tree: two plans must not run in one. A plan cannot have this id. */
export const treeLockName = '.tree' as PlanId
