// What a reader of a report wants to know first, and last: what happened that was not planned, who has to judge what,
// and what comes next. Plain text; the printer escapes it.

import { isFailure } from '../plan/model/step-status.ts'
import { countsText, someNames, type TestRecord } from '../plan/model/test-counts.ts'
import { count } from '../plan/text/display.ts'
import { preflightChecks, skippedChecksRemark } from '../plan/model/preflight-checks.ts'
import { driverName } from '../plan/agents/names.ts'
import { agentOf } from '../plan/verbs/index.ts'
import type { Plan } from '../plan/model/plan.ts'
import type { HandWork } from '../store/by-hand.ts'
import type { RecordedEvent } from '../store/history.ts'
import type { CheckView } from './checks.ts'
import type { PlanSummary } from './plan-view.ts'
import { bytesText, costText } from './step-results.ts'

/** A highlight: about a step, or about the plan. */
export interface Highlight {
  readonly kind: 'regression' | 'tests' | 'criteria' | 'check' | 'step' | 'by-hand' | 'agents' | 'resources' | 'effects'
  readonly text: string
}

export interface PreflightView {
  /** The name of a built-in check, or a command of the plan. */
  readonly check: string
  readonly kind: 'built-in' | 'command'
  /** `passed`: a step ran, and none runs before. */
  readonly result: 'passed' | 'skipped' | 'pending'
  readonly detail: string | null
}

/** Things that are still to be done or answered. */
export interface Outlook {
  readonly steps: readonly {
    readonly id: string
    readonly title: string
    readonly owner: string | null
    readonly why: string | null
  }[]
  /** Criteria that a person has to judge. */
  readonly judge: readonly { readonly step: string | null; readonly criterion: string }[]
  readonly questions: readonly { readonly step: string; readonly question: string }[]
  readonly notes: readonly { readonly step: string; readonly note: string }[]
}

interface Facts {
  readonly plan: PlanSummary
  readonly checks: readonly CheckView[]
  readonly byHand: readonly HandWork[]
}

export const highlightsOf = (facts: Facts): Highlight[] =>
  [regressions, tests, criteria, failedChecks, unfinishedSteps, handWork, agents, resources, effects].flatMap((find) =>
    find(facts),
  )

const highlight = (kind: Highlight['kind'], text: string): Highlight => ({ kind, text })

function regressions({ plan }: Facts): Highlight[] {
  return plan.attempts.flatMap(({ step, number, brokenTests }) => {
    if (brokenTests.length === 0) return []
    const now = plan.steps.find(({ id }) => id === step)
    const since = now?.status === 'done' ? `; done in attempt ${now.attempt}` : ''
    const what =
      brokenTests.length === 1 ? 'a test that passed before' : `${brokenTests.length} tests that passed before`
    return [
      highlight(
        'regression',
        `a regression was stopped: ${step}, attempt ${number}, broke ${what}: ${someNames(brokenTests)}${since}`,
      ),
    ]
  })
}

/** Of the last step that counted all of them, or else of the last that counted any. */
function tests({ plan }: Facts): Highlight[] {
  const counted = plan.steps.flatMap(({ id, status, tests: found }) =>
    status === 'done' && found?.after !== undefined ? [{ id, ...found, after: found.after }] : [],
  )
  const last = counted.at(-1)
  if (last === undefined) return []
  const before =
    last.before === undefined ? 'not counted before the plan' : `${countsText(last.before)} before the plan`
  const repaired = last.before === undefined ? 0 : last.before.failed - last.failing.length
  const old = last.failing.length === 0 ? '' : `; ${last.failing.length} failed before and still do`
  const fixed = repaired > 0 ? `; ${count(repaired, 'failure')} from before ${repaired === 1 ? 'is' : 'are'} gone` : ''
  const skipped = newlySkipped(last)
  return [
    highlight('tests', `tests: ${before}; ${countsText(last.after)} after ${last.id}${fixed}${old}`),
    ...(skipped === 0
      ? []
      : [highlight('tests', `${count(skipped, 'test')} that ran before ${skipped === 1 ? 'is' : 'are'} skipped`)]),
  ]
}

