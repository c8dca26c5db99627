// The lines of the screen: never more, and never wider, than it has.

import { escapeForTerminal, singleLine } from '../../plan/text/display.ts'
import { displayStatusText } from '../../view/display-status-text.ts'
import { duration, elapsed, moment, short } from '../../view/duration.ts'
import { resultLines } from '../../view/step-results.ts'
import type { Style } from '../cli/style.ts'
import { outputText } from '../terminal/output-text.ts'
import { paintStatus, signOf } from '../terminal/paint.ts'
import { table, type Cell } from '../terminal/table.ts'
import { clip, widthOf } from '../terminal/width.ts'
import { rowsOf, shownKey, type Place } from './keys.ts'
import { listRows, selectedRow, selectedStep, type ListedPlan, type ListRow, type Model, type Step } from './model.ts'

const least = { rows: 5, columns: 20 }

export function view(model: Model, style: Style): readonly string[] {
  const { rows, columns } = model.size
  if (rows < least.rows || columns < least.columns)
    return Array.from({ length: rows }, (_, at) => (at === 0 ? clip('The window is too small', columns, '') : ''))
  const foot = footOf(model, style, Math.max(3, Math.floor(rows / 3)))
  const room = Math.max(0, rows - foot.length)
  const body = model.isHelp
    ? helpLines(model, style, room)
    : model.opened === undefined
      ? plansLines(model, style, room)
      : planLines(model, style, room)
  const shown = body.slice(0, room)
  return [...shown, ...Array.from({ length: room - shown.length }, () => ''), ...foot].slice(0, rows)
}

const fit = (text: string, { size }: Model, { signs }: Style): string =>
  clip(escapeForTerminal(text), size.columns, signs.more)

/** The marker shows what is selected where there are no colors. */
function mark(line: string, isSelected: boolean, { bold }: Style): string {
  if (!isSelected) return `  ${line}`
  return bold('') === '' ? `> ${line}` : `\u001b[7m> ${line}\u001b[27m`
}

/** As many lines as fit, with the selected one among them. */
function scrolled(
  lines: readonly string[],
  selected: number,
  { style, model, room }: { style: Style; model: Model; room: number },
): string[] {
  const from = Math.max(0, Math.min(selected - Math.floor(room / 2), lines.length - room))
  return lines
    .slice(from, from + Math.max(0, room))
    .map((line, at) => mark(whole(line, model), from + at === selected, style))
}

/** A column has a least width, so a very narrow window may be too narrow for a table. */
const whole = (line: string, { size }: Model): string => (widthOf(line) <= size.columns - 2 ? line : '')

const within = ({ size }: Model, style: Style): Style => ({ ...style, columns: Math.max(1, size.columns - 2) })

const tableLines = (rows: readonly (readonly (Cell | string)[])[], model: Model, style: Style): string[] =>
  table(rows, within(model, style)).split('\n').slice(0, -1)

function plansLines(model: Model, style: Style, room: number): string[] {
  const { list, filter, isTyping, isAll, name } = model
  const rows = listRows(model)
  const position = rows.findIndex(({ id }) => id === selectedRow(model)?.id)
  const count = rows.length === 0 ? '' : ` ${position + 1}/${rows.length}`
  const sought = filter === '' && !isTyping ? '' : `, with "${filter}${isTyping ? '_' : ''}"`
  const head = style.bold(fit(`${isAll ? 'All plans' : 'Plans'} of ${name}${count}${sought}`, model, style))
  if (list === undefined) return [head, '', fit('  Reading the plans', model, style)]
  const below =
    list.hidden === 0 ? [] : ['', style.dim(fit(`  ${list.hidden} more finished: A lists them`, model, style))]
  if (rows.length === 0)
    return [
      head,
      '',
      fit(filter === '' ? "  No plans. To create one: git plan new 'TITLE'" : '  No such plans', model, style),
      ...below,
    ]
  const columns: Columns = {
    isWide: model.size.columns >= 100,
    hasNotes: rows.some(({ plan }) => plan !== undefined && noteOf(plan) !== ''),
  }
  const [titles = '', ...lines] = tableLines(
    [
      headCells(columns).map((text) => ({ text, paint: style.dim })),
      ...rows.map((row) => planCells(row, columns, style)),
    ],
    model,
    style,
  )
  return [
    head,
    '',
    `  ${whole(titles, model)}`,
    ...scrolled(lines, position, { style, model, room: room - 3 - below.length }),
    ...below,
  ]
}

