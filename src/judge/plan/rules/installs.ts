// A step that installs packages: its directory is there, it is clear which package manager that is for, the packages
// are such as that one has, and what it leaves behind is ignored.

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
import type { Look } from '../repository-facts.ts'
import type { ThoughtTree } from '../rehearsal.ts'

export interface InstallFinding extends Pick<Finding, 'rule' | 'severity' | 'message' | 'advice'> {
  /** The key of the step that it is about. */
  readonly key: string
}

const specOf = (step: Step): InstallSpec | undefined => verbOf(step).installs?.(step.spec)

/** `tools`: programs that were looked for already; undefined: nobody asks. */
export async function installs(
  step: Step,
  tree: ThoughtTree,
  look: Look,
  tools: Set<string> | undefined,
): Promise<InstallFinding[]> {
  const spec = specOf(step)
  if (spec === undefined) return []
  const directory = spec.in ?? ''
  const misplaced = directory === '' ? undefined : await directoryProblem(directory, tree)
  if (misplaced !== undefined) return [misplaced]
  let isKnown = true
  const known = <T>(value: T | undefined): T | undefined => {
    isKnown &&= value !== undefined
    return value
  }
  const found = await managerIn(directory, spec.manager, {
    kind: async (path) => known(await tree.kind(path)),
    read: async (path) => known(await tree.read(path)),
  })
  // A step before this one may settle it: the executor asks again.
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
    if (!(await look.hasTool(program)))
      findings.push({
        rule: 'tool-missing',
        severity: 'warning',
        key: 'install',
        message: `${program} is not on PATH here`,
        advice: `install it where the plan runs, and name it: \`requires: [${program}]\``,
      })
  }
  const left = await notIgnored(directory, found.dialect, tree, look)
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

async function directoryProblem(directory: string, tree: ThoughtTree): Promise<InstallFinding | undefined> {
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

/** Where a manager puts packages, if that would be committed and nobody has done so before. */
async function notIgnored(
  directory: string,
  dialect: Dialect,
  tree: ThoughtTree,
  look: Look,
): Promise<string | undefined> {
  const { leaves } = managers[dialect]
  if (leaves === undefined) return undefined
  const path = joinPath(directory, leaves)
  // A rule for a directory speaks of what is in it.
  const inside = joinPath(path, 'package')
  if (tree.mayIgnoreOtherwise(inside) || (await look.isIgnored(inside)) || (await tree.tracked(path))?.length !== 0)
    return undefined
  return path
}

/** The packages of Node that a step adds, by the names that code imports them by. */
export function installedBy(step: Step): readonly string[] {
  const spec = specOf(step)
  return spec === undefined || managers[spec.manager ?? 'npm'].registry !== 'npm'
    ? []
    : packagesOf(spec, 'npm').map(({ name }) => name)
}
