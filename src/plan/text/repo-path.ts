// Validates paths inside the repository. This is the first gate; the executor checks the tree again and follows no
// symlinks.

import { hasHidden } from './display.ts'
import { unsupportedGlob } from './glob.ts'

/** The problem with a path inside the repository, or undefined. */
export function pathProblem(text: string): string | undefined {
  if (text === '') return 'a path cannot be empty'
  if (text.length > 4096) return 'the path is longer than 4096 characters'
  if (hasHidden(text)) return 'the path contains control, bidirectional or zero-width characters'
  if (text.startsWith('-')) return 'a path cannot begin with `-`, which would be read as an option'
  if (text.includes('\\')) return 'the path contains a backslash; write `/` between its parts'
  if (text.startsWith('/') || /^[A-Za-z]:/.test(text))
    return 'the path is absolute; it must be relative to the top of the repository'
  for (const part of text.split('/')) {
    const problem = partProblem(part)
    if (problem) return problem
  }
  return undefined
}

/** The same for a glob in `files`. */
export function globProblem(text: string): string | undefined {
  if (text.startsWith('!')) return 'a glob cannot begin with `!`; name what the step may change'
  return pathProblem(text) ?? unsupportedGlob(text)
}

function partProblem(part: string): string | undefined {
  if (part === '') return 'the path has an empty part (`//`, or `/` at its end)'
  if (part === '.' || part === '..') return `the path must not contain \`${part}\``
  if (isGitDirectory(part)) return `the path must not be inside the git directory: \`${part}\``
  if (/[. ]$/.test(part)) return 'a part of the path ends with a dot or a space'
  return undefined
}

// Windows drops streams, trailing dots and spaces, and knows `.git` as `git~1` too; macOS ignores case. Hidden
// characters, which HFS+ ignores, were refused before.
function isGitDirectory(part: string): boolean {
  const plain = part
    .toLowerCase()
    .replace(/:.*$/, '')
    .replace(/[. ]+$/, '')
  return plain === '.git' || /^git~\d+$/.test(plain)
}

/** The problem with a branch name, or undefined: Git's own rules, and no leading `-`. */
export function branchProblem(text: string): string | undefined {
  if (text === '' || text.length > 250) return 'a branch name has 1 to 250 characters'
  if (hasHidden(text)) return 'the branch name contains control, bidirectional or zero-width characters'
  if (text.startsWith('-')) return 'a branch name cannot begin with `-`'
  if (/[ ~^:?*[\\]|\.\.|@\{|\/\/|^\/|[/.]$|(^|\/)\.|\.lock(\/|$)|^@$/.test(text)) return 'not a valid branch name'
  return undefined
}
