// `git plan report`: the outcome of a plan, for a pull request or for the record.

import { decisionsIn, handWork, type DecisionView, type HandWork } from '../../store/by-hand.ts'
import { criticalPath, timeSaved, type CriticalPath } from '../../view/critical-path.ts'
import { viewChecks, type CheckView } from '../../view/checks.ts'
import type { Oid } from '../../plan/model/ids.ts'
import { changesBetween, changesOfEach, type FileChange } from '../../store/changes.ts'
import {
  highlightsOf,
  outlookOf,
  preflightOf,
  type Highlight,
  type Outlook,
  type PreflightView,
} from '../../view/report-summary.ts'
import { nextCommands } from '../../operation/next-commands.ts'
import { maskValues } from '../../secrets/masked.ts'
import type { PlanSummary } from '../../view/plan-view.ts'
import { maskOf } from '../../engine/run/known-secrets.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { withPlan } from '../with-repository.ts'

export interface Totals {
  readonly created: number
  readonly modified: number
  readonly deleted: number
  /** Numbers of lines. */
  readonly added: number
  readonly removed: number
}

export interface ReportData {
  readonly plan: PlanSummary
  /** The sum of the durations of the steps. */
  readonly workedMs: number
  readonly criticalPath: CriticalPath
  /** By steps that ran at the same time. */
  readonly savedMs: number
  /** From the first step to the end, or to the newest event; null before the first step. */
  readonly elapsedMs: number | null
  /** The whole plan compared to its base. */
  readonly files: readonly FileChange[]
  readonly totals: Totals
  /** The changes of each step's commit, and how often the step failed before. */
  readonly steps: readonly {
    readonly id: string
    readonly failures: number
    readonly totals: Totals
    readonly files: readonly FileChange[]
  }[]
  /** What a reader should know first. */
  readonly highlights: readonly Highlight[]
  readonly preflight: readonly PreflightView[]
  readonly checks: readonly CheckView[]
  /** Manual work, oldest first, with the files of each. */
  readonly byHand: readonly (HandWork & { readonly files: readonly FileChange[] })[]
  /** Approvals, rejections, reasons for changes of the text, and a cancellation; oldest first. */
  readonly decisions: readonly DecisionView[]
  /** What is still to be done, judged and answered. */
  readonly outlook: Outlook
  /** The commands to type next. */
  readonly next: readonly string[]
}

export const report = (
  request: { readonly plan?: string },
  context: CommandContext,
): Promise<CommandResult<ReportData | object>> =>
  withPlan(
    request.plan,
    context,
    async ({ summary, plan, file, baseCommit, events, foreign }, { repo }) => {
      const files = events.length === 0 ? [] : await changesBetween(repo, baseCommit, summary.tip, { except: file })
      const done = summary.steps.flatMap(({ status, commit }) =>
        status === 'done' && commit !== null ? [commit as Oid] : [],
      )
      const byHand = handWork(events, foreign, plan)
      const changes = await changesOfEach(repo, [...new Set([...done, ...byHand.map(({ commit }) => commit as Oid)])], {
        except: file,
      })
      const checks = viewChecks(plan, { steps: summary.steps, events })
      const last = summary.endedAt ?? events[0]?.at
      const data: ReportData = {
        plan: summary,
        workedMs: summary.steps.reduce((sum, step) => sum + (step.durationMs ?? 0), 0),
        criticalPath: criticalPath(summary.steps),
        savedMs: timeSaved(summary.steps),
        elapsedMs:
          summary.startedAt === null || last === undefined
            ? null
            : Math.max(0, Date.parse(last) - Date.parse(summary.startedAt)),
        files,
        totals: totalsOf(files),
        steps: summary.steps.map(({ id, status, commit }) => {
          const changed = status === 'done' ? (changes.get(commit ?? '') ?? []) : []
          return {
            id,
            failures: summary.attempts.filter((attempt) => attempt.step === id).length,
            totals: totalsOf(changed),
            files: changed,
          }
        }),
        highlights: highlightsOf({ plan: summary, checks, byHand }),
        preflight: preflightOf(plan, events),
        checks,
        byHand: byHand.map((each) => ({ ...each, files: changes.get(each.commit) ?? [] })),
        decisions: decisionsIn(events),
        outlook: outlookOf({ plan: summary, checks }),
        next: nextCommands(summary, { isPushed: false }).filter((command) => !command.startsWith('git plan report')),
      }
      return { kind: 'plan-report', exitCode: 0, data: maskValues(data, maskOf(plan, context.env)) }
    },
    'report',
  )

function totalsOf(files: readonly FileChange[]): Totals {
  const count = (change: FileChange['change']): number => files.filter((each) => each.change === change).length
  const sum = (side: 'added' | 'removed'): number => files.reduce((total, each) => total + (each[side] ?? 0), 0)
  return {
    created: count('created'),
    modified: count('modified'),
    deleted: count('deleted'),
    added: sum('added'),
    removed: sum('removed'),
  }
}
