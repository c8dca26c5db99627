// Predicates on the status of a step or a plan. They are defined only here.

import { statusOf, type Plan, type PlanStatus, type StepStatus } from './plan.ts'
import type { StepId } from './ids.ts'

export const isDone = (plan: Plan, step: StepId): boolean => statusOf(plan, step) === 'done'

export const isPending = (plan: Plan, step: StepId): boolean => statusOf(plan, step) === 'pending'

/** Done or skipped: the step does not run again. */
export const isSettled = (plan: Plan, step: StepId): boolean => ['done', 'skipped'].includes(statusOf(plan, step))

export const isFailure = (status: StepStatus): boolean => ['failed', 'timeout', 'conflict'].includes(status)

export const hasFailed = (plan: Plan, step: StepId): boolean => isFailure(statusOf(plan, step))

/** True if the plan has run, unless it was rolled back to its approval. */
export const isBegun = (status: PlanStatus): boolean => !['proposed', 'rejected', 'approved'].includes(status)
