// The state of a plan.

import type { CommandResult } from '../../../operation/context.ts'
import type { StatusData } from '../../../commands/inspect/status.ts'
import { escapeForTerminal } from '../../../plan/text/display.ts'
import { isFailure } from '../../../plan/model/step-status.ts'
import { planModeText } from '../../../view/plan-mode-text.ts'
import { restoreText } from '../../../view/restore-text.ts'
import type { StepView } from '../../../view/steps.ts'
import type { PlanSummary } from '../../../view/plan-view.ts'
import type { Style } from '../style.ts'
import { testsText } from '../../../plan/model/test-counts.ts'
import { claimHead, costText, notableUsage } from '../../../view/step-results.ts'
import { metaText } from '../../../view/describe-plan.ts'
import { sourceEntryText } from '../../../plan/model/source-entry.ts'
import { approvalText } from './approval.ts'
import { pluralize, duration, moment, short } from '../../../view/duration.ts'
import { paintStatus, signOf } from '../../terminal/paint.ts'
import { displayStatusText } from '../../../view/display-status-text.ts'
import { remoteText } from './remote.ts'
import { table } from '../../terminal/table.ts'
import { clip } from '../../terminal/width.ts'

export function printStatus(
  {
    data: plan,
  }: CommandResult<
    PlanSummary & Partial<Pick<StatusData, 'workTree' | 'putAside' | 'remote' | 'planMode' | 'isMergePushed'>>
  >,
  style: Style,
): string {
  const safe = escapeForTerminal
  const { done, total } = plan.progress
  const facts: [string, string][] = [
    ['status', paintStatus(plan.seen, style)(displayStatusText(plan))],
    [
      'progress',
      `${done} of ${total} (${total === 0 ? 100 : Math.floor((done * 100) / total)}%)${plan.next === null ? '' : `, next: ${plan.next}`}`,
    ],
    ['branch', `${plan.branch} at ${short(plan.tip)}${plan.base === null ? '' : `, from ${safe(plan.base)}`}`],
    ...(plan.workTree === undefined || plan.workTree === null
      ? []
      : [['work tree', safe(plan.workTree)] as [string, string]]),
    ...(plan.remote === undefined || plan.remote === null
      ? []
      : [
          [
            'remote',
            `${remoteText(plan.remote, { isWhole: true })}${plan.isMergePushed === false ? '; the merge is not pushed' : ''}`,
          ] as [string, string],
        ]),
    ['digest', `${plan.digest}${plan.revision === 0 ? '' : `, revision ${plan.revision}`}`],
    ['risk', paintStatus(plan.risk, style)(plan.risk)],
    ['approval', approvalText(plan)],
    ...(plan.generated === null ? [] : [['generated', generatedText(plan.generated)] as [string, string]]),
    ...(plan.clonedFrom === null ? [] : [['copy of', copyText(plan.clonedFrom)] as [string, string]]),
    ...(plan.archived === null ? [] : [['archived', archivedText(plan.archived)] as [string, string]]),
    ...(plan.reason === null ? [] : [['reason', safe(plan.reason)] as [string, string]]),
    ...waitingFor(plan),
    ...background(plan),
  ]
  if (plan.createdAt !== null) facts.push(['created', moment(plan.createdAt)])
  if (plan.startedAt !== null) facts.push(['started', moment(plan.startedAt)])
  if (plan.endedAt !== null) facts.push(['ended', moment(plan.endedAt)])
  if (plan.holder !== null) {
    const { state, pid, host, since, running, liveness } = plan.holder
    const steps = running.map(({ step }) => step).join(', ')
    facts.push([
      state === 'running' ? 'run by' : 'interrupted',
      `process ${pid} on ${safe(host)} since ${safe(moment(since))}${steps === '' ? '' : `, in ${safe(steps)}`}${liveness === 'unknowable' ? ' (cannot be checked from here)' : ''}`,
    ])
  }
  if (plan.open !== null)
    facts.push(['open', `${plan.open.step}: ${safe(plan.open.holder)} has it until ${moment(plan.open.until)}`])
  if (plan.planMode !== undefined && plan.planMode !== 'off') facts.push(['plan mode', planModeText(plan.planMode)])
  for (const each of plan.putAside ?? [])
    facts.push(['autostash', safe(`${each.plan === plan.id ? '' : `${each.plan}: `}${restoreText(each)}`)])
  if (plan.undone !== null)
    facts.push(['effects', `${safe(plan.undone.step)} is marked done, but its external effect was undone`])
  if (plan.foreign.length > 0)
    facts.push([
      'by hand',
      `${pluralize(plan.foreign.length, 'commit')} on the branch ${plan.foreign.length === 1 ? 'was' : 'were'} not made by git plan: ${plan.foreign
        .slice(0, 3)
        .map((each) => `${short(each.commit)} ${safe(each.subject)}`)
        .join('; ')}`,
    ])
  return `${style.bold(safe(plan.title))} (${plan.id})\n${table(
    facts.map(([name, value]) => [{ text: name, paint: style.dim }, value]),
    { ...style, columns: undefined },
    '  ',
  )}\n${table(
    plan.steps.map((step) => stepRow(step, style)),
    style,
    '  ',
  )}`
}

