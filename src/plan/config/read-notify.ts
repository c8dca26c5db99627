// Validates who is notified about a plan: the section of the policy, and the keys in git config.

import * as z from 'zod/mini'
import { command, flag, listOf, textWithout, uncompiled } from '../model/schema-types.ts'
import { parseDuration } from '../model/ids.ts'
import { isAddress, newsKinds, variableIn, type NotifyEntries } from './notify.ts'

const longestMs = 30_000

const address = () =>
  textWithout((text) =>
    isAddress(text) || variableIn(text) !== undefined
      ? undefined
      : 'not a URL such as https://example.com/hook, nor a variable such as $PLAN_WEBHOOK',
  )
const secret = () =>
  textWithout((text) =>
    variableIn(text) === undefined
      ? 'name the environment variable that contains it, such as $PLAN_SECRET: everybody can read this file'
      : undefined,
  )
const patience = () =>
  textWithout((text) => ((parseDuration(text) ?? Infinity) > longestMs ? 'not a duration of at most 30s' : undefined))

export const notifySchema = () =>
  z.strictObject({
    on: z.optional(listOf(z.enum(newsKinds), { most: newsKinds.length })),
    bell: z.optional(flag),
    desktop: z.optional(flag),
    command: z.optional(command),
    webhook: z.optional(address()),
    slack: z.optional(address()),
    secret: z.optional(secret()),
    timeout: z.optional(patience()),
  })

/** Values of git config, by key. A value that is not valid has no effect; its key is in `invalid`. */
export function readOwnNotify(
  values: ReadonlyMap<string, string>,
  boolOf: (text: string) => boolean | undefined,
): { readonly entries: NotifyEntries; readonly invalid: readonly string[] } {
  const shape: Readonly<Record<string, z.ZodMiniType>> = notifySchema().shape
  const typed = [...values].map(([key, text]): [string, unknown] => {
    if (key === 'on') return [key, text.split(/[\s,]+/).filter((each) => each !== '')]
    return [key, ['bell', 'desktop'].includes(key) ? boolOf(text) : text]
  })
  // Nobody else reads git config, so the key itself may be there.
  const isValid = ([key, value]: [string, unknown]): boolean =>
    value !== undefined && (key === 'secret' ? value !== '' : shape[key]?.safeParse(value, uncompiled).success === true)
  return {
    entries: Object.fromEntries(typed.filter(isValid)),
    invalid: typed.filter((each) => !isValid(each)).map(([key]) => key),
  }
}