/** At least as many: new tests may hide more. */
const newlySkipped = ({ before, after }: Pick<TestRecord, 'before' | 'after'>): number =>
  before === undefined || after === undefined
    ? 0
    : Math.max(0, Math.min(after.skipped - before.skipped, before.run - after.run))

const isOpenCriterion = ({ kind, result }: CheckView): boolean => kind === 'criteria' && result === 'unproven'

function criteria({ checks }: Facts): Highlight[] {
  const all = checks.filter(({ kind }) => kind === 'criteria')
  if (all.length === 0) return []
  const held = all.filter(({ result }) => result === 'held').length
  const open = all.filter(isOpenCriterion).length
  const failed = all.filter(({ result }) => result === 'failed').length
  const lost = all.filter(({ result }) => result === 'not-recorded').length
  const rest = all.length - held - open - failed - lost
  const parts = [
    `${held} of ${all.length} verified`,
    ...(open === 0 ? [] : [`${open} ${open === 1 ? 'waits' : 'wait'} for a person`]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(lost === 0 ? [] : [`${lost} of steps that failed`]),
    ...(rest === 0 ? [] : [`${rest} not looked at yet`]),
  ]
  return [highlight('criteria', `criteria: ${parts.join(', ')}`)]
}

/** `unfinishedSteps` names failures that are allowed. */
const failedChecks = ({ plan, checks }: Facts): Highlight[] =>
  checks
    .filter(
      ({ step, result }) => result === 'failed' && !plan.steps.some((each) => each.id === step && isAllowed(each)),
    )
    .map(({ step, check, detail }) =>
      highlight(
        'check',
        `failed: ${step ?? 'the plan'}: ${check}${detail === null || detail.includes(check) ? '' : `: ${detail}`}`,
      ),
    )

const isAllowed = ({ status, allowFailure }: Pick<PlanSummary['steps'][number], 'status' | 'allowFailure'>): boolean =>
  isFailure(status) && allowFailure

const unfinishedSteps = ({ plan }: Facts): Highlight[] =>
  plan.steps.flatMap(({ id, status, allowFailure, error }) => {
    if (status === 'skipped') return [highlight('step', `${id} was skipped`)]
    return isAllowed({ status, allowFailure })
      ? [highlight('step', `${id} failed, which is allowed: ${error ?? status}`)]
      : []
  })

const handNouns: Readonly<Record<HandWork['kind'], string>> = {
  fix: 'fix',
  commit: 'commit',
  text: 'plan text',
  declared: 'step declared done',
  gate: 'gate answered',
  skipped: 'step skipped',
}

function handWork({ byHand, plan }: Facts): Highlight[] {
  const numbers = new Map<HandWork['kind'], number>()
  for (const { kind } of byHand) numbers.set(kind, (numbers.get(kind) ?? 0) + 1)
  const parts = [...numbers].map(([kind, number]) => {
    const [noun = '', ...rest] = handNouns[kind].split(' ')
    return [number, number === 1 ? noun : noun === 'fix' ? 'fixes' : `${noun}s`, ...rest].join(' ')
  })
  const rollbacks = plan.rollbacks.filter(({ event }) => event === 'rollback').length
  const all = [...parts, ...(rollbacks === 0 ? [] : [count(rollbacks, 'rollback')])]
  return all.length === 0 ? [] : [highlight('by-hand', `by hand: ${all.join(', ')}`)]
}

/** Refused attempts took turns and money too. */
function agents({ plan }: Facts): Highlight[] {
  const claims = [
    ...plan.steps.flatMap(({ id, claim, error }) => (claim === null || error !== null ? [] : [{ step: id, claim }])),
    ...plan.attempts.flatMap(({ step, claim }) => (claim === null ? [] : [{ step, claim }])),
  ]
  const names = [...new Set(claims.map(({ claim }) => claim.by))]
  const each = names.map((name) => {
    const own = claims.filter(({ claim }) => claim.by === name)
    const sum = (key: 'turns' | 'costUsd'): number => own.reduce((total, { claim }) => total + (claim[key] ?? 0), 0)
    const steps = [...new Set(own.map(({ step }) => step))]
    const used = [
      ...(own.length > steps.length ? [count(own.length, 'attempt')] : []),
      ...(sum('turns') === 0 ? [] : [count(sum('turns'), 'turn')]),
      ...(sum('costUsd') === 0 ? [] : [costText(sum('costUsd'))]),
    ]
    return `${name} (${[steps.join(', '), ...used].join('; ')})`
  })
  return each.length === 0 ? [] : [highlight('agents', `agents and drivers: ${each.join(', ')}`)]
}

function resources({ plan }: Facts): Highlight[] {
  const cpuMs = plan.steps.reduce((sum, step) => sum + (step.cpuMs ?? 0), 0)
  const peak = plan.steps.toSorted((a, b) => (b.peakBytes ?? 0) - (a.peakBytes ?? 0))[0]
  const parts = [
    ...(cpuMs === 0 ? [] : [`${(cpuMs / 1000).toFixed(1)} s of processor time`]),
    ...(peak === undefined || peak.peakBytes === null
      ? []
      : [`at most ${bytesText(peak.peakBytes)} of memory (${peak.id})`]),
  ]
  return parts.length === 0 ? [] : [highlight('resources', `resources: ${parts.join(', ')}`)]
}

const effects = ({ plan }: Facts): Highlight[] =>
  plan.effects.length === 0
    ? []
    : [
        highlight(
          'effects',
          `external effects: ${plan.effects.map(({ step, state }) => `${step} ${state}`).join(', ')}`,
        ),
      ]

export function preflightOf(plan: Plan, events: readonly RecordedEvent[]): PreflightView[] {
  const begun = events.filter(({ event, step }) => step !== undefined && (event === 'step' || event === 'failed'))
  const skipped = new Set(
    begun.flatMap(({ body }) =>
      body
        .split('\n')
        .flatMap((line) =>
          line.startsWith(skippedChecksRemark) ? line.slice(skippedChecksRemark.length).split(', ') : [],
        ),
    ),
  )
  const needs: Readonly<Partial<Record<(typeof preflightChecks)[number], readonly string[]>>> = {
    tools: plan.requires,
    agents: [...new Set(plan.steps.flatMap((step) => agentOf(step)?.agent ?? []))].filter(
      (name) => name !== driverName,
    ),
  }
  const isDesignFirst = plan.steps[0]?.phase === 'design'
  const resultOf = (name: string): PreflightView['result'] =>
    skipped.has(name) ? 'skipped' : begun.length === 0 ? 'pending' : 'passed'
  const builtIn = preflightChecks
    .filter((name) => name !== 'commands' && needs[name]?.length !== 0)
    .map((name): PreflightView => ({
      check: name,
      kind: 'built-in',
      result: resultOf(name),
      detail: needs[name]?.join(', ') ?? null,
    }))
  const commands = plan.preflight.map((command): PreflightView => ({
    check: command,
    kind: 'command',
    result: isDesignFirst ? 'skipped' : resultOf('commands'),
    detail: isDesignFirst ? 'the plan begins with a design step' : null,
  }))
  return [...builtIn, ...commands]
}

export function outlookOf({ plan, checks }: Pick<Facts, 'plan' | 'checks'>): Outlook {
  const isOver = ['cancelled', 'rejected', 'merged', 'completed'].includes(plan.seen)
  const claims = plan.steps.flatMap(({ id, claim, status }) =>
    claim === null || status !== 'done' ? [] : [{ id, claim }],
  )
  return {
    steps: isOver
      ? []
      : plan.steps
          .filter((step) => step.status !== 'done' && step.status !== 'skipped' && !isAllowed(step))
          .map(({ id, title, owner, why, question, status }) => ({
            id,
            title,
            owner,
            why: status === 'waiting' && question !== null && question.trim() !== title ? question.trim() : why,
          })),
    judge: checks.filter(isOpenCriterion).map(({ step, check }) => ({ step, criterion: check })),
    questions: claims.flatMap(({ id, claim }) => claim.questions.map((question) => ({ step: id, question }))),
    notes: claims.flatMap(({ id, claim }) => (claim.notes === '' ? [] : [{ step: id, note: claim.notes }])),
  }
}
