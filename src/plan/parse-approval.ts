// The sections `approval` and `teams` of .plans/config.yml, judged.

import * as z from 'zod'
import { exclusions, sources } from './approval-policy.ts'
import { duration, flag, words } from './common.ts'

/** `alice@example.com`, `@alice`. */
const isPerson = (text: string): boolean => /^(@[A-Za-z0-9][\w.-]{0,99}(\[bot\])?|[^\s@<>]{1,100}@[^\s@<>]{1,200})$/.test(text)

export function approvalSchemas() {
  const source = z.enum(sources)
  const person = words.refine(isPerson, { message: 'not an address such as alice@example.com, or a name on the forge such as @alice' })
  const team = words.refine((text) => /^[\w][\w./-]{0,99}$/.test(text), { message: 'not the name of a team' })
  const people = z.array(person).max(200)
  const object = z.strictObject({
    from: z.array(source).min(1).max(3).optional(),
    count: z.int().min(1).max(20).optional(),
    not: z.array(z.enum(exclusions)).max(exclusions.length).optional(),
    people: people.optional(),
    teams: z.array(team).max(50).optional(),
    codeowners: flag.optional(),
  })
  const level = z.union([z.literal('none'), source, object]).optional()
  const approval = z.strictObject({
    low: level,
    medium: level,
    high: level,
    critical: level,
    expires: duration.optional(),
    fixes: z.enum(['allow', 'reapprove']).optional(),
    removals: z.enum(['allow', 'reapprove']).optional(),
    result_review: z.enum(['required', 'reviewed', 'none']).optional(),
    effect_rollback: people.optional(),
    bots: z.array(person).max(50).optional(),
  })
  return { approval, teams: z.record(team, people) }
}
