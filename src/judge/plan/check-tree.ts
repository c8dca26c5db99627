// Rules that look at the repository: the plan is rehearsed on the tree that it will find, and what each step meets and
// leaves is judged.

import { isPending } from '../../plan/model/step-status.ts'
import type { Finding } from '../../plan/model/finding.ts'
import { type Plan, type Step } from '../../plan/model/plan.ts'
import type { Position } from '../../plan/file/yaml.ts'
import { verbOf } from '../../plan/verbs/index.ts'
import type { PlanFacts } from './check-plan.ts'
import type { Look } from './repository-facts.ts'
import { placed } from './source-position.ts'
import { rehearse, type Rehearsal } from './rehearsal.ts'
import { unresolvedImports } from './rules/imports.ts'
import { installedBy, installs } from './rules/installs.ts'
import { commandsOfStep, placeInCommand } from './commands-of.ts'
import { references } from './rules/references.ts'
import { targets } from './rules/targets.ts'

type Judged = Pick<Finding, 'rule' | 'severity' | 'message' | 'advice'>

export async function checkTree(plan: Plan, facts: PlanFacts): Promise<Finding[]> {
  const { look } = facts
  if (look === undefined) return []
  const findings: Finding[] = []
  const validation = facts.config?.validation
  const report = (step: Step, judged: readonly Judged[], isSure: boolean, place?: Partial<Position>): void => {
    for (const each of judged)
      findings.push({ ...(isSure ? each : doubtful(each)), ...placed(plan, facts, step, step.verb), ...place })
  }
  const tools = new Set<string>()
  const refused = new Set<string>()
  const rehearsal = await rehearse(plan, look, async (step, tree) => {
    const problems = await targets(step, tree, look)
    if (problems.length > 0) refused.add(step.id)
    report(
      step,
      problems.map((problem) => ({ ...problem, severity: 'error' })),
      tree.isSure,
    )
    for (const { key, ...judged } of await installs(
      step,
      tree,
      look,
      validation?.dependencies === false ? undefined : tools,
    ))
      report(step, [judged], tree.isSure, placed(plan, facts, step, key))
    const command = commandsOfStep(plan, step, plan.steps.indexOf(step)).find(({ key }) => key === 'run')
    if (command === undefined || validation?.dependencies === false) return
    for (const { at, ...reference } of await references(command.command, tree, look, tools))
      report(
        step,
        [reference],
        tree.isSure,
        facts.place === undefined ? undefined : placeInCommand(command, facts.place, placeOf(command.command, at)),
      )
  })
  for (const { step, failure, isSure } of rehearsal.steps)
    // What is refused for its path has been said.
    if (failure !== undefined && !refused.has(step.id))
      report(
        step,
        [
          {
            rule: 'would-fail',
            severity: step.allowFailure ? 'warning' : 'error',
            message: failure,
            advice: 'correct the step, or the order of the steps',
          },
        ],
        isSure,
      )
  if (validation?.syntax !== false) {
    const { syntax } = await import('./rules/syntax.ts')
    // What a new file holds, the plan says.
    for (const rehearsed of rehearsal.steps)
      report(rehearsed.step, await syntax(rehearsed), rehearsed.isSure || verbOf(rehearsed.step).content !== undefined)
  }
  if (validation?.dependencies !== false) {
    for (const { step, problem } of await importProblems(rehearsal, new Set(plan.steps.flatMap(installedBy))))
      report(step, [{ ...problem, severity: 'warning' }], true)
    findings.push(...(await planReferences(plan, facts, look, tools)))
  }
  const room = await noRoom(rehearsal, look)
  if (room !== undefined) findings.push({ ...room, file: facts.file, ...facts.place?.(['steps'], { key: true }) })
  return findings
}

/** A command before it may make it untrue. */
const doubtful = (judged: Judged): Judged =>
  judged.severity === 'error'
    ? { ...judged, severity: 'warning', message: `as the repository is now, ${judged.message}` }
    : judged

const placeOf = (text: string, at: number): Position => ({
  line: text.slice(0, at).split('\n').length,
  column: at - text.lastIndexOf('\n', at - 1),
})

/** Of the files as the plan leaves them: a step may import what a later one makes. */
async function importProblems(
  { steps, end }: Rehearsal,
  installed: ReadonlySet<string>,
): Promise<{ step: Step; problem: Awaited<ReturnType<typeof unresolvedImports>>[number] }[]> {
  const last = new Map<string, Step>()
  for (const { step, writes } of steps) for (const path of writes.keys()) last.set(path, step)
  const found: { step: Step; problem: Awaited<ReturnType<typeof unresolvedImports>>[number] }[] = []
  for (const [path, step] of last) {
    const bytes = await end.read(path)
    if (bytes === undefined) continue
    for (const problem of await unresolvedImports(path, new TextDecoder().decode(bytes), end, installed))
      found.push({ step, problem })
  }
  return found
}

/** What the plan as a whole refers to. */
async function planReferences(plan: Plan, facts: PlanFacts, look: Look, tools: Set<string>): Promise<Finding[]> {
  const findings: Finding[] = []
  const isBegun = plan.steps.some((step) => !isPending(plan, step.id))
  for (const [index, path] of plan.context.entries())
    if (!isBegun && (await look.kind(path)) === 'absent')
      findings.push({
        rule: 'file-missing',
        severity: 'warning',
        message: `${path} does not exist`,
        file: facts.file,
        ...facts.place?.(['context', index]),
        advice: 'correct the path in `context`',
      })
  for (const [index, tool] of plan.requires.entries())
    if (!tools.has(tool) && !(await look.hasTool(tool)))
      findings.push({
        rule: 'tool-missing',
        severity: 'warning',
        message: `${tool} is not on PATH here`,
        file: facts.file,
        ...facts.place?.(['requires', index]),
        advice: 'install it where the plan runs',
      })
  return findings
}

/** Each file is there twice: in the work tree and as an object. */
async function noRoom({ steps }: Rehearsal, look: Look): Promise<Judged | undefined> {
  const bytes =
    steps.reduce(
      (sum, { writes }) => sum + [...writes.values()].reduce((all, { after }) => all + after.byteLength, 0),
      0,
    ) * 2
  const free = bytes === 0 ? undefined : await look.freeBytes()
  if (free === undefined || free >= bytes) return undefined
  return {
    rule: 'no-room',
    severity: 'error',
    message: `the plan writes ${bytes} bytes, but only ${free} are free on the disk of the work tree`,
    advice: 'free disk space',
  }
}
