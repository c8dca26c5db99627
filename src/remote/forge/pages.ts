// Finds the next page in the Link header of an answer.

import type { ForgeRepository } from './forge.ts'

/** At a hundred reviews per page, a forge with more pages only wants to keep us busy. */
export const maxPages = 100

/**
 * Always on our own address of the forge, whatever host the link names: behind a proxy it may name an internal one. A
 * wrong link then ends in an error, not in a truncated list.
 */
export function nextPage(link: string | null | undefined, forgeRepo: ForgeRepository): string | undefined {
  const target = /<([^<>]+)>\s*;[^<]*\brel="?next"?/.exec(link ?? '')?.[1]
  if (target === undefined) return undefined
  const { origin } = new URL(forgeRepo.api)
  const { pathname, search } = new URL(target, forgeRepo.api)
  // octokit takes a name after a colon for a parameter.
  return `${origin}${`${pathname}${search}`.replaceAll(':', '%3A')}`
}
