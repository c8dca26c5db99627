// CODEOWNERS: who has to agree to what a plan touches. The last line that fits a path says; a line without owners takes
// them away.

import { globMatcher, isGlob } from '../../plan/text/glob.ts'
import type { Plan, Step } from '../../plan/model/plan.ts'
import { verbOf } from '../../plan/verbs/index.ts'
import type { OwnedPath } from './open-owners.ts'

export interface OwnerRule {
  readonly pattern: string
  readonly owners: readonly string[]
  /** Each section has a say of its own. */
  readonly section?: string
}

/** Where it may be, the first that is there counts. */
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
    // [Section] lines of GitLab group what follows, and may name owners for what has none of its own.
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
 * What the steps say that they touch; `**` where a step does not say. `below`: the files of the tree at or below a
 * path.
 */
export const touchedBy = (plan: Plan, below: (path: string) => readonly string[]): string[] => [
  ...new Set(plan.steps.flatMap((step) => pathsOf(step, below))),
]

function pathsOf(step: Step, below: (path: string) => readonly string[]): readonly string[] {
  const verb = verbOf(step)
  const { writes, deletes } = verb.paths(step.spec)
  if (writes.length + deletes.length === 0) return step.files ?? (step.changes === 'none' ? [] : ['**'])
  if (deletes.length === 0) return writes
  // A directory goes with all that is in it; one that the plan itself makes can have anything in it.
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

/** The owners that each path or glob needs. A glob needs those of every line that it can meet. */
export function ownersOf(rules: readonly OwnerRule[], paths: readonly string[]): OwnedPath[] {
  const sections = [...new Set(rules.map(({ section }) => section))]
  const lines = rules.map((rule) => ({ ...rule, fits: fitting(rule.pattern) }))
  return paths.flatMap((path) => {
    if (!isGlob(path)) {
      const last = sections.flatMap(
        (name) => lines.findLast(({ fits, section }) => section === name && fits(path)) ?? [],
      )
      return last.flatMap(({ owners }) => (owners.length === 0 ? [] : [{ path, owners }]))
    }
    return rules
      .filter(({ pattern, owners }) => owners.length > 0 && canMeet(path, pattern))
      .map(({ pattern, owners }) => ({ path: pattern, owners }))
  })
}

/** As in .gitignore, but without `!`; braces stand for themselves. */
function fitting(pattern: string): (path: string) => boolean {
  const isRooted = pattern.slice(0, -1).includes('/')
  const bare = pattern
    .replace(/^\//, '')
    .replace(/\/$/, '')
    .replace(/(?<!\\)[{}]/g, '\\$&')
  const globs = isRooted ? [bare] : [bare, `**/${bare}`]
  const isDirectory = pattern.endsWith('/')
  // docs/* is what lies in docs, and not what lies below that.
  const isShallow = bare.endsWith('/*')
  return globMatcher(globs.flatMap((glob) => [...(isDirectory ? [] : [glob]), ...(isShallow ? [] : [`${glob}/**`])]))
}

/**
 * Whether a glob of a step and a line of the file can be about the same path: where their beginnings do not contradict
 * each other.
 */
function canMeet(glob: string, pattern: string): boolean {
  const fixed = (text: string): string => /^[^*?[{\\]*/.exec(text)?.[0] ?? ''
  const isRooted = pattern.slice(0, -1).includes('/')
  const [one, other] = [fixed(glob), isRooted ? fixed(pattern.replace(/^\//, '')) : '']
  return one.startsWith(other) || other.startsWith(one)
}
