// Values that a plan calls secrets, and what is said without them: in logs and notes, in messages of commits, in a pull
// request.

import type { Plan } from '../../plan/model/plan.ts'
import { formatMessage } from '../../plan/record/trailers.ts'
import type { Environment } from '../../process/environment.ts'
import { maskValues } from '../../secrets/masked.ts'
import { KnownValues, maskTokens, Redactor } from '../../secrets/mask.ts'
import type { RunEvent } from './events.ts'

export type Mask = (text: string) => string

/** Of every step: whichever of them prints one, and whatever the plan runs besides, all have the same environment. */
function knownValues(plan: Plan, env: Environment): KnownValues {
  const names = new Set(plan.steps.flatMap(({ secrets }) => secrets))
  return new KnownValues([...names].flatMap((name) => env[name] ?? []))
}

export const maskOf = (plan: Plan, env: Environment): Mask => new KnownSecrets(env).of(plan).mask

/** For a plan that is asked about again and again, and whose text hardly ever changes. */
export class KnownSecrets {
  readonly #env: Environment
  #last: { readonly digest: string; readonly values: KnownValues; readonly mask: Mask } | undefined

  constructor(env: Environment) {
    this.#env = env
  }

  of(plan: Plan): { readonly values: KnownValues; readonly mask: Mask } {
    if (this.#last?.digest === plan.digest) return this.#last
    const values = knownValues(plan, this.#env)
    const redactor = new Redactor(values)
    this.#last = { digest: plan.digest, values, mask: (text) => redactor.text(text) }
    return this.#last
  }
}

/** What of an event is text: a value that happens to be the name of a step does not take the name away. */
const texts: ReadonlySet<string> = new Set(['title', 'message', 'detail', 'command', 'hint', 'what', 'name'])

export const maskedEvent = (event: RunEvent, mask: Mask): RunEvent =>
  event.kind === 'output' ? event : maskValues(event, mask, texts)

/** Trailers that quote somebody. All others are read by us again, and hold nothing but our own words. */
const free: ReadonlySet<string> = new Set(['Plan-Reason', 'Plan-Verified', 'Plan-Failed-Check'])

/**
 * The message of a commit or a tag. Also as it is in the end: what was taken out of the text may have stood in the
 * middle of a token.
 */
export function maskedMessage(mask: Mask, { subject, body, trailers }: Parameters<typeof formatMessage>[0]): string {
  return maskTokens(
    formatMessage({
      subject: mask(subject),
      ...(body === undefined ? {} : { body: mask(body) }),
      trailers: trailers.map(([key, value]) => [key, free.has(key) ? mask(value) : value] as const),
    }),
  )
}
