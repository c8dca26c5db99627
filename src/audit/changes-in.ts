// The paths that the commits of a plan changed, and whether its text declares them.

import type { Changes } from '../judge/plan/risk.ts'
import { isDeclaring } from '../judge/plan/scope.ts'
import type { Plan } from '../plan/model/plan.ts'
import type { RecordedEvent } from '../store/history.ts'
import type { AuditedBranch } from './read-branch.ts'

export function changesIn({ events }: Pick<AuditedBranch, 'events'>, plan: Plan): Changes {
  const changing = events.flatMap(({ event, paths, foreign }) => [
    { event, paths },
    ...foreign.map((each) => ({ event: undefined, paths: each.paths })),
  ])
  const isDeclared = (event: RecordedEvent | undefined): boolean => {
    const step = event?.event === 'step' ? plan.steps.find(({ id }) => id === event.step) : undefined
    return step !== undefined && (step.files !== undefined || isDeclaring(step))
  }
  return {
    paths: [...new Set(changing.flatMap(({ paths }) => paths))],
    isUndeclared: changing.some(({ event, paths }) => paths.length > 0 && !isDeclared(event)),
  }
}
