// The history of a plan, newest first, one line per event.

import type { CommandResult } from '../../../operation/context.ts'
import type { LogData, OutputData } from '../../../commands/inspect/log.ts'
import { escapeForTerminal } from '../../../plan/text/display.ts'
import { byCode } from '../../../plan/model/order.ts'
import type { RecordedEvent } from '../../../store/history.ts'
import type { Style } from '../style.ts'
import { duration, moment, short } from './duration.ts'
import { paintStatus } from './paint.ts'
import { table } from './table.ts'

const safe = (text: string): string => escapeForTerminal(text)

export function printLog(result: CommandResult<LogData | OutputData>, style: Style): string {
  if (result.kind === 'output') {
    const { output } = result.data as OutputData
    const text = style.isTerminal ? escapeForTerminal(output, { multiline: true }) : output
    return text === '' || text.endsWith('\n') ? text : `${text}\n`
  }
  const rows = timeline(result.data as LogData)
  if (rows.length === 0) return 'No events yet.\n'
  return table(
    rows.map((row) => [
      { text: moment(row.at), paint: style.dim },
      { text: safe(short(row.commit)), paint: style.dim },
      { text: row.what, paint: paintStatus(row.what === 'step' ? 'done' : row.what, style) },
      safe(row.text.filter((each) => each !== undefined).join(', ')),
      { text: safe(row.by.replace(/ <.*>$/, '')), paint: style.dim },
    ]),
    style,
  )
}

interface Row {
  readonly at: string
  readonly what: string
  readonly commit: string
  readonly by: string
  readonly text: readonly (string | undefined)[]
}

/**
 * Newest first. Times have a resolution of seconds, so an attempt or rollback is placed next to the commit that it
 * belongs to.
 */
function timeline({ events, foreign, attempts, rollbacks }: LogData): Row[] {
  const rows: Row[] = [
    ...events.map(eventRow),
    ...foreign.map((commit) => ({
      at: commit.at,
      what: 'commit',
      commit: commit.commit,
      by: commit.by,
      text: [commit.subject],
    })),
  ]
    .map((row, index) => ({ row, index }))
    .toSorted((a, b) => byCode(b.row.at, a.row.at) || a.index - b.index)
    .map(({ row }) => row)
  const beside: { row: Row; on: readonly string[] }[] = [
    ...attempts.map((attempt) => ({
      on: [attempt.parent ?? ''],
      row: {
        at: attempt.at,
        what: 'attempt',
        commit: attempt.commit,
        by: '',
        text: [attempt.step, `attempt ${attempt.number}`, attempt.reason ?? undefined],
      },
    })),
    ...rollbacks.map((each) => ({
      // Placed after both commits, as far as they are still on the branch.
      on: [each.to, each.from],
      row: {
        at: each.at,
        what: each.event,
        commit: each.to,
        by: each.by,
        text: [
          each.step === null ? undefined : `to ${each.step}`,
          `from ${short(each.from)}`,
          each.reason ?? undefined,
        ],
      },
    })),
  ].toSorted((a, b) => byCode(b.row.at, a.row.at))
  const firstOf = new Map<string, number>()
  for (const [index, { commit }] of rows.entries()) if (!firstOf.has(commit)) firstOf.set(commit, index)
  const above: Row[][] = []
  for (const { row, on } of beside) {
    const anchors = on.flatMap((commit) => firstOf.get(commit) ?? [])
    const index = anchors.length > 0 ? Math.min(...anchors) : firstBefore(rows, row.at)
    ;(above[index] ??= []).push(row)
  }
  return [...rows.flatMap((row, index) => [...(above[index] ?? []), row]), ...(above[rows.length] ?? [])]
}

/** The index of the first row older than `at`, in rows with the newest first. */
function firstBefore(rows: readonly Row[], at: string): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (rows[middle]!.at < at) high = middle
    else low = middle + 1
  }
  return low
}

const eventRow = (event: RecordedEvent): Row => ({
  at: event.at,
  what: event.event === 'declared' ? 'done by hand' : event.event,
  commit: event.commit,
  by: event.approvedBy ?? event.by,
  text: [
    event.step,
    event.attempt !== undefined && event.attempt > 1 ? `attempt ${event.attempt}` : undefined,
    event.durationMs === undefined ? undefined : duration(event.durationMs),
    event.reason,
  ],
})
