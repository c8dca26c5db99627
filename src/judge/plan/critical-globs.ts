// Paths that the configuration calls critical, as globs.
import { globBase, globMatcher, isGlob } from '../../plan/text/glob.ts'

/**
 * The globs that a path, or a glob of what may change, meets. A glob meets another where one of them could name
 * something below the other; so does a path that goes away, which may be a directory.
 */
export function criticalGlobs(
  patterns: readonly string[],
  path: string,
  { isLeaving }: { isLeaving: boolean },
): string[] {
  const base = globBase(path)
  return patterns.filter((pattern) => {
    if (globMatcher([pattern.toLowerCase()])(path.toLowerCase())) return true
    const own = globBase(pattern)
    if (!isGlob(path)) return isLeaving && (own === '' || isAbove(path, own))
    return own === '' || base === '' || isAbove(base, own) || isAbove(own, base)
  })
}

/** Deleting a directory deletes what is in it. */
const isAbove = (above: string, below: string): boolean => {
  const [one, other] = [above.toLowerCase(), below.toLowerCase()]
  return one !== '' && (one === other || other.startsWith(`${one}/`))
}
