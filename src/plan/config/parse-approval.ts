// Schemas of the sections `approval`, `teams` and `campaigns` in .plans/config.yml.

import * as z from 'zod/mini'
import { allSources, exclusions, sources } from './approval-policy.ts'
import { between, duration, flag, listOf, repoPath, words } from '../model/schema-types.ts'

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
  const campaignName = words.check(z.refine((text) => /^[\w][\w.-]{0,99}$/.test(text), 'not the name of a campaign'))
  const object = z
    .strictObject({
      from: z.optional(listOf(z.enum(allSources), { least: 1, most: allSources.length })),
      count: z.optional(between(1, 20)),
      not: z.optional(listOf(z.enum(exclusions), { most: exclusions.length })),
      people: z.optional(people),
      teams: z.optional(listOf(team, { most: 50 })),
      codeowners: z.optional(flag),
      campaigns: z.optional(listOf(campaignName, { least: 1, most: 50 })),
    })
    .check(
      z.refine(
        ({ from, campaigns }) => (from?.includes('campaign') === true) === (campaigns !== undefined),
        '`from: [campaign]` and `campaigns` need each other',
      ),
    )
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
  const campaign = z.strictObject({
    repository: words,
    signers: repoPath,
    expires: z.optional(duration),
    bases: z.optional(listOf(words, { most: 100 })),
    address: z.optional(words),
  })
  return { approval, teams: z.record(team, people), campaigns: z.record(campaignName, campaign) }
}
