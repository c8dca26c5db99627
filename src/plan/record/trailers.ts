// Commit message ↔ event. Our trailers are the last paragraph, as git reads them; nothing in subject or body can pass
// for one.

import { plainLine } from '../text/display.ts'
import { planEvents } from '../model/lifecycle.ts'
import type { PlanEventName } from '../model/lifecycle.ts'
import { isId } from '../model/ids.ts'
import type { PlanId, StepId } from '../model/ids.ts'

export interface Message {
  readonly subject: string
  readonly body: string
  /** The `Plan-*` trailers, by their name as it is written in the design. */
  readonly trailers: ReadonlyMap<string, string>
}

export interface PlanEvent {
  readonly event: PlanEventName
  readonly plan: PlanId
  readonly step?: StepId
  readonly attempt?: number
  readonly run?: string
  readonly digest?: string
  readonly reason?: string
  readonly exit?: number
  readonly durationMs?: number
  readonly approvedBy?: string
  /** Of an approval: where it comes from, and what else than the text it is bound to. */
  readonly approval?: string
  readonly base?: string
  readonly policy?: string
  /** Other files on the branch that it is for, as a digest of all of them. */
  readonly files?: string
  /** Of a review on a forge: which, and of which commit. */
  readonly review?: string
  readonly reviewed?: string
  /** The teams of the forge that this person was in, of those that the policy asks for. */
  readonly teams?: string
  /** Of a new text that only leaves steps out: the digest of the one before it, whose approvals hold on. */
  readonly replaces?: string
  /** Of a text that somebody committed on the branch: that commit, from which it was taken over. */
  readonly adopts?: string
  readonly verified?: string
  /** The check that did not hold, as `verified` would name it. */
  readonly failedCheck?: string
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

/** What a commit says it is, or undefined where it is none of ours. What it says is a claim: nothing here proves it. */
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
  return {
    event,
    plan: plan as PlanId,
    ...present('step', step as StepId | undefined),
    ...number('attempt', 'Plan-Attempt'),
    ...text('run', 'Plan-Run'),
    ...text('digest', 'Plan-Digest'),
    ...text('reason', 'Plan-Reason'),
    ...number('exit', 'Plan-Exit'),
    ...number('durationMs', 'Plan-Duration-Ms'),
    ...text('approvedBy', 'Plan-Approved-By'),
    ...text('approval', 'Plan-Approval'),
    ...text('base', 'Plan-Base'),
    ...text('policy', 'Plan-Policy'),
    ...text('files', 'Plan-Files'),
    ...text('review', 'Plan-Review'),
    ...text('reviewed', 'Plan-Reviewed'),
    ...text('teams', 'Plan-Teams'),
    ...text('replaces', 'Plan-Replaces'),
    ...text('adopts', 'Plan-Adopts'),
    ...text('verified', 'Plan-Verified'),
    ...text('failedCheck', 'Plan-Failed-Check'),
  }
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
    ['Plan-Failed-Check', event.failedCheck],
    ['Plan-Exit', event.exit],
    ['Plan-Duration-Ms', event.durationMs],
    ['Plan-Approved-By', event.approvedBy],
    ['Plan-Approval', event.approval],
    ['Plan-Base', event.base],
    ['Plan-Policy', event.policy],
    ['Plan-Files', event.files],
    ['Plan-Review', event.review],
    ['Plan-Reviewed', event.reviewed],
    ['Plan-Teams', event.teams],
    ['Plan-Replaces', event.replaces],
    ['Plan-Adopts', event.adopts],
    ['Plan-Reason', event.reason],
  ]
  return entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)] as [string, string]]))
}

const present = <K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } =>
  value === undefined ? {} : ({ [key]: value } as { [P in K]?: V })

function readTrailers(lines: readonly string[]): ReadonlyMap<string, string> | undefined {
  const trailers = new Map<string, string>()
  let last: string | undefined
  for (const line of lines) {
    const [, key, value] = /^([A-Za-z0-9-]+)[ \t]*:[ \t]*(.*)$/.exec(line) ?? []
    if (key !== undefined && value !== undefined) {
      // A hook may add trailers behind ours: the first of a name is the one that we wrote.
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

// git compares names without regard to case.
const canonical = (key: string): string => (/^(?:[A-Z][a-z0-9]*-)*[A-Z][a-z0-9]*$/.test(key) ? key : inCapitals(key))
const inCapitals = (key: string): string => key.toLowerCase().replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())

/** As a trailer has it. */
export const oneLine = (text: string): string => plainLine(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' '))

/**
 * Line feeds and tabs stay, other control characters go. Where no trailers of ours follow, a last paragraph of
 * ours-alikes is indented.
 */
function cleanBody(text: string, isLast: boolean): string {
  const clean = text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]|\p{Cs}/gu, '')
  const body = trimLines(clean.split('\n').map((line) => line.trimEnd()))
  return isLast ? body.replace(/^(?=Plan-[A-Za-z0-9-]*[ \t]*:)/gim, '> ') : body
}

/** Without the empty lines at both ends. A loop and not an expression: messages of others can be hostile. */
function trimLines(lines: readonly string[]): string {
  let start = 0
  let end = lines.length
  while (start < end && lines[start] === '') start++
  while (end > start && lines[end - 1] === '') end--
  return lines.slice(start, end).join('\n')
}
