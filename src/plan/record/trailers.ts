// Converts between commit messages and events. Our trailers are the last paragraph, as Git reads them; nothing in the
// subject or body can pass for one.

import { singleLine } from '../text/display.ts'
import { planEvents } from '../model/lifecycle.ts'
import type { PlanEventName } from '../model/lifecycle.ts'
import { namesFromText, parseCounts, type TestRecord } from '../model/test-counts.ts'
import { isId } from '../model/ids.ts'
import type { PlanId, StepId } from '../model/ids.ts'

export interface Message {
  readonly subject: string
  readonly body: string
  /** The `Plan-*` trailers, by canonical name. */
  readonly trailers: ReadonlyMap<string, string>
}

/** In ISO format with milliseconds. */
export interface Times {
  readonly startedAt: string
  readonly endedAt: string
}

export interface PlanEvent extends Partial<Times> {
  readonly event: PlanEventName
  readonly plan: PlanId
  readonly step?: StepId
  readonly attempt?: number
  readonly run?: string
  readonly digest?: string
  readonly reason?: string
  readonly exit?: number
  /** The time between start and end; earlier versions recorded it instead of them. */
  readonly durationMs?: number
  readonly approvedBy?: string
  /** For an approval: its source, and the base and policy that it is bound to besides the text. */
  readonly approval?: string
  readonly base?: string
  readonly policy?: string
  /** For an approval: a digest of the other files on the branch that it covers. */
  readonly files?: string
  /** For a review on a forge: its id and the reviewed commit. */
  readonly review?: string
  readonly reviewed?: string
  /** For a review: the forge teams required by the policy that this person was a member of. */
  readonly teams?: string
  /** For an approval by a campaign: `<address of the control repository>@<commit>`, and its proof. */
  readonly campaign?: string
  readonly campaignProof?: string
  /** For a text that only removes steps: the digest of the previous text, whose approvals stay valid. */
  readonly replaces?: string
  /** For a text that somebody committed on the branch: the commit that it was taken from. */
  readonly adopts?: string
  readonly verified?: string
  /** What proves each of these checks. */
  readonly evidence?: string
  /** The commit whose changes were applied again instead of running the step. */
  readonly replayed?: string
  /** For a failure: steps of the same wave that have changed files of this one. */
  readonly conflictsWith?: string
  /** The check that failed, named as in `verified`. */
  readonly failedCheck?: string
  /** For a step or a baseline: the numbers of its tests; for a step also those of the baseline. */
  readonly tests?: string
  readonly testsBefore?: string
  /** Names of tests that failed: for a baseline all, for a step those that had failed before. */
  readonly testsFailing?: string
  /** Processor time, most memory and output of all processes of the step. */
  readonly cpuMs?: number
  readonly peakBytes?: number
  readonly outputBytes?: number
  /** What an agent or a driver says about its work: see plan/model/claim.ts. */
  readonly claim?: string
  /** For a baseline: stands for the test command. */
  readonly testKey?: string
}

export function formatMessage(message: {
  subject: string
  body?: string
  trailers: readonly (readonly [key: string, value: string])[]
}): string {
  const trailers = message.trailers.map(([key, value]) => {
    if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(key))
      throw new TypeError(`not a trailer key: ${JSON.stringify(key.slice(0, 80))}`)
    return `${key}: ${oneLine(value)}`.trimEnd()
  })
  const body = cleanBody(message.body ?? '', trailers.length === 0)
  return `${[oneLine(message.subject) || '(no subject)', body, trailers.join('\n')].filter((part) => part !== '').join('\n\n')}\n`
}

export function parseMessage(text: string): Message {
  const lines = (text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text).trimEnd().split('\n')
  const subject = lines[0] ?? ''
  let start = lines.length
  while (start > 1 && lines[start - 1] !== '') start--
  const block = lines.slice(start)
  const read = start > 1 ? readTrailers(block) : undefined
  const trailers = read && read.size > 0 ? read : undefined
  const body = trimLines(lines.slice(1, trailers ? start : undefined))
  return { subject, body, trailers: trailers ?? new Map() }
}