const copyText = ({ plan, tip }: NonNullable<PlanSummary['clonedFrom']>): string => `${plan} at ${short(tip)}`

const archivedText = ({ at, by, reason }: NonNullable<PlanSummary['archived']>): string =>
  escapeForTerminal(`${moment(at)} by ${by}${reason === null ? '' : `: ${reason}`}`)

const generatedText = ({ by, rounds, durationMs, turns, costUsd }: NonNullable<PlanSummary['generated']>): string =>
  [
    `by ${escapeForTerminal(by)}${durationMs === null ? '' : ` in ${duration(durationMs)}`}`,
    ...(rounds === 1 ? [] : [`${rounds} rounds`]),
    ...(turns === null ? [] : [pluralize(turns, 'turn')]),
    ...(costUsd === null ? [] : [costText(costUsd)]),
  ].join(', ')

/** The question of a waiting step, unless its title says it all. */
const waitingFor = ({ steps }: PlanSummary): [string, string][] =>
  steps.flatMap(({ id, seen, title, asks, question }): [string, string][] =>
    seen === 'waiting' && question !== null && question.trim() !== title
      ? [[asks === 'decision' ? 'question' : 'to do', `${id}: ${firstLine(question)}`]]
      : [],
  )

/** The first line of each: `show` has the rest. */
const background = (plan: PlanSummary): [string, string][] =>
  [
    ['goal', plan.goal] as const,
    ['request', plan.request] as const,
    ['owner', plan.owner] as const,
    ['leaves', plan.deliverables.join(', ')] as const,
    ['context', plan.context.join(', ')] as const,
    ['notes', plan.notes] as const,
    ['meta', metaText(plan.meta)] as const,
    ['parameters', metaText(plan.params)] as const,
    ['sources', plan.sources.map(sourceEntryText).join('; ')] as const,
  ].flatMap(([name, text]) => (text ? [[name, firstLine(text)]] : []))

function firstLine(text: string): string {
  const [first = '', ...rest] = text.trim().split('\n')
  const cut = clip(first, 100, '…')
  return `${escapeForTerminal(cut)}${rest.length > 0 && cut === first ? ' …' : ''}`
}

function stepRow(step: StepView, style: Style) {
  const details = [
    step.durationMs === null ? undefined : duration(step.durationMs),
    step.commit === null ? undefined : short(step.commit),
    step.replayed === null ? undefined : `replayed from ${short(step.replayed)}`,
    step.tests === null ? undefined : `tests ${escapeForTerminal(testsText(step.tests))}`,
    notableUsage(step),
    step.claim === null ? undefined : escapeForTerminal(claimHead(step.claim)),
    step.attempt > 1 ? `attempt ${step.attempt}` : undefined,
    step.error === null ? undefined : escapeForTerminal(step.error),
    step.allowFailure && isFailure(step.status) ? 'allowed to fail' : undefined,
    step.why ?? undefined,
    step.owner === null ? undefined : `owner ${firstLine(step.owner)}`,
    step.phase ?? undefined,
    step.goal === null ? undefined : `goal ${firstLine(step.goal)}`,
    step.deliverables.length === 0 ? undefined : `leaves ${firstLine(step.deliverables.join(', '))}`,
    step.context.length === 0 ? undefined : `context ${firstLine(step.context.join(', '))}`,
    step.notes === null ? undefined : `notes ${firstLine(step.notes)}`,
    metaText(step.meta) === undefined ? undefined : `meta ${firstLine(metaText(step.meta) ?? '')}`,
  ]
  return [
    { text: signOf(step.seen, style), paint: paintStatus(step.seen, style) },
    { text: step.id, paint: style.bold },
    { text: step.seen, paint: paintStatus(step.seen, style) },
    escapeForTerminal(step.title),
    { text: details.filter((each) => each !== undefined).join(', '), paint: style.dim },
  ]
}
