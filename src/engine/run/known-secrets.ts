// Values that a plan declares as secrets, and masking them: in logs and notes, commit messages and pull requests.

import type { Plan } from '../../plan/model/plan.ts'
import { formatMessage } from '../../plan/record/trailers.ts'
import type { Environment } from '../../process/environment.ts'
import { maskValues } from '../../secrets/masked.ts'
import { KnownValues, maskTokens, Redactor } from '../../secrets/mask.ts'
import type { RunEvent } from './events.ts'

export type Mask = (text: string) => string

/** The secrets of all steps, since every command of the plan gets the same environment. */
function knownValues(plan: Plan, env: Environment): KnownValues {
  const names = new Set(plan.steps.flatMap(({ secrets }) => secrets))
  return new KnownValues([...names].flatMap((name) => env[name] ?? []))
}

export const maskOf = (plan: Plan, env: Environment): Mask => new KnownSecrets(env).of(plan).mask

/** Caches the values of one plan, whose text hardly ever changes. */
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

/** The text fields of an event. Others stay: a secret that equals the name of a step must not mask the name. */
const textKeys: ReadonlySet<string> = new Set(['title', 'message', 'detail', 'command', 'hint', 'what', 'name'])

export const maskEvent = (event: RunEvent, mask: Mask): RunEvent =>
  event.kind === 'output' ? event : maskValues(event, mask, textKeys)

/** Trailers with quoted text. We parse all others again, and they contain only our own words. */
const freeTextTrailers: ReadonlySet<string> = new Set([
  'Plan-Reason',
  'Plan-Claim',
  'Plan-Verified',
  'Plan-Failed-Check',
])

/** The message of a commit or a tag. Masked again as a whole: removing a value may have joined the parts of a token. */
export function maskMessage(mask: Mask, { subject, body, trailers }: Parameters<typeof formatMessage>[0]): string {
  return maskTokens(
    formatMessage({
      subject: mask(subject),
      ...(body === undefined ? {} : { body: mask(body) }),
      trailers: trailers.map(([key, value]) => [key, freeTextTrailers.has(key) ? mask(value) : value] as const),
    }),
  )
}
