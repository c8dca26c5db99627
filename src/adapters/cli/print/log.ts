// The history of a plan in order of time, newest first, one line per event.

import type { CommandResult } from '../../../operation/context.ts'
import type { LogData, OutputData } from '../../../commands/inspect/log.ts'
import { escapeForTerminal } from '../../../plan/text/display.ts'
import { byCode } from '../../../plan/model/order.ts'
import type { RecordedEvent } from '../../../store/history.ts'
import type { Style } from '../style.ts'
import { duration, moment, short } from '../../../view/duration.ts'
import { paintStatus } from '../../terminal/paint.ts'
import { table } from '../../terminal/table.ts'

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
 * In order of time, newest first. Commit times have a resolution of seconds, so rows of the same second are in the order
 * of the branch, with an attempt or rollback above the commits that it belongs to.
 */
function timeline({ events, foreign, attempts, rollbacks }: LogData): Row[] {
  const onBranch = [...events.map(eventRow), ...foreign.map(foreignRow)]
    .map((row, index) => ({ row, index }))
    .toSorted((a, b) => byCode(b.row.at, a.row.at) || a.index - b.index)
    .map(({ row }) => row)
  const indexOf = new Map<string, number>()
  for (const [index, { commit }] of onBranch.entries()) if (!indexOf.has(commit)) indexOf.set(commit, index)
  const above = (...commits: readonly string[]): number =>
    Math.min(...commits.map((commit) => indexOf.get(commit) ?? onBranch.length)) - 0.5
  return [
    ...onBranch.map((row, index) => ({ row, index })),
    ...attempts.map((attempt) => ({ row: attemptRow(attempt), index: above(attempt.parent ?? '') })),
    ...rollbacks.map((rollback) => ({ row: rollbackRow(rollback), index: above(rollback.to, rollback.from) })),
  ]
    .toSorted((a, b) => byCode(b.row.at, a.row.at) || a.index - b.index)
    .map(({ row }) => row)
}

const foreignRow = ({ at, commit, by, subject }: LogData['foreign'][number]): Row => ({
  at,
  what: 'commit',
  commit,
  by,
  text: [subject],
})

const attemptRow = ({ at, commit, step, number, reason }: LogData['attempts'][number]): Row => ({
  at,
  what: 'attempt',
  commit,
  by: '',
  text: [step, `attempt ${number}`, reason ?? undefined],
})

const rollbackRow = ({ at, event, to, by, step, from, reason, steps }: LogData['rollbacks'][number]): Row => ({
  at,
  what: event,
  commit: to,
  by,
  text: [
    step === null ? undefined : `to ${step}`,
    steps.length === 0 ? undefined : `${event === 'undo' ? 'restored' : 'undid'} ${steps.join(' ')}`,
    `from ${short(from)}`,
    reason ?? undefined,
  ],
})

const eventRow = (event: RecordedEvent): Row => ({
  at: event.at,
  what: event.event === 'declared' ? 'done by hand' : event.event,
  commit: event.commit,
  by: event.approvedBy ?? event.by,
  text: [
    event.step,
    event.approval === 'signature' && event.isSigned ? 'signed' : undefined,
    event.attempt !== undefined && event.attempt > 1 ? `attempt ${event.attempt}` : undefined,
    event.durationMs === undefined ? undefined : duration(event.durationMs),
    event.tests === undefined ? undefined : `tests ${event.tests}`,
    event.reason,
  ],
})
