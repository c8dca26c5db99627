// The figures as a Markdown table with aligned columns, so that it is readable on a terminal too.

import { rounded } from '../units.mjs'

const titles = ['figure', 'git plan', 'reference', 'its cost', 'ratio', 'at most', 'held']
/** Columns that hold numbers. */
const right = [false, true, false, true, true, true, false]

const verdicts = { held: 'yes', tolerated: 'no, within tolerance', short: 'no, see below', over: 'NO', 'no limit': '' }

const cost = ({ median, low, high }, unit) => `${rounded(median)} ${unit} (${rounded(low)}–${rounded(high)})`

/** The reason in place of the numbers of a missing figure, in one line. */
const reasonOf = ({ verdict, reason }) => `${verdict}: ${reason.split('\n')[0]}`

function cellsOf(result) {
  const { what, against, unit, subject, reference, ratio, limit, verdict } = result
  const most = limit === undefined ? '' : `${limit.toFixed(1)}x`
  if (ratio === undefined) return [what, '', against, '', '', most, reasonOf(result)]
  return [what, cost(subject, unit), against, cost(reference, unit), `${ratio.toFixed(2)}x`, most, verdicts[verdict]]
}

/** A `|` in a cell would begin another one. */
const escaped = (cell) => cell.replaceAll('|', '\\|')

export function tableOf(results) {
  const rows = [titles, ...results.map((result) => cellsOf(result).map(escaped))]
  const widths = titles.map((_, at) => Math.max(...rows.map((cells) => cells[at].length), 4))
  const line = (cells) =>
    `| ${cells.map((cell, at) => (right[at] ? cell.padStart(widths[at]) : cell.padEnd(widths[at]))).join(' | ')} |`
  const rule = widths.map((width, at) => (right[at] ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)))
  return [line(rows[0]), line(rule), ...rows.slice(1).map(line)].join('\n')
}