/** The event that a commit claims to be, or undefined if it is not one of ours. Nothing here verifies the claim. */
export function eventOf(message: string | Message): PlanEvent | undefined {
  const { trailers } = typeof message === 'string' ? parseMessage(message) : message
  const plan = trailers.get('Plan-Id')
  const event = planEvents.find((name) => name === trailers.get('Plan-Event'))
  const step = trailers.get('Plan-Step')
  if (plan === undefined || !isId(plan) || !event || (step !== undefined && !isId(step))) return undefined
  const text = <K extends string>(key: K, name: string) => present(key, trailers.get(name))
  const number = <K extends string>(key: K, name: string) => {
    const value = trailers.get(name)
    return present(key, value !== undefined && /^-?\d{1,15}$/.test(value) ? Number(value) : undefined)
  }
  const startedAt = time(trailers.get('Plan-Started'))
  const endedAt = time(trailers.get('Plan-Ended'))
  return {
    event,
    plan: plan as PlanId,
    ...present('step', step as StepId | undefined),
    ...number('attempt', 'Plan-Attempt'),
    ...text('run', 'Plan-Run'),
    ...text('digest', 'Plan-Digest'),
    ...text('reason', 'Plan-Reason'),
    ...number('exit', 'Plan-Exit'),
    ...present('startedAt', startedAt),
    ...present('endedAt', endedAt),
    ...(startedAt === undefined || endedAt === undefined
      ? number('durationMs', 'Plan-Duration-Ms')
      : { durationMs: millisecondsBetween({ startedAt, endedAt }) }),
    ...text('approvedBy', 'Plan-Approved-By'),
    ...text('approval', 'Plan-Approval'),
    ...text('base', 'Plan-Base'),
    ...text('policy', 'Plan-Policy'),
    ...text('files', 'Plan-Files'),
    ...text('review', 'Plan-Review'),
    ...text('reviewed', 'Plan-Reviewed'),
    ...text('teams', 'Plan-Teams'),
    ...text('campaign', 'Plan-Campaign'),
    ...text('campaignProof', 'Plan-Campaign-Proof'),
    ...text('replaces', 'Plan-Replaces'),
    ...text('adopts', 'Plan-Adopts'),
    ...text('verified', 'Plan-Verified'),
    ...text('evidence', 'Plan-Evidence'),
    ...text('replayed', 'Plan-Replayed'),
    ...text('conflictsWith', 'Plan-Conflicts-With'),
    ...text('failedCheck', 'Plan-Failed-Check'),
    ...text('tests', 'Plan-Tests'),
    ...text('testsBefore', 'Plan-Tests-Before'),
    ...text('testsFailing', 'Plan-Tests-Failing'),
    ...text('testKey', 'Plan-Test-Key'),
    ...text('claim', 'Plan-Claim'),
    ...number('cpuMs', 'Plan-Cpu-Ms'),
    ...number('peakBytes', 'Plan-Peak-Bytes'),
    ...number('outputBytes', 'Plan-Output-Bytes'),
  }
}

/** The tests that an event records. */
export function testsIn({ tests, testsBefore, testsFailing }: PlanEvent): TestRecord | undefined {
  const [after, before] = [parseCounts(tests), parseCounts(testsBefore)]
  return after === undefined && before === undefined
    ? undefined
    : { after, before, failing: namesFromText(testsFailing) }
}

