// CODEOWNERS: the people who must approve changes to a path. The last matching line decides; a line without owners
// removes them.

import { globMatcher, isGlob } from '../../plan/text/glob.ts'
import type { Plan, Step } from '../../plan/model/plan.ts'
import { verbOf } from '../../plan/verbs/index.ts'
import type { OwnedPath } from './open-owners.ts'

export interface OwnerRule {
  readonly pattern: string
  readonly owners: readonly string[]
  /** Each section requires its own approval. */
  readonly section?: string
}

/** Possible locations; the first one that exists is used. */
export const ownerFiles = [
  '.github/CODEOWNERS',
  'CODEOWNERS',
  'docs/CODEOWNERS',
  '.gitlab/CODEOWNERS',
  '.gitea/CODEOWNERS',
] as const

export function readOwners(text: string): OwnerRule[] {
  let section: { readonly name: string; readonly owners: readonly string[]; readonly isOptional: boolean } | undefined
  return text.split(/\r?\n/).flatMap((line) => {
    const bare = line.replace(/(^|\s)#.*$/, '').trim()
    // GitLab's [Section] lines group the lines that follow, and may name default owners for them.
    const [, mark, name, rest] = /^(\^?)\[([^\]]+)\](?:\[\d+\])?\s*(.*)$/.exec(bare) ?? []
    if (name !== undefined) {
      section = {
        name: name.toLowerCase(),
        owners: (rest ?? '').split(/\s+/).filter((word) => word !== ''),
        isOptional: mark === '^',
      }
      return []
    }
    const [pattern, ...owners] = bare.split(/(?<!\\)\s+/).filter((word) => word !== '')
    if (pattern === undefined || section?.isOptional === true) return []
    return [
      {
        pattern: pattern.replaceAll('\\ ', ' '),
        owners: owners.length === 0 ? (section?.owners ?? []) : owners,
        section: section?.name ?? '',
      },
    ]
  })
}

/**
 * Returns the paths that the steps declare; `**` for a step that declares none. `below`: the files of the tree at or
 * below a path.
 */
export const touchedPaths = (plan: Plan, below: (path: string) => readonly string[]): string[] => [
  ...new Set(plan.steps.flatMap((step) => pathsOf(step, below))),
]

function pathsOf(step: Step, below: (path: string) => readonly string[]): readonly string[] {
  const verb = verbOf(step)
  const { writes, deletes } = verb.paths(step.spec)
  if (writes.length + deletes.length === 0) return step.files ?? (step.changes === 'none' ? [] : ['**'])
  if (deletes.length === 0) return writes
  // Deleting a directory deletes everything in it; a directory that the plan itself creates may contain anything.
  return deletes.flatMap((path) => {
    const there = below(path)
    if (there.length === 1 && there[0] === path) return [path, ...writes]
    return [
      path,
      ...writes,
      ...(there.length === 0
        ? [path, ...writes].map((each) => `${each}/**`)
        : there.flatMap((file) => [file, ...writes.map((to) => `${to}${file.slice(path.length)}`)])),
    ]
  })
}

/** Returns the owners that each path or glob needs. A glob needs the owners of every line that it can overlap with. */
export function ownersOf(rules: readonly OwnerRule[], paths: readonly string[]): OwnedPath[] {
  const sections = [...new Set(rules.map(({ section }) => section))]
  const lines = rules.map((rule) => ({ ...rule, fits: ownerMatcher(rule.pattern) }))
  return paths.flatMap((path) => {
    if (!isGlob(path)) {
      const last = sections.flatMap(
        (name) => lines.findLast(({ fits, section }) => section === name && fits(path)) ?? [],
      )
      return last.flatMap(({ owners }) => (owners.length === 0 ? [] : [{ path, owners }]))
    }
    return rules
      .filter(({ pattern, owners }) => owners.length > 0 && canOverlap(path, pattern))
      .map(({ pattern, owners }) => ({ path: pattern, owners }))
  })
}

/** Matches as .gitignore does, but without `!`, and braces are literal. */
function ownerMatcher(pattern: string): (path: string) => boolean {
  const isRooted = pattern.slice(0, -1).includes('/')
  const bare = pattern
    .replace(/^\//, '')
    .replace(/\/$/, '')
    .replace(/(?<!\\)[{}]/g, '\\$&')
  const globs = isRooted ? [bare] : [bare, `**/${bare}`]
  const isDirectory = pattern.endsWith('/')
  // docs/* matches the entries of docs, but nothing below them.
  const isShallow = bare.endsWith('/*')
  return globMatcher(globs.flatMap((glob) => [...(isDirectory ? [] : [glob]), ...(isShallow ? [] : [`${glob}/**`])]))
}

/**
 * True if a glob of a step and a pattern of CODEOWNERS can match the same path: their literal prefixes do not
 * contradict each other.
 */
function canOverlap(glob: string, pattern: string): boolean {
  const fixed = (text: string): string => /^[^*?[{\\]*/.exec(text)?.[0] ?? ''
  const isRooted = pattern.slice(0, -1).includes('/')
  const [one, other] = [fixed(glob), isRooted ? fixed(pattern.replace(/^\//, '')) : '']
  return one.startsWith(other) || other.startsWith(one)
}