interface Columns {
  /** There is room for a date. */
  readonly isWide: boolean
  readonly hasNotes: boolean
}

const noteOf = ({ running, resumable }: ListedPlan): string =>
  running.length > 0 ? running.join(', ') : resumable ? 'resumable' : ''

const headCells = ({ isWide, hasNotes }: Columns): string[] => [
  'PLAN',
  'STATUS',
  'DONE',
  'RISK',
  ...(isWide ? ['CREATED'] : []),
  ...(hasNotes ? [''] : []),
  'TITLE',
]

function planCells({ id, title, plan }: ListRow, { isWide, hasNotes }: Columns, style: Style): (Cell | string)[] {
  return [
    { text: id, paint: style.bold },
    plan === undefined
      ? { text: 'unreadable', paint: style.red }
      : { text: displayStatusText(plan), paint: paintStatus(plan.seen, style) },
    plan === undefined ? '' : `${plan.progress.done}/${plan.progress.total}`,
    plan === undefined ? '' : { text: plan.risk, paint: paintStatus(plan.risk, style) },
    ...(isWide ? [moment(plan?.createdAt)] : []),
    ...(hasNotes ? [plan === undefined ? '' : noteOf(plan)] : []),
    escapeForTerminal(title),
  ]
}

function planLines(model: Model, style: Style, room: number): string[] {
  const { status, opened = '', next } = model
  if (status === undefined) return [style.bold(fit(opened, model, style)), '', fit('  Reading the plan', model, style)]
  const { progress, holder, approval, reason } = status
  const state = displayStatusText(status)
  const facts = [
    `${progress.done} of ${progress.total} steps done`,
    `risk ${status.risk}`,
    approval.required === 0 ? 'no approval needed' : `approval: ${approval.state}`,
    ...(model.size.columns < 100 || status.createdAt === null ? [] : [`created ${moment(status.createdAt)}`]),
  ].join(', ')
  const roomForFacts = model.size.columns - widthOf(state) - 2
  const now =
    holder !== null
      ? `${holder.state === 'running' ? 'run by' : 'interrupted:'} process ${holder.pid} on ${holder.host} since ${moment(holder.since)}`
      : reason !== null
        ? `reason: ${singleLine(reason)}`
        : next[0] === undefined
          ? ''
          : `next: ${next[0]}`
  const head = [
    style.bold(fit(`${singleLine(status.title)} (${status.id})`, model, style)),
    `${paintStatus(status.seen, style)(clip(state, model.size.columns, style.signs.more))}${roomForFacts > 8 ? `  ${clip(facts, roomForFacts, style.signs.more)}` : ''}`,
    style.dim(fit(now, model, style)),
    '',
  ]
  const step = selectedStep(model)
  const left = Math.max(0, room - head.length)
  const details = step === undefined ? [] : detailLines(step, model, style)
  const lines = tableLines(
    status.steps.map((each) => stepCells(each, model, style)),
    model,
    style,
  )
  // The steps get at least half of the room.
  const detailRoom = Math.max(0, Math.min(details.length + 1, Math.max(Math.floor(left / 2), left - lines.length)))
  const position = status.steps.findIndex(({ id }) => id === step?.id)
  const shown = scrolled(lines, position, { style, model, room: left - detailRoom })
  const gap = left - detailRoom - shown.length
  if (lines.length === 0) return [...head, fit('  It has no steps yet: e edits it', model, style)]
  if (detailRoom < 2) return [...head, ...shown]
  return [
    ...head,
    ...shown,
    ...Array.from({ length: Math.min(1, gap) }, () => ''),
    ...details.slice(0, detailRoom - 1 + gap),
  ]
}

/** Since when it has been running; undefined: it is not. */
const runningSince = ({ id }: Step, { status }: Model): number | undefined => {
  const running = status?.holder?.state === 'running' ? status.holder.running : []
  const since = running.find(({ step }) => step === id)?.since
  return since === undefined ? undefined : Date.parse(since)
}

function stepCells(step: Step, model: Model, style: Style): (Cell | string)[] {
  const since = runningSince(step, model)
  const time =
    since !== undefined
      ? elapsed(Math.max(0, model.now - since))
      : step.durationMs === null
        ? ''
        : duration(step.durationMs)
  const paint = paintStatus(step.seen, style)
  return [
    { text: signOf(step.seen, style), paint },
    { text: step.id, paint: style.bold },
    { text: step.seen, paint },
    { text: time, paint: style.dim },
    escapeForTerminal(step.title),
  ]
}