/** The trailers of an event, for `formatMessage`. */
export function trailersOf(event: PlanEvent): [key: string, value: string][] {
  const entries: [string, string | number | undefined][] = [
    ['Plan-Id', event.plan],
    ['Plan-Event', event.event],
    ['Plan-Step', event.step],
    ['Plan-Attempt', event.attempt],
    ['Plan-Run', event.run],
    ['Plan-Digest', event.digest],
    ['Plan-Verified', event.verified],
    ['Plan-Evidence', event.evidence],
    ['Plan-Replayed', event.replayed],
    ['Plan-Conflicts-With', event.conflictsWith],
    ['Plan-Failed-Check', event.failedCheck],
    ['Plan-Tests', event.tests],
    ['Plan-Tests-Before', event.testsBefore],
    ['Plan-Tests-Failing', event.testsFailing],
    ['Plan-Test-Key', event.testKey],
    ['Plan-Claim', event.claim],
    ['Plan-Exit', event.exit],
    ['Plan-Cpu-Ms', event.cpuMs],
    ['Plan-Peak-Bytes', event.peakBytes],
    ['Plan-Output-Bytes', event.outputBytes],
    ['Plan-Started', event.startedAt],
    ['Plan-Ended', event.endedAt],
    ['Plan-Approved-By', event.approvedBy],
    ['Plan-Approval', event.approval],
    ['Plan-Base', event.base],
    ['Plan-Policy', event.policy],
    ['Plan-Files', event.files],
    ['Plan-Review', event.review],
    ['Plan-Reviewed', event.reviewed],
    ['Plan-Teams', event.teams],
    ['Plan-Campaign', event.campaign],
    ['Plan-Campaign-Proof', event.campaignProof],
    ['Plan-Replaces', event.replaces],
    ['Plan-Adopts', event.adopts],
    ['Plan-Reason', event.reason],
  ]
  return entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)] as [string, string]]))
}

const present = <K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } =>
  value === undefined ? {} : ({ [key]: value } as { [P in K]?: V })

const time = (value: string | undefined): string | undefined =>
  value !== undefined && /^\d{4}(-\d\d){2}T\d\d(:\d\d){2}\.\d{3}Z$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined

/** The clock may have been set back meanwhile. */
export const millisecondsBetween = (times: Times): number =>
  Math.max(0, Date.parse(times.endedAt) - Date.parse(times.startedAt))

function readTrailers(lines: readonly string[]): ReadonlyMap<string, string> | undefined {
  const trailers = new Map<string, string>()
  let last: string | undefined
  for (const line of lines) {
    const [, key, value] = /^([A-Za-z0-9-]+)[ \t]*:[ \t]*(.*)$/.exec(line) ?? []
    if (key !== undefined && value !== undefined) {
      // A hook may append trailers: the first of each name is ours.
      const name = canonical(key)
      last = name.startsWith('Plan-') && !trailers.has(name) ? name : undefined
      if (last !== undefined) trailers.set(last, value.trimEnd())
    } else if (/^[ \t]/.test(line)) {
      if (last !== undefined) trailers.set(last, `${trailers.get(last)} ${line.trim()}`.trim())
    } else {
      return undefined
    }
  }
  return trailers
}

// Git compares trailer names case-insensitively.
const canonical = (key: string): string => (/^(?:[A-Z][a-z0-9]*-)*[A-Z][a-z0-9]*$/.test(key) ? key : inCapitals(key))
const inCapitals = (key: string): string => key.toLowerCase().replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())

/** The text as the value of a trailer. */
export const oneLine = (text: string): string => singleLine(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' '))

/**
 * Keeps line feeds and tabs, and removes other control characters. If no trailers follow, lines that look like our
 * trailers are quoted.
 */
function cleanBody(text: string, isLast: boolean): string {
  const clean = text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]|\p{Cs}/gu, '')
  const body = trimLines(clean.split('\n').map((line) => line.trimEnd()))
  return isLast ? body.replace(/^(?=Plan-[A-Za-z0-9-]*[ \t]*:)/gim, '> ') : body
}

/** Without the empty lines at both ends. A loop instead of an expression: a message may be hostile. */
function trimLines(lines: readonly string[]): string {
  let start = 0
  let end = lines.length
  while (start < end && lines[start] === '') start++
  while (end > start && lines[end - 1] === '') end--
  return lines.slice(start, end).join('\n')
}
