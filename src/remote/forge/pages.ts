// The next page, from the links that an answer has in its header.

import type { Place } from './forge.ts'

/** A hundred reviews a page: whoever has more wants to keep us busy. */
export const mostPages = 100

/**
 * On our own address of the forge, whatever host the link names: behind a proxy it may name an inner one. What is no
 * page there ends as an error, and not as the last page.
 */
export function nextPage(link: string | null | undefined, place: Place): string | undefined {
  const target = /<([^<>]+)>\s*;[^<]*\brel="?next"?/.exec(link ?? '')?.[1]
  if (target === undefined) return undefined
  const { origin } = new URL(place.api)
  const { pathname, search } = new URL(target, place.api)
  // octokit takes a name after a colon for a parameter.
  return `${origin}${`${pathname}${search}`.replaceAll(':', '%3A')}`
}
