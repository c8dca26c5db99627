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
  /** For a proposal: the plan that it is a copy of, and its tip. */
  readonly clonedFrom?: string
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
  /** For counting afterwards: the risk of the plan, the verb of the step, and the template of a proposal. */
  readonly risk?: string
  readonly verb?: string
  readonly template?: string
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
  const whole = trimmed(text)
  const trailers = readLastParagraph(whole)
  const lines = whole.slice(0, trailers.size > 0 ? whole.lastIndexOf('\n\n') : undefined).split('\n')
  return { subject: lines[0] ?? '', body: trimLines(lines.slice(1)), trailers }
}

/** Without the rest of the message. */
export const parseTrailers = (text: string): Message['trailers'] => readLastParagraph(trimmed(text))

const trimmed = (text: string): string => (text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text).trimEnd()

function readLastParagraph(whole: string): Message['trailers'] {
  const start = whole.lastIndexOf('\n\n')
  return (start < 0 ? undefined : readTrailers(whole.slice(start + 2).split('\n'))) ?? new Map<string, string>()
}

/** The event that a commit claims to be, or undefined if it is not one of ours. Nothing here verifies the claim. */
export function eventOf(message: string | Pick<Message, 'trailers'>): PlanEvent | undefined {
  const trailers = typeof message === 'string' ? parseTrailers(message) : message.trailers
  const plan = trailers.get('Plan-Id')
  const event = planEvents.find((name) => name === trailers.get('Plan-Event'))
  const step = trailers.get('Plan-Step')
  if (plan === undefined || !isId(plan) || !event || (step !== undefined && !isId(step))) return undefined
  const startedAt = time(trailers.get('Plan-Started'))
  const endedAt = time(trailers.get('Plan-Ended'))
  // All events of a repository are read at once: copying an object per trailer would take most of the time.
  const read: Record<string, string | number> = {}
  for (const [key, name] of texts) {
    const value = trailers.get(name)
    if (value !== undefined) read[key] = value
  }
  for (const [key, name] of numbers) {
    const value = trailers.get(name)
    if (value !== undefined && /^-?\d{1,15}$/.test(value)) read[key] = Number(value)
  }
  if (step !== undefined) read['step'] = step
  if (startedAt !== undefined) read['startedAt'] = startedAt
  if (endedAt !== undefined) read['endedAt'] = endedAt
  if (startedAt !== undefined && endedAt !== undefined) read['durationMs'] = millisecondsBetween({ startedAt, endedAt })
  return { ...(read as Partial<PlanEvent>), event, plan: plan as PlanId }
}

const texts = [
  ['run', 'Plan-Run'],
  ['digest', 'Plan-Digest'],
  ['reason', 'Plan-Reason'],
  ['approvedBy', 'Plan-Approved-By'],
  ['approval', 'Plan-Approval'],
  ['base', 'Plan-Base'],
  ['policy', 'Plan-Policy'],
  ['files', 'Plan-Files'],
  ['review', 'Plan-Review'],
  ['reviewed', 'Plan-Reviewed'],
  ['teams', 'Plan-Teams'],
  ['campaign', 'Plan-Campaign'],
  ['campaignProof', 'Plan-Campaign-Proof'],
  ['replaces', 'Plan-Replaces'],
  ['clonedFrom', 'Plan-Cloned-From'],
  ['adopts', 'Plan-Adopts'],
  ['verified', 'Plan-Verified'],
  ['evidence', 'Plan-Evidence'],
  ['replayed', 'Plan-Replayed'],
  ['conflictsWith', 'Plan-Conflicts-With'],
  ['failedCheck', 'Plan-Failed-Check'],
  ['tests', 'Plan-Tests'],
  ['testsBefore', 'Plan-Tests-Before'],
  ['testsFailing', 'Plan-Tests-Failing'],
  ['testKey', 'Plan-Test-Key'],
  ['claim', 'Plan-Claim'],
  ['risk', 'Plan-Risk'],
  ['verb', 'Plan-Verb'],
  ['template', 'Plan-Template'],
] as const satisfies readonly (readonly [keyof PlanEvent, string])[]

const numbers = [
  ['attempt', 'Plan-Attempt'],
  ['exit', 'Plan-Exit'],
  ['durationMs', 'Plan-Duration-Ms'],
  ['cpuMs', 'Plan-Cpu-Ms'],
  ['peakBytes', 'Plan-Peak-Bytes'],
  ['outputBytes', 'Plan-Output-Bytes'],
] as const satisfies readonly (readonly [keyof PlanEvent, string])[]

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
    ['Plan-Verb', event.verb],
    ['Plan-Attempt', event.attempt],
    ['Plan-Run', event.run],
    ['Plan-Digest', event.digest],
    ['Plan-Template', event.template],
    ['Plan-Risk', event.risk],
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
    ['Plan-Cloned-From', event.clonedFrom],
    ['Plan-Adopts', event.adopts],
    ['Plan-Reason', event.reason],
  ]
  return entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)] as [string, string]]))
}

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
