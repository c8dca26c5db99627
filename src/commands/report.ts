// The outcome of a plan, for a pull request or a record.

import { changesBetween, type FileChange } from '../report/changes.ts'
import type { PlanSummary } from '../report/view.ts'
import type { CommandContext, CommandResult } from './context.ts'
import { withPlan } from './with-repository.ts'

export interface ReportData {
  readonly plan: PlanSummary
  /** Sum of the steps' own times. */
  readonly workedMs: number
  readonly files: readonly FileChange[]
  readonly totals: { readonly created: number; readonly modified: number; readonly deleted: number; readonly added: number; readonly removed: number }
  readonly checks: readonly { readonly step: string; readonly verified: string }[]
}

export const report = (request: { readonly plan?: string }, context: CommandContext): Promise<CommandResult<ReportData | object>> =>
  withPlan(request.plan, context, async ({ summary, file, baseCommit, events }, { repo }) => {
    const files = events.length === 0 ? [] : await changesBetween(repo, baseCommit, summary.tip, { except: file })
    const count = (change: FileChange['change']): number => files.filter((each) => each.change === change).length
    const data: ReportData = {
      plan: summary,
      workedMs: summary.steps.reduce((sum, step) => sum + (step.durationMs ?? 0), 0),
      files,
      totals: {
        created: count('created'),
        modified: count('modified'),
        deleted: count('deleted'),
        added: files.reduce((sum, each) => sum + (each.added ?? 0), 0),
        removed: files.reduce((sum, each) => sum + (each.removed ?? 0), 0),
      },
      checks: summary.steps.flatMap((step) => (step.verified === null ? [] : [{ step: step.id, verified: step.verified }])),
    }
    return { kind: 'plan-report', exitCode: 0, data }
  })
