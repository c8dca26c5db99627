// The state of the model at one moment, and queries on it.

import { base, isSame, type Change, type Files, type Step } from './words.ts'

export interface Commit {
  readonly parent: number
  readonly event: string
  readonly step?: string | undefined
  readonly steps: readonly Step[]
  readonly status: string
  readonly state: Readonly<Record<string, string>>
  readonly files: Files
}

export interface World {
  readonly first: readonly Step[]
  readonly commits: Commit[]
  /** Of the plan's branch, in `commits`; -1: there is no plan. */
  tip: number
  /** Where the user is: on the plan's branch, or on main. */
  isOnPlan: boolean
  /** Cancelling goes back to where the user was. */
  hasOrigin: boolean
  work: Files
  /** The commands that ran, outside of the repository. */
  readonly ledger: string[]
  readonly marks: Set<string>
  readonly happened: Set<string>
  /** What the plan knows of the newest effect of each step. */
  readonly effects: Map<string, Change & { readonly count: number; readonly state: string }>
  readonly attempts: Map<string, Change[]>
  readonly rollbacks: { readonly from: number; readonly undoes: number | undefined; readonly isUndo: boolean }[]
}

export const newWorld = (first: readonly Step[]): World => ({
  first,
  commits: [],
  tip: -1,
  isOnPlan: false,
  hasOrigin: false,
  work: base,
  ledger: [],
  marks: new Set(),
  happened: new Set(),
  effects: new Map(),
  attempts: new Map(),
  rollbacks: [],
})

export const at = (w: World): Commit => w.commits[w.tip]!
export const headFiles = (w: World): Files => (w.isOnPlan ? at(w).files : base)
export const history = (w: World, from = w.tip): Commit[] =>
  from < 0 ? [] : [w.commits[from]!, ...history(w, w.commits[from]!.parent)]
export const statusOf = (w: World, id: string): string => at(w).state[id] ?? 'pending'
export const isStartable = (w: World): boolean => w.tip < 0 || ['proposed', 'approved'].includes(at(w).status)
export const nextStep = (w: World): string | null =>
  isFinal(w) ? null : ((ready(w).find((step) => statusOf(w, step.id) !== 'pending') ?? ready(w)[0])?.id ?? null)

export const isFinal = (w: World): boolean => ['completed', 'cancelled'].includes(at(w).status)
export const isDirty = (w: World): boolean => !isSame(w.work, headFiles(w))
export const isOver = (w: World, id: string): boolean => ['done', 'skipped'].includes(statusOf(w, id))
export const stepIn = (commit: Commit, id = commit.step): Step => commit.steps.find((step) => step.id === id)!
const isSettled = (w: World, id: string): boolean =>
  isOver(w, id) || (stepIn(at(w), id).allowFailure && statusOf(w, id) === 'failed')
export const areSettled = (w: World, step: Step): boolean => step.needs.every((id) => isSettled(w, id))
const waveOf = (w: World, step: Step): number =>
  Math.max(-1, ...step.needs.map((id) => waveOf(w, stepIn(at(w), id)))) + 1
export const ready = (w: World): Step[] =>
  at(w)
    .steps.filter((step) => !isSettled(w, step.id) && areSettled(w, step))
    .toSorted((a, b) => waveOf(w, a) - waveOf(w, b))
export const hasForeignTip = (w: World): boolean => at(w).event === 'user'
export const hasPassed = (w: World, { id, fails }: Step): boolean =>
  w.marks.has(id) || w.ledger.filter((each) => each === id).length > fails
export const holds = (w: World, step: Step): boolean =>
  !['run', 'external'].includes(step.kind) || step.failsBy !== 'verify' || hasPassed(w, step)

/** A commit on the plan's branch: as the tip, but for what is said. */
export function record(w: World, event: string, more: Partial<Commit>): number {
  w.commits.push({ ...at(w), parent: w.tip, step: undefined, event, ...more })
  w.tip = w.commits.length - 1
  return 0
}
export const settled = (w: World, id: string, status: string): Partial<Commit> => ({
  step: id,
  state: { ...at(w).state, [id]: status },
})
export const save = (w: World, id: string): unknown =>
  w.attempts.set(id, [...(w.attempts.get(id) ?? []), { base: at(w).files, files: w.work }])
