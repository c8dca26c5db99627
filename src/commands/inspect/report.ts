// `git plan report`: the outcome of a plan, for a pull request or for the record.

import { resolve } from 'node:path'
import { PlanError } from '../../errors.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import { decisionsIn, handWork } from '../../store/by-hand.ts'
import { criticalPath, timeSaved } from '../../view/critical-path.ts'
import { viewChecks } from '../../view/checks.ts'
import type { Oid } from '../../plan/model/ids.ts'
import { changesBetween, changesOfEach, patchOfEach, type FileChange } from '../../store/changes.ts'
import { highlightsOf, outlookOf, preflightOf } from '../../view/report-summary.ts'
import { nextCommands } from '../../operation/next-commands.ts'
import { maskValues } from '../../secrets/masked.ts'
import type { ReportData, Totals } from '../../view/report-data.ts'
import { maskOf } from '../../engine/run/known-secrets.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { writeNewFile } from '../../operation/write-new-file.ts'
import { withPlan } from '../with-repository.ts'

export interface ReportRequest {
  readonly plan?: string
  readonly html?: boolean
  /** A file for the page; it must not exist. */
  readonly output?: string
}

export interface ReportAnswer extends ReportData {
  /** The page, if it was asked for and not written to a file. */
  readonly page?: string
  readonly file?: string
}

export function report(request: ReportRequest, context: CommandContext): Promise<CommandResult<ReportAnswer | object>> {
  if (request.output !== undefined && request.html !== true)
    throw new PlanError('usage', '-o needs --html', {
      hint: [
        'git plan report',
        ...(request.plan === undefined ? [] : [quoteIfNeeded(request.plan)]),
        '--html -o',
        quoteIfNeeded(request.output),
      ].join(' '),
    })
  return withPlan<ReportAnswer>(
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
      // Steps are recorded in milliseconds, the commits of other events in seconds.
      const ends = [summary.endedAt ?? events[0]?.at, ...summary.steps.map(({ endedAt }) => endedAt)]
      const last = ends.flatMap((time) => (typeof time === 'string' ? Date.parse(time) : []))
      const data: ReportData = {
        plan: summary,
        workedMs: summary.steps.reduce((sum, step) => sum + (step.durationMs ?? 0), 0),
        criticalPath: criticalPath(summary.steps),
        savedMs: timeSaved(summary.steps),
        elapsedMs:
          summary.startedAt === null || last.length === 0
            ? null
            : Math.max(0, Math.max(...last) - Date.parse(summary.startedAt)),
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
      const mask = maskOf(plan, context.env)
      const masked = maskValues(data, mask)
      if (request.html !== true) return { kind: 'plan-report', exitCode: 0, data: masked }
      const patches = await patchOfEach(repo, done, { except: file })
      const { reportPage } = await import('../../view/html/report-page.ts')
      const page = reportPage({
        ...masked,
        prose: mask(plan.prose),
        diffs: new Map(
          summary.steps.flatMap(({ id, status, commit }) => {
            const patch = status === 'done' ? patches.get(commit ?? '') : undefined
            return patch === undefined ? [] : [[id, mask(patch)] as const]
          }),
        ),
      })
      const { output } = request
      if (output === undefined) return { kind: 'plan-report', exitCode: 0, data: { ...masked, page } }
      await writeNewFile(resolve(context.cwd, output), page, output, `git plan report ${summary.id} --html`)
      return { kind: 'plan-report', exitCode: 0, data: { ...masked, file: output } }
    },
    'report',
  )
}

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
