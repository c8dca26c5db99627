// Rules about the repository: rehearses the plan on the tree that it will find, and judges what each step meets and
// leaves.

import { isPending } from '../../plan/model/step-status.ts'
import type { Finding } from '../../plan/model/finding.ts'
import { type Plan, type Step } from '../../plan/model/plan.ts'
import type { Position } from '../../plan/file/yaml.ts'
import { verbOf } from '../../plan/verbs/index.ts'
import type { PlanFacts } from './check-plan.ts'
import type { RepositoryFacts } from './repository-facts.ts'
import { placePosition, stepPosition } from './source-position.ts'
import { rehearse, SimulatedTree, type Rehearsal } from './rehearsal.ts'
import { unresolvedImports } from './rules/imports.ts'
import { installedBy, installs } from './rules/installs.ts'
import { commandsOfStep, positionInCommand } from './commands-of.ts'
import { references } from './rules/references.ts'
import { targets } from './rules/targets.ts'

type Judged = Pick<Finding, 'rule' | 'severity' | 'message' | 'advice'>

export async function checkTree(plan: Plan, facts: PlanFacts): Promise<Finding[]> {
  const { repository } = facts
  if (repository === undefined) return []
  const findings: Finding[] = []
  const validation = facts.config?.validation
  const report = (step: Step, judged: readonly Judged[], isSure: boolean, position?: Partial<Position>): void => {
    for (const each of judged)
      findings.push({
        ...(isSure ? each : asUncertain(each)),
        ...stepPosition(plan, facts, step, step.verb),
        ...position,
      })
  }
  const tools = new Set<string>()
  const refused = new Set<string>()
  const rehearsal = await rehearse(plan, repository, async (step, tree) => {
    const problems = await targets(step, tree, repository)
    if (problems.length > 0) refused.add(step.id)
    report(
      step,
      problems.map((problem) => ({ ...problem, severity: 'error' })),
      tree.isSure,
    )
    for (const { key, ...judged } of await installs(
      step,
      tree,
      repository,
      validation?.dependencies === false ? undefined : tools,
    ))
      report(step, [judged], tree.isSure, stepPosition(plan, facts, step, key))
    const command = commandsOfStep(plan, step, plan.steps.indexOf(step)).find(({ isVerb }) => isVerb)
    if (command === undefined || validation?.dependencies === false) return
    for (const { at, ...reference } of await references(command.command, tree, repository, tools))
      report(
        step,
        [reference],
        tree.isSure,
        facts.position === undefined
          ? undefined
          : positionInCommand(command, facts.position, positionOf(command.command, at)),
      )
  })
  for (const { step, summary, warning, isUnknown, isSure } of rehearsal.steps) {
    if (summary !== undefined)
      report(step, [{ rule: 'would-change', severity: 'info', message: `${step.id} would change ${summary}` }], isSure)
    if (warning !== undefined) report(step, [{ rule: 'not-searched', severity: 'warning', message: warning }], isSure)
    if (isUnknown === true && verbOf(step).scope !== undefined) report(step, [unknownChange(step)], isSure)
  }
  for (const { step, failure, isSure } of rehearsal.steps)
    // A path problem was already reported.
    if (failure !== undefined && !refused.has(step.id))
      report(
        step,
        [
          {
            rule: 'would-fail',
            severity: step.allowFailure ? 'warning' : 'error',
            message: failure.message,
            advice: 'correct the step, or the order of the steps',
          },
        ],
        isSure,
        failure.place === undefined ? undefined : placePosition(plan, facts, step, failure.place),
      )
  if (validation?.syntax !== false) {
    const { syntax } = await import('./rules/syntax.ts')
    // The content of a new file is in the plan, so it is certain.
    for (const rehearsed of rehearsal.steps)
      report(rehearsed.step, await syntax(rehearsed), rehearsed.isSure || verbOf(rehearsed.step).content !== undefined)
  }
  if (validation?.dependencies !== false) {
    for (const { step, problem } of await importProblems(
      rehearsal,
      repository,
      new Set(plan.steps.flatMap(installedBy)),
    ))
      report(step, [{ ...problem, severity: 'warning' }], true)
    findings.push(...(await planReferences(plan, facts, repository, tools)))
  }
  const room = await diskSpaceProblem(rehearsal, repository)
  if (room !== undefined) findings.push({ ...room, file: facts.file, ...facts.position?.(['steps'], { key: true }) })
  return findings
}

