// Checks steps that install packages: the directory exists, its package manager is clear, that manager accepts the
// packages, and Git ignores the directory that it writes to.

import { joinPath, managerIn } from '../../../plan/packages/manager-in.ts'
import {
  installProblem,
  managerNames,
  managers,
  packagesOf,
  type Dialect,
  type InstallSpec,
} from '../../../plan/packages/package-managers.ts'
import type { Finding } from '../../../plan/model/finding.ts'
import type { Step } from '../../../plan/model/plan.ts'
import { verbOf } from '../../../plan/verbs/index.ts'
import type { RepositoryFacts } from '../repository-facts.ts'
import type { SimulatedTree } from '../rehearsal.ts'

export interface InstallFinding extends Pick<Finding, 'rule' | 'severity' | 'message' | 'advice'> {
  /** Key of the step that the finding is about. */
  readonly key: string
}

const specOf = (step: Step): InstallSpec | undefined => verbOf(step).installs?.(step.spec)

/** `tools`: programs that were already looked up; undefined: tools are not checked. */
export async function installs(
  step: Step,
  tree: SimulatedTree,
  repository: RepositoryFacts,
  tools: Set<string> | undefined,
): Promise<InstallFinding[]> {
  const spec = specOf(step)
  if (spec === undefined) return []
  const directory = spec.in ?? ''
  const misplaced = directory === '' ? undefined : await directoryProblem(directory, tree)
  if (misplaced !== undefined) return [misplaced]
  let isKnown = true
  const noteUnknown = <T>(value: T | undefined): T | undefined => {
    isKnown &&= value !== undefined
    return value
  }
  const found = await managerIn(directory, spec.manager, {
    kind: async (path) => noteUnknown(await tree.kind(path)),
    read: async (path) => noteUnknown(await tree.read(path)),
  })
  // An earlier step may decide it; the executor asks again.
  if (!isKnown) return []
  if (!found.ok)
    return [
      {
        rule: 'manager-unclear',
        severity: 'error',
        key: 'install',
        message: found.message,
        advice: `set \`manager\` to one of ${managerNames.join(', ')}`,
      },
    ]
  const { program } = managers[found.dialect]
  const findings: InstallFinding[] = []
  const problem = installProblem(spec, found.dialect)
  if (problem !== undefined)
    findings.push({
      rule: 'install-refused',
      severity: 'error',
      ...problem,
      advice: `${spec.manager === undefined ? `the directory uses ${program}` : `the plan says ${program}`}; correct the step, or set another \`manager\``,
    })
  if (tools !== undefined && !tools.has(program)) {
    tools.add(program)
    if (!(await repository.hasTool(program)))
      findings.push({
        rule: 'tool-missing',
        severity: 'warning',
        key: 'install',
        message: `${program} is not on PATH here`,
        advice: `install it where the plan runs, and name it: \`requires: [${program}]\``,
      })
  }
  const left = await unignoredDirectory(directory, found.dialect, tree, repository)
  if (left !== undefined)
    findings.push({
      rule: 'packages-not-ignored',
      severity: 'warning',
      key: 'install',
      message: `Git does not ignore ${left}, so the files that ${program} writes there would be committed`,
      advice: `add ${left}/ to .gitignore in a step before this one`,
    })
  return findings
}

async function directoryProblem(directory: string, tree: SimulatedTree): Promise<InstallFinding | undefined> {
  const parts = directory.split('/')
  for (const at of parts.map((_, index) => parts.slice(0, index + 1).join('/'))) {
    const kind = await tree.kind(at)
    if (kind === 'directory' || kind === undefined) continue
    const is = {
      absent: 'does not exist',
      file: 'is a file',
      symlink: 'is a symlink',
      submodule: 'is another repository',
    }[kind]
    return {
      rule: 'would-fail',
      severity: 'error',
      key: 'in',
      message: `cannot install in ${directory}: ${at} ${is}`,
      advice: 'use a directory that has a manifest',
    }
  }
  return undefined
}

/** The directory that a manager installs into, if its files would be committed and it has no tracked files yet. */
async function unignoredDirectory(
  directory: string,
  dialect: Dialect,
  tree: SimulatedTree,
  repository: RepositoryFacts,
): Promise<string | undefined> {
  const { leaves } = managers[dialect]
  if (leaves === undefined) return undefined
  const path = joinPath(directory, leaves)
  // An ignore rule for a directory applies to the files in it.
  const inside = joinPath(path, 'package')
  if (
    tree.mayChangeIgnoreRules(inside) ||
    (await repository.isIgnored(inside)) ||
    (await tree.tracked(path))?.length !== 0
  )
    return undefined
  return path
}

/** The npm packages that a step adds, by the names that code imports. */
export function installedBy(step: Step): readonly string[] {
  const spec = specOf(step)
  return spec === undefined || managers[spec.manager ?? 'npm'].registry !== 'npm'
    ? []
    : packagesOf(spec, 'npm').map(({ name }) => name)
}
