// Checks the paths that a file step writes or deletes: no parent is a symlink or another repository, the file on disk
// can be replaced, and the result would be committed.

import type { Finding } from '../../../plan/model/finding.ts'
import type { Step } from '../../../plan/model/plan.ts'
import { verbOf } from '../../../plan/verbs/index.ts'
import type { RepositoryFacts } from '../repository-facts.ts'
import type { SimulatedTree } from '../rehearsal.ts'

export type Problem = Pick<Finding, 'rule' | 'message' | 'advice'>

/** Problems by the kind of a parent of the path, and by the kind of the path itself. */
const above: Readonly<Record<string, { rule: string; is: string }>> = {
  symlink: { rule: 'path-through-link', is: 'a symlink' },
  submodule: { rule: 'path-in-submodule', is: 'another repository' },
  file: { rule: 'path-below-file', is: 'a file' },
}
const at: Readonly<Record<string, { rule: string; is: string }>> = {
  symlink: { rule: 'path-is-link', is: 'a symlink' },
  submodule: { rule: 'path-is-submodule', is: 'the root of a submodule' },
}

export async function targets(step: Step, tree: SimulatedTree, repository: RepositoryFacts): Promise<Problem[]> {
  const { writes, deletes } = verbOf(step).paths(step.spec)
  const problems: Problem[] = []
  for (const path of new Set([...writes, ...deletes])) {
    const problem = await problemAt(path, tree, repository, { isNew: writes.includes(path) })
    if (problem !== undefined) problems.push(problem)
  }
  return problems
}

async function problemAt(
  path: string,
  tree: SimulatedTree,
  repository: RepositoryFacts,
  { isNew }: { isNew: boolean },
): Promise<Problem | undefined> {
  for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
    const directory = path.slice(0, end)
    const found = above[(await tree.kind(directory)) ?? '']
    if (found !== undefined)
      return {
        rule: found.rule,
        message: `${path} is refused: ${directory} is ${found.is}`,
        advice: 'name the file itself',
      }
  }
  const kind = await tree.kind(path)
  const found = at[kind ?? '']
  if (found !== undefined)
    return {
      rule: found.rule,
      message: `${path} is refused: it is ${found.is}`,
      advice: 'change it with `run`, if that is intended',
    }
  if (tree.isTouched(path) || kind === undefined) return undefined
  const obstacle = await repository.obstacle(path)
  if (obstacle !== undefined)
    return {
      rule: 'path-not-replaceable',
      message: `${path} is refused: ${obstacle}`,
      advice: 'replace it with a regular file',
    }
  if (isNew && kind === 'absent' && !tree.mayChangeIgnoreRules(path) && (await repository.isIgnored(path)))
    return {
      rule: 'path-ignored',
      message: `${path} is ignored by Git, so it would never be committed`,
      advice: 'choose another path, or change .gitignore first',
    }
  return undefined
}