const unknownChange = ({ id }: Step): Judged => ({
  rule: 'would-change',
  severity: 'info',
  message: `what ${id} would change is not known before it runs: an earlier step, or a filter of Git, changes its files`,
})

/** A command of an earlier step may make the finding untrue. */
const asUncertain = (judged: Judged): Judged =>
  judged.severity === 'error'
    ? { ...judged, severity: 'warning', message: `as the repository is now, ${judged.message}` }
    : judged

const positionOf = (text: string, at: number): Position => ({
  line: text.slice(0, at).split('\n').length,
  column: at - text.lastIndexOf('\n', at - 1),
})

/** Checks imports at the end of the plan, because a step may import a file that a later one creates. */
async function importProblems(
  { steps, end }: Rehearsal,
  repository: RepositoryFacts,
  installed: ReadonlySet<string>,
): Promise<{ step: Step; problem: Awaited<ReturnType<typeof unresolvedImports>>[number] }[]> {
  const last = new Map<string, Step>()
  for (const { step, writes } of steps) for (const path of writes.keys()) last.set(path, step)
  const found: { step: Step; problem: Awaited<ReturnType<typeof unresolvedImports>>[number] }[] = []
  const base = new SimulatedTree(repository)
  for (const [path, step] of last) {
    const bytes = await end.read(path)
    if (bytes === undefined) continue
    const problems = await unresolvedImports(path, new TextDecoder().decode(bytes), end, installed)
    // An import that did not exist before the plan is not its mistake.
    const before = problems.length === 0 ? undefined : await base.read(path)
    const old =
      before === undefined ? [] : await unresolvedImports(path, new TextDecoder().decode(before), base, installed)
    const known = new Set(old.map(({ message }) => message))
    for (const problem of problems) if (!known.has(problem.message)) found.push({ step, problem })
  }
  return found
}

/** Problems with references of the plan as a whole. */
async function planReferences(
  plan: Plan,
  facts: PlanFacts,
  repository: RepositoryFacts,
  tools: Set<string>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const isBegun = plan.steps.some((step) => !isPending(plan, step.id))
  for (const [index, path] of plan.context.entries())
    if (!isBegun && (await repository.kind(path)) === 'absent')
      findings.push({
        rule: 'file-missing',
        severity: 'warning',
        message: `${path} does not exist`,
        file: facts.file,
        ...facts.position?.(['context', index]),
        advice: 'correct the path in `context`',
      })
  for (const [index, tool] of plan.requires.entries())
    if (!tools.has(tool) && !(await repository.hasTool(tool)))
      findings.push({
        rule: 'tool-missing',
        severity: 'warning',
        message: `${tool} is not on PATH here`,
        file: facts.file,
        ...facts.position?.(['requires', index]),
        advice: 'install it where the plan runs',
      })
  return findings
}

/** Each file is stored twice: in the work tree and as an object. */
async function diskSpaceProblem({ steps }: Rehearsal, repository: RepositoryFacts): Promise<Judged | undefined> {
  const bytes =
    steps.reduce(
      (sum, { writes }) => sum + [...writes.values()].reduce((all, { after }) => all + after.byteLength, 0),
      0,
    ) * 2
  const free = bytes === 0 ? undefined : await repository.freeBytes()
  if (free === undefined || free >= bytes) return undefined
  return {
    rule: 'no-room',
    severity: 'error',
    message: `the plan writes ${bytes} bytes, but only ${free} are free on the disk of the work tree`,
    advice: 'free disk space',
  }
}
