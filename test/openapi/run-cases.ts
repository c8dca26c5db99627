// Every case against one description, each with a client of its own.

import { isDeepStrictEqual } from 'node:util'
import { PlanError } from '../../src/errors.ts'
import { openForge, type ForgeRepository } from '../../src/remote/forge/forge.ts'
import type { Cases } from './cases.ts'
import { Front, type FrontOptions, type Seen } from './front.ts'
import { giteaCases } from './gitea-cases.ts'
import { githubCases } from './github-cases.ts'

export { filled } from './gitea-cases.ts'

export interface Found {
  readonly seen: readonly Seen[]
  readonly cases: number
  /** Answers that were not read as they should be. */
  readonly misread: readonly string[]
}

const all: Readonly<Record<'github' | 'gitea', Cases>> = { github: githubCases, gitea: giteaCases }

export async function runCases(
  kind: 'github' | 'gitea',
  repository: { owner: string; name: string },
  options: FrontOptions,
): Promise<Found> {
  const front = await Front.start(options)
  const forgeRepo: ForgeRepository = { kind, host: front.host, ...repository, api: front.api }
  const misread: string[] = []
  let cases = 0
  try {
    for (const [operation, list] of Object.entries(all[kind]))
      for (const { name, ask, gives, ...wishes } of list) {
        cases += 1
        front.wishes = wishes
        const forge = await openForge(forgeRepo, { token: 'a-token', limits: { backOffMs: 1, tries: 1 } })
        const given = await ask(forge).catch((error: unknown) =>
          error instanceof PlanError ? { code: error.code, message: error.message, facts: error.facts } : error,
        )
        if (!includes(given, gives))
          misread.push(
            `${operation}, ${name}: ${JSON.stringify(given) ?? String(given)}, and not ${JSON.stringify(gives)}`,
          )
      }
    return { seen: [...front.seen], cases, misread }
  } finally {
    await front.close()
  }
}

/** Requests that nobody could mean. Where one of them is called fit, the rest says nothing. */
export async function overlooked(
  options: FrontOptions,
  wrong: readonly { method: string; path: string; body?: object }[],
): Promise<string[]> {
  const front = await Front.start(options)
  const headers = { 'content-type': 'application/json', authorization: 'token x' }
  for (const { method, path, body } of wrong)
    await fetch(`${front.api}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  await front.close()
  return front.seen.flatMap(({ request, problems }) => (problems.length === 0 ? [request] : []))
}

/** Whether all that is in `part` is so in `whole`. */
function includes(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return isDeepStrictEqual(whole, part)
  if (typeof whole !== 'object' || whole === null) return false
  if (Array.isArray(part) && (!Array.isArray(whole) || whole.length !== part.length)) return false
  return Object.entries(part).every(([key, value]) => includes((whole as Record<string, unknown>)[key], value))
}
