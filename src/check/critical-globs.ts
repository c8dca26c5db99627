// Paths that the configuration calls critical, as globs. Apart from risk.ts: whoever has none need not load a package for them.

import picomatch from 'picomatch'

/** The globs that a path, or a glob of what may change, meets. A glob meets another where one of them could name something below the other. */
export function criticalGlobs(patterns: readonly string[], path: string): string[] {
  const { isGlob, base } = picomatch.scan(path)
  return patterns.filter((pattern) => {
    const matches = picomatch(pattern, { dot: true, nocase: true })
    if (!isGlob) return matches(path) || isAbove(path, picomatch.scan(pattern).base)
    const own = picomatch.scan(pattern).base
    return own === '' || base === '' || isAbove(base, own) || isAbove(own, base)
  })
}

/** Deleting a directory deletes what is in it. */
const isAbove = (above: string, below: string): boolean => {
  const [one, other] = [above.toLowerCase(), below.toLowerCase()]
  return one !== '' && (one === other || other.startsWith(`${one}/`))
}
