// The table of formats, and which of them a source has.

import { autonomousDev } from './autonomous-dev.ts'
import { backlog } from './backlog.ts'
import { checklist } from './checklist.ts'
import { claudeCode } from './claude-code.ts'
import { cursor } from './cursor.ts'
import { execPlan } from './exec-plan.ts'
import type { ImportFormat, ImportInput } from './format.ts'
import { kiro } from './kiro.ts'
import { phases } from './phases.ts'
import { piPlanner } from './pi-planner.ts'
import { planModeRunner } from './plan-mode-runner.ts'
import { specKit } from './spec-kit.ts'
import { taskMaster } from './task-master.ts'
import { tinycode } from './tinycode.ts'

export const importFormats: readonly ImportFormat[] = [
  planModeRunner,
  tinycode,
  phases,
  piPlanner,
  autonomousDev,
  specKit,
  backlog,
  taskMaster,
  kiro,
  cursor,
  claudeCode,
  execPlan,
  checklist,
]

/** The formats that the source may have: all that are certain, or else all that are possible. */
export function formatsOf(input: ImportInput, least: 'certain' | 'possible' = 'possible'): readonly ImportFormat[] {
  const judged = importFormats.map((format) => ({ format, as: format.recognizes(input) }))
  const certain = judged.filter(({ as }) => as === 'certain')
  return (certain.length > 0 || least === 'certain' ? certain : judged.filter(({ as }) => as === 'possible')).map(
    ({ format }) => format,
  )
}
