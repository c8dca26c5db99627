// Schemas of the sections `approval` and `teams` in .plans/config.yml.

import * as z from 'zod/mini'
import { exclusions, sources } from './approval-policy.ts'
import { between, duration, flag, listOf, words } from '../model/schema-types.ts'

/** `alice@example.com`, `@alice`. */
const isPerson = (text: string): boolean =>
  /^(@[A-Za-z0-9][\w.-]{0,99}(\[bot\])?|[^\s@<>]{1,100}@[^\s@<>]{1,200})$/.test(text)

export function approvalSchemas() {
  const source = z.enum(sources)
  const person = words.check(
    z.refine(isPerson, 'not an email address such as alice@example.com, or a user name on the forge such as @alice'),
  )
  const team = words.check(z.refine((text) => /^[\w][\w./-]{0,99}$/.test(text), 'not the name of a team'))
  const people = listOf(person, { most: 200 })
  const object = z.strictObject({
    from: z.optional(listOf(source, { least: 1, most: 3 })),
    count: z.optional(between(1, 20)),
    not: z.optional(listOf(z.enum(exclusions), { most: exclusions.length })),
    people: z.optional(people),
    teams: z.optional(listOf(team, { most: 50 })),
    codeowners: z.optional(flag),
  })
  const level = z.optional(z.union([z.literal('none'), source, object]))
  const approval = z.strictObject({
    low: level,
    medium: level,
    high: level,
    critical: level,
    expires: z.optional(duration),
    fixes: z.optional(z.enum(['allow', 'reapprove'])),
    removals: z.optional(z.enum(['allow', 'reapprove'])),
    result_review: z.optional(z.enum(['required', 'reviewed', 'none'])),
    effect_rollback: z.optional(people),
    bots: z.optional(listOf(person, { most: 50 })),
  })
  return { approval, teams: z.record(team, people) }
}
