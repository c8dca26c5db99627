// Values that a plan calls secrets, and what is said without them: in logs and notes, in messages of commits, in a pull request.

import type { Plan } from '../plan/plan.ts'
import { formatMessage } from '../plan/trailers.ts'
import type { Environment } from '../process/environment.ts'
import { masked } from '../process/masked.ts'
import { KnownValues, maskTokens, Redactor } from '../process/redact.ts'
import type { RunEvent } from './events.ts'

export type Mask = (text: string) => string

/** Of every step: whichever of them prints one, and whatever the plan runs besides, all have the same environment. */
export function knownValues(plan: Plan, env: Environment): KnownValues {
  const names = new Set(plan.steps.flatMap(({ secrets }) => secrets))
  return new KnownValues([...names].flatMap((name) => env[name] ?? []))
}

export function maskWith(values: KnownValues): Mask {
  const redactor = new Redactor(values)
  return (text) => redactor.text(text)
}

export const maskOf = (plan: Plan, env: Environment): Mask => maskWith(knownValues(plan, env))

/** What of an event is text: a value that happens to be the name of a step does not take the name away. */
const texts: ReadonlySet<string> = new Set(['title', 'message', 'detail', 'command', 'hint', 'what', 'name'])

export const maskedEvent = (event: RunEvent, mask: Mask): RunEvent => (event.kind === 'output' ? event : masked(event, mask, texts))

/** Trailers that quote somebody. All others are read by us again, and hold nothing but our own words. */
const free: ReadonlySet<string> = new Set(['Plan-Reason', 'Plan-Verified', 'Plan-Failed-Check'])

/** The message of a commit or a tag. Also as it is in the end: what was taken out of the text may have stood in the middle of a token. */
export function maskedMessage(mask: Mask, { subject, body, trailers }: Parameters<typeof formatMessage>[0]): string {
  return maskTokens(
    formatMessage({
      subject: mask(subject),
      ...(body === undefined ? {} : { body: mask(body) }),
      trailers: trailers.map(([key, value]) => [key, free.has(key) ? mask(value) : value] as const),
    }),
  )
}