/** About the selected step: what it is, why it is not done, and what it prints. */
function detailLines(step: Step, model: Model, style: Style): string[] {
  const { columns } = model.size
  const facts = [
    step.agent === null ? step.verb : `${step.verb} ${step.agent}`,
    ...(step.needs.length === 0 ? [] : [`needs ${step.needs.join(', ')}`]),
    ...(step.attempt > 1 ? [`attempt ${step.attempt}`] : []),
    ...(step.commit === null ? [] : [`commit ${short(step.commit)}`]),
    ...(step.replayed === null ? [] : [`replayed from ${short(step.replayed)}`]),
    ...(step.owner === null ? [] : [`owner ${step.owner}`]),
  ]
  const output = model.output.filter((line) => line.step === step.id).slice(-outputShown)
  const lines = [
    ...(step.error === null ? [] : [`error: ${step.error}`]),
    ...(step.why === null ? [] : [step.why]),
    ...(step.seen === 'waiting' && step.question !== null ? step.question.trim().split('\n').slice(0, 4) : []),
    ...resultLines(step),
  ]
  const rule = style.signs.more === '…' ? '─' : '-'
  return [
    style.dim(
      clip(`${rule.repeat(2)} ${escapeForTerminal(`${step.id}: ${facts.join(', ')}`)} `, columns, style.signs.more),
    ),
    ...lines.map((line) => `  ${clip(escapeForTerminal(singleLine(line)), columns - 2, style.signs.more)}`),
    ...output.map(({ line }) =>
      style.dim(`  | ${clip(outputText(line).replaceAll('\t', '  '), columns - 4, style.signs.more)}`),
    ),
  ]
}

const outputShown = 8

function helpLines(model: Model, style: Style, room: number): string[] {
  const place: Place = model.opened === undefined ? 'plans' : 'plan'
  const lines = rowsOf(place).map((row) => `${shownKey(row).padEnd(12)} ${row.about}`)
  // In two columns, if one is too long.
  const height = Math.max(1, room - 2)
  const width = Math.floor(model.size.columns / 2)
  const isSplit = lines.length > height && width >= 40
  const split = Math.ceil(lines.length / 2)
  const shown = isSplit
    ? lines.slice(0, split).map((line, at) => {
        const left = clip(line, width - 2, style.signs.more)
        return `${left}${' '.repeat(Math.max(0, width - widthOf(left)))}${clip(lines[split + at] ?? '', width, style.signs.more)}`
      })
    : lines.map((line) => fit(line, model, style))
  return [style.bold(place === 'plan' ? 'Keys of a plan' : 'Keys of the list'), '', ...shown]
}

/** What has just happened, and as many keys as there is room for; the last ones lead on. */
function footOf(model: Model, style: Style, room: number): string[] {
  const { notice, isTyping, isHelp, size } = model
  const said =
    notice === undefined
      ? []
      : [
          style.yellow(fit(singleLine(notice.message), model, style)),
          ...(notice.hint === undefined ? [] : [fit(`Hint: ${singleLine(notice.hint)}`, model, style)]),
        ]
  if (isTyping)
    return [...said, fit('Type a part of an id or a title; Enter: keep it, Escape: all plans', model, style)]
  if (isHelp) return [...said, fit('Press any key', model, style)]
  const place: Place = model.opened === undefined ? 'plans' : 'plan'
  const keys = keyLines(place, size.columns, style)
  return [...said, ...keys.slice(Math.max(0, keys.length - room + said.length))]
}

function keyLines(place: Place, columns: number, style: Style): string[] {
  const lines: { readonly text: string; readonly width: number }[] = []
  for (const row of rowsOf(place)) {
    if (row.label === undefined) continue
    const key = shownKey(row)
    const width = widthOf(key) + 1 + row.label.length
    const text = `${style.bold(key)} ${row.label}`
    const last = lines.at(-1)
    if (last !== undefined && last.width + 2 + width <= columns)
      lines[lines.length - 1] = { text: `${last.text}  ${text}`, width: last.width + 2 + width }
    else if (width <= columns) lines.push({ text, width })
  }
  return ['', ...lines.map(({ text }) => text)]
}
