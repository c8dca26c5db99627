// Every shell command of a plan, with its path in the file.

import type { Check, Plan, Step } from '../../plan/model/plan.ts'
import type { VerbCommand } from '../../plan/model/verb.ts'
import { verbOf } from '../../plan/verbs/index.ts'
import { testCommand } from '../../plan/model/test-command.ts'
import type { FindPosition, Path, Position } from '../../plan/file/yaml.ts'

export interface PlanCommand {
  readonly command: string
  /** Undefined for a command of the plan as a whole. */
  readonly step?: Step
  /**
   * Path of the command as an entry of a list. The file may have a single value instead of the list; positions are
   * found either way.
   */
  readonly path: Path
  /** Key that the command belongs to: `run`, `verify`, `test`, … */
  readonly key: string
  /** True for the command of the step itself, not of its checks. */
  readonly isVerb?: true
}

const ofChecks = (checks: readonly Check[], key: string, path: Path): PlanCommand[] =>
  checks.flatMap((check, index) =>
    check.kind === 'run' ? [{ command: check.command, path: [...path, index, 'run'], key }] : [],
  )

const ofKey = (command: string | undefined, key: string, path: Path): PlanCommand[] =>
  command === undefined ? [] : [{ command, path, key }]

const ofTest = ({ test, counted }: Pick<Step, 'test' | 'counted'>, path: Path): PlanCommand[] =>
  test === undefined ? [] : ofKey(testCommand(test, counted), 'test', counted === undefined ? path : [...path, 'run'])

const isPlanTest = (step: Step, plan: Plan): boolean =>
  step.test === plan.test && (step.counted === undefined) === (plan.counted === undefined)

/** The command that the verb of a step runs. */
export const verbCommand = (step: Step): VerbCommand | undefined => verbOf(step).command?.(step.spec)

function ofVerb(step: Step, at: Path): PlanCommand[] {
  const own = verbCommand(step)
  return own === undefined
    ? []
    : [{ command: own.command, path: [...at, ...own.path], key: own.path.at(-1) ?? step.verb, isVerb: true }]
}

export function commandsOfStep(plan: Plan, step: Step, index: number): PlanCommand[] {
  const at = ['steps', index] as const
  const found = [
    ...ofVerb(step, at),
    ...ofChecks(step.verify, 'verify', [...at, 'verify']),
    ...step.criteria.flatMap(({ verify }, criterion) =>
      ofChecks(verify, 'criteria', [...at, 'criteria', criterion, 'verify']),
    ),
    // `test: true` means the test of the plan, which is judged there.
    ...(isPlanTest(step, plan) ? [] : ofTest(step, [...at, 'test'])),
    ...ofKey(step.probe, 'probe', [...at, 'probe']),
    ...ofKey(step.undo, 'undo', [...at, 'undo']),
  ]
  return found.map((each) => ({ ...each, step }))
}

export const commandsOf = (plan: Plan): PlanCommand[] => [
  ...ofKey(plan.setup, 'setup', ['setup']),
  ...plan.preflight.flatMap((command, index) => ofKey(command, 'preflight', ['preflight', index])),
  ...ofTest(plan, ['test']),
  ...plan.steps.flatMap((step, index) => commandsOfStep(plan, step, index)),
  ...ofChecks(plan.verify, 'verify', ['verify']),
]

/** Position in the file of a line and column within the command. */
export function positionInCommand({ path }: PlanCommand, position: FindPosition, within: Position): Position {
  // `verify: {run: …}` without a list has no first entry, but a `run`.
  const single = path.slice(0, -2)
  const isSingle =
    path.at(-1) === 'run' &&
    typeof path.at(-2) === 'number' &&
    isSamePosition(position(path), position(single)) &&
    !isSamePosition(position([...single, 'run']), position(single))
  return position(isSingle ? [...single, 'run'] : path, { within })
}

const isSamePosition = (a: Position, b: Position): boolean => a.line === b.line && a.column === b.column
