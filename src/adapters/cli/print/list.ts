// The plans as a table.

import type { CommandResult } from '../../../operation/context.ts'
import type { ListData } from '../../../commands/inspect/list.ts'
import { escapeForTerminal } from '../../../plan/text/display.ts'
import { planModeText } from '../../../view/plan-mode-text.ts'
import { restoreText } from '../../../view/restore-text.ts'
import type { Style } from '../style.ts'
import { moment } from '../../../view/duration.ts'
import { remoteText } from './remote.ts'
import { paintStatus } from '../../terminal/paint.ts'
import { displayStatusText } from '../../../view/display-status-text.ts'
import { table } from '../../terminal/table.ts'

export function printList({ data }: CommandResult<ListData>, style: Style): string {
  const aside = (data.putAside ?? []).map(
    (each) => `${style.yellow('autostashed:')} ${each.plan}: ${escapeForTerminal(restoreText(each))}\n`,
  )
  const hidden = data.hidden === 0 ? '' : style.dim(`${data.hidden} more finished: git plan list --all\n`)
  const archived = data.archived === undefined ? '' : style.dim(`${data.archived} archived: git plan list --archived\n`)
  const mode = data.planMode === undefined ? '' : `${style.yellow('plan mode:')} ${planModeText(data.planMode)}\n`
  return `${plansText(data, style)}${hidden}${archived}${aside.join('')}${mode}`
}

function plansText(data: ListData, style: Style): string {
  const { plans, unreadable, elsewhere, isFiltered } = data
  if (elsewhere !== undefined) return elsewhereText(elsewhere)
  if (plans.length === 0 && unreadable.length === 0) return isFiltered === true ? 'No such plans.\n' : noPlans(data)
  // On a narrow terminal the id and the title matter more than the date.
  const isNarrow = style.columns !== undefined && style.columns < 100
  const rows = plans.map((plan) => {
    const cells = [
      { text: plan.id, paint: style.bold },
      { text: displayStatusText(plan), paint: paintStatus(plan.seen, style) },
      `${plan.progress.done}/${plan.progress.total}`,
      moment(plan.createdAt),
      [plan.running.join(', '), plan.resumable ? 'resumable' : '', remoteText(plan.remote)]
        .filter((text) => text !== '')
        .join(', '),
      escapeForTerminal(plan.title),
    ]
    // Removed afterwards: a conditional spread would double the cost of thousands of rows.
    if (isNarrow) cells.splice(3, 1)
    return cells
  })
  const head = ['PLAN', 'STATUS', 'DONE', ...(isNarrow ? [] : ['CREATED']), '', 'TITLE'].map((text) => ({
    text,
    paint: style.dim,
  }))
  const broken = unreadable.map(
    (plan) => `${style.red('unreadable:')} ${plan.id}: ${escapeForTerminal(plan.message)}\n`,
  )
  return `${plans.length === 0 ? '' : table([head, ...rows], style)}${broken.join('')}`
}

const noPlans = ({ isBare }: ListData): string =>
  isBare === true
    ? 'No plans. They are created in clones and pushed here with git plan submit\n'
    : "No plans. To create one: git plan new 'TITLE'\n"

function elsewhereText({ remote, ids }: NonNullable<ListData['elsewhere']>): string {
  const more = ids.length > 10 ? ` and ${ids.length - 10} more` : ''
  return `No plans in this clone. ${escapeForTerminal(remote)} has: ${ids.slice(0, 10).join(', ')}${more}\nTo fetch one: git plan fetch ${ids[0]}\n`
}
