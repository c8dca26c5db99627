// CODEOWNERS: who has to agree to what a plan touches. The last line that fits a path says; a line without owners takes them away.

import picomatch from 'picomatch'
import type { Plan, Step } from '../plan/plan.ts'
import { verbOf } from '../plan/verbs/index.ts'
import type { OwnedPath } from './open-owners.ts'

export interface OwnerRule {
  readonly pattern: string
  readonly owners: readonly string[]
}

/** Where it may be, the first that is there counts. */
export const ownerFiles = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS', '.gitea/CODEOWNERS'] as const

export function readOwners(text: string): OwnerRule[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const words = line
      .replace(/(^|\s)#.*$/, '')
      .trim()
      .split(/(?<!\\)\s+/)
      .filter((word) => word !== '')
    const [pattern, ...owners] = words
    // [Section] lines of GitLab group what follows.
    if (pattern === undefined || /^\^?\[/.test(pattern)) return []
    return [{ pattern: pattern.replaceAll('\\ ', ' '), owners }]
  })
}

/** What the steps say that they touch; `**` where a step does not say. */
export const touchedBy = (plan: Plan): string[] => [...new Set(plan.steps.flatMap(pathsOf))]

function pathsOf(step: Step): readonly string[] {
  const { writes, deletes } = verbOf(step).paths(step.spec)
  if (writes.length + deletes.length > 0) return [...writes, ...deletes]
  return step.files ?? (step.changes === 'none' ? [] : ['**'])
}

/** The owners that each path or glob needs. A glob needs those of every line that it can meet. */
export function ownersOf(rules: readonly OwnerRule[], paths: readonly string[]): OwnedPath[] {
  return paths.flatMap((path) => {
    if (!isGlob(path)) {
      const rule = rules.findLast(({ pattern }) => fits(pattern, path))
      return rule === undefined || rule.owners.length === 0 ? [] : [{ path, owners: rule.owners }]
    }
    return rules.filter(({ pattern, owners }) => owners.length > 0 && canMeet(path, pattern)).map(({ pattern, owners }) => ({ path: pattern, owners }))
  })
}

const isGlob = (path: string): boolean => /[*?[{]/.test(path)

/** As in .gitignore, but without `!` and sets of characters. */
function fits(pattern: string, path: string): boolean {
  const isRooted = pattern.slice(0, -1).includes('/')
  const bare = pattern.replace(/^\//, '').replace(/\/$/, '')
  const globs = isRooted ? [bare] : [bare, `**/${bare}`]
  const isDirectory = pattern.endsWith('/')
  // docs/* is what lies in docs, and not what lies below that.
  const isShallow = bare.endsWith('/*')
  return globs.some((glob) => {
    const isMatch = (text: string): boolean => picomatch.isMatch(path, text, { dot: true, nobrace: true, noextglob: true, nonegate: true })
    return (!isDirectory && isMatch(glob)) || (!isShallow && isMatch(`${glob}/**`))
  })
}

/** Whether a glob of a step and a line of the file can be about the same path: where their beginnings do not contradict each other. */
function canMeet(glob: string, pattern: string): boolean {
  const fixed = (text: string): string => /^[^*?[{]*/.exec(text)?.[0] ?? ''
  const isRooted = pattern.slice(0, -1).includes('/')
  const [one, other] = [fixed(glob), isRooted ? fixed(pattern.replace(/^\//, '')) : '']
  return one.startsWith(other) || other.startsWith(one)
}
