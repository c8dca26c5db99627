// Rates and averages as tables, the months with a bar for their plans.

import type { CommandResult } from '../../../operation/context.ts'
import { escapeForTerminal } from '../../../plan/text/display.ts'
import type { StatsData, StatsRow } from '../../../view/metrics/stats.ts'
import type { Style } from '../style.ts'
import { duration, pluralize } from '../../../view/duration.ts'
import { table } from '../../terminal/table.ts'

export function printStats({ data }: CommandResult<StatsData & { readonly svg?: string }>, style: Style): string {
  if (data.svg !== undefined) return data.svg
  const { total, months, templates, agents, since } = data
  const scope = since === null ? '' : ` proposed since ${since.slice(0, 10)}`
  if (total.plans === 0) return `No plans${scope}.\n`
  const most = Math.max(...months.map(({ plans }) => plans))
  return [
    `${pluralize(total.plans, 'plan')}${scope}: ${total.completed} completed, ${total.failed} failed or cancelled, ${total.other} other\n`,
    section('MONTH', [...months, total], style, (row) => (row === total ? '' : bar(row, most, style))),
    section('TEMPLATE', templates, style),
    section('AGENT', agents, style),
  ].join('\n')
}

function section(title: string, rows: readonly StatsRow[], style: Style, chart?: (row: StatsRow) => string): string {
  const heads = [title, 'PLANS', 'SUCCESS', 'APPROVED', 'ROLLED BACK', 'RUN', 'WAIT', 'RETRIES', 'COST']
  return table(
    [
      [...heads, ...(chart === undefined ? [] : [''])].map((text) => ({ text, paint: style.dim })),
      ...rows.map((row) => [
        { text: escapeForTerminal(row.name), paint: style.bold },
        String(row.plans),
        percent(row.success),
        percent(row.approval),
        percent(row.rollback),
        row.runMs === null ? '-' : duration(row.runMs),
        row.waitMs === null ? '-' : duration(row.waitMs),
        row.retries.toFixed(1),
        row.costUsd === 0 ? '-' : `$${row.costUsd.toFixed(2)}`,
        ...(chart === undefined ? [] : [chart(row)]),
      ]),
    ],
    style,
  )
}

const percent = (rate: number | null): string => (rate === null ? '-' : `${Math.round(rate * 100)}%`)

const longest = 12

/** Completed plans full, failed ones shaded, the rest light. */
function bar({ completed, failed, other }: StatsRow, most: number, { signs }: Style): string {
  const [full, shaded, light] = signs.done === '✓' ? ['█', '▒', '░'] : ['#', 'x', '.']
  const ends = [completed, completed + failed, completed + failed + other].map((count) =>
    Math.round((count / most) * longest),
  ) as [number, number, number]
  return `${full.repeat(ends[0])}${shaded.repeat(ends[1] - ends[0])}${light.repeat(ends[2] - ends[1])}`
}
