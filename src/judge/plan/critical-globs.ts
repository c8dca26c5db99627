// Paths that the configuration declares critical, as globs.
import { globBase, globMatcher, isGlob } from '../../plan/text/glob.ts'

/**
 * The configured globs that a path or glob meets. Two globs meet if one could match something below the other's base. A
 * deleted path also meets globs below it, since it may be a directory.
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

/** Deleting a directory deletes its contents. */
const isAbove = (above: string, below: string): boolean => {
  const [one, other] = [above.toLowerCase(), below.toLowerCase()]
  return one !== '' && (one === other || other.startsWith(`${one}/`))
}
