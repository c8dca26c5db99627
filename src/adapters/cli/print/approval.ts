// The state of a plan's approval in one line.

import { sourceText } from '../../../view/source-text.ts'
import { escapeForTerminal } from '../../../plan/text/display.ts'
import type { PlanSummary } from '../../../view/plan-view.ts'
import { moment } from '../../../view/duration.ts'

export function approvalText({ approval }: Pick<PlanSummary, 'approval'>): string {
  const signed = approval.source === 'signature' ? `, ${sourceText(approval.source)}` : ''
  const who = `${escapeForTerminal(approval.by ?? '')}${signed}${approval.at === null ? '' : `, ${moment(approval.at)}`}`
  const count =
    approval.required > 1 || approval.state === 'pending' ? `${approval.given} of ${approval.required}` : undefined
  switch (approval.state) {
    case 'approved':
      return count === undefined ? `approved by ${who}` : `${count}, last by ${who}`
    case 'pending':
      return `${count}, last by ${who}`
    case 'rejected':
      return `rejected by ${who}`
    case 'outdated':
      return `outdated: by ${who} (${escapeForTerminal(approval.why ?? 'the plan has changed since')})`
    case 'none':
      return approval.required > 1 ? `0 of ${approval.required}` : approval.required === 0 ? 'not needed' : 'none'
  }
}
