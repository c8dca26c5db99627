// The risk of a plan and the reasons for it. It is computed from the steps; the author can raise it, never lower it.

import { riskLevels } from '../../plan/model/plan.ts'
import { testCommand } from '../../plan/model/test-command.ts'
import type { Plan, Risk, Step } from '../../plan/model/plan.ts'
import type { StepId } from '../../plan/model/ids.ts'
import { verbOf } from '../../plan/verbs/index.ts'
import { verbCommand } from './commands-of.ts'
import { criticalGlobs } from './critical-globs.ts'
import { criticalReasons, criticalWords } from './critical-paths.ts'
import { wordFinder } from './find-words.ts'
import { readsIn, type ReadingCommand, type Reads } from './readers.ts'

export interface StepRisk {
  readonly risk: Risk
  readonly reasons: readonly string[]
}

export interface RiskAssessment {
  readonly plan: Risk
  readonly steps: ReadonlyMap<StepId, StepRisk>
  /** Reasons for the level of the plan. */
  readonly reasons: readonly string[]
}

const higher = (a: Risk, b: Risk): Risk => (riskLevels.indexOf(a) >= riskLevels.indexOf(b) ? a : b)

/** Every command that works on a database contains one of these. */
const mayBeDatabase = wordFinder(
  'psql mysql mariadb mongo redis-cli sqlite3 alembic flyway liquibase dbmate pg_restore migrate prisma knex typeorm sequelize drizzle-kit manage.py artisan db:'.split(
    ' ',
  ),
)

/** Commands that work on a database: rolling back files does not restore its data. */
const worksOnDatabase = (command: string): boolean =>
  mayBeDatabase(command) &&
  /(^|[\s;&|(])(psql|mysql|mariadb|mongo|mongosh|redis-cli|sqlite3|alembic|flyway|liquibase|dbmate|pg_restore|migrate)(?=\s|$)|\b(prisma|knex|typeorm|sequelize|drizzle-kit|manage\.py|artisan)\s+\S*(migrat|db|push|flush)|\bdb:\w+/.test(
    command,
  )

/**
 * `critical`: the globs of the configuration. `reads`: classified commands from `readersOf`; without it every command
 * may write.
 */
export function assessRisk(plan: Plan, critical: readonly string[], reads?: Reads): RiskAssessment {
  const steps = new Map(plan.steps.map((step) => [step.id, assessStep(step, critical, reads)]))
  const own = planReasons(plan, reads)
  const level = [...steps.values(), ...own].reduce<Risk>((highest, { risk }) => higher(highest, risk), 'LOW')
  const reasons = plan.steps.flatMap((step) => {
    const assessed = steps.get(step.id)!
    return assessed.risk === level ? assessed.reasons.map((reason) => `${step.id}: ${reason}`) : []
  })
  return {
    plan: level,
    steps,
    reasons: [...reasons, ...own.filter(({ risk }) => risk === level).map(({ reason }) => reason)],
  }
}

/** Paths that steps and people changed. `isUndeclared`: the plan does not declare all of them. */
export interface Changes {
  readonly paths: readonly string[]
  readonly isUndeclared: boolean
}

/**
 * The risk of a result, because the text cannot declare everything that a command or a person changes. `critical`: as
 * above.
 */
export function riskOfResult({ paths, isUndeclared }: Changes, critical: readonly string[], text: Risk): Risk {
  const isCritical = (path: string): boolean =>
    criticalReasons(path).length > 0 || criticalGlobs(critical, path, { isLeaving: false }).length > 0
  if (paths.some(isCritical)) return 'CRITICAL'
  return isUndeclared ? higher(text, 'MEDIUM') : text
}

interface Reason {
  readonly risk: Risk
  readonly reason: string
}

/** Reasons from commands that the plan runs outside its steps. */
function planReasons(plan: Plan, reads: Reads | undefined): Reason[] {
  const commands: readonly (readonly [string, readonly string[]])[] = [
    ['setup', plan.setup === undefined ? [] : [plan.setup]],
    ['preflight', plan.preflight],
    ['verify', plan.verify.flatMap((check) => (check.kind === 'run' ? [check.command] : []))],
  ]
  return commands.flatMap(([key, all]) => keyReasons(key, all, (command) => reads?.(command)))
}

function assessStep(step: Step, configured: readonly string[], reads: Reads | undefined): StepRisk {
  const verb = verbOf(step)
  const found: Reason[] = runReasons(step, reads) ?? [{ risk: verb.risk, reason: `${verb.name} step` }]
  const raised = verb.raises?.(step.spec)
  if (raised !== undefined) found.push(raised)
  if (verb.startsProgram === true && Object.keys(step.env).length > 0)
    found.push({ risk: 'HIGH', reason: 'its variables may change what runs' })
  if (step.effect === 'external') found.push({ risk: 'HIGH', reason: 'has an effect outside the repository' })
  found.push(...otherCommandReasons(step, reads))
  const { reads: read, writes: written, deletes } = verb.paths(step.spec)
  // A program may change the files that it is given to read.
  const writes = verb.startsProgram === true ? [...read, ...written] : written
  for (const path of [...writes, ...deletes])
    for (const why of criticalReasons(path)) found.push({ risk: 'CRITICAL', reason: `${why} (${path})` })
  for (const glob of step.files ?? [])
    for (const why of criticalReasons(glob)) found.push({ risk: 'CRITICAL', reason: `possibly ${why} (${glob})` })
  if (configured.length > 0) {
    const leaving = new Set<string>(deletes)
    for (const path of new Set([...writes, ...deletes, ...(step.files ?? [])]))
      for (const glob of criticalGlobs(configured, path, { isLeaving: leaving.has(path) }))
        found.push({ risk: 'CRITICAL', reason: `critical by configuration: ${glob} (${path})` })
  }
  if (step.allow.length > 0) found.push({ risk: 'CRITICAL', reason: `allows rule ${step.allow.join(', ')}` })
  if (step.risk) found.push({ risk: step.risk, reason: `the plan says ${step.risk}` })
  const risk = found.reduce<Risk>((highest, entry) => higher(highest, entry.risk), 'LOW')
  return { risk, reasons: [...new Set(found.filter((entry) => entry.risk === risk).map((entry) => entry.reason))] }
}

/** Reasons from the command of a step; undefined if its verb has none. */
function runReasons(step: Step, reads: Reads | undefined): Reason[] | undefined {
  const own = verbCommand(step)
  if (own === undefined) return undefined
  const { command, takesFiles } = own
  // With the names of files at its end, a command may do something else.
  const reading = takesFiles === true ? undefined : readsIn(step, reads, command)
  if (reading?.outside !== undefined)
    return [{ risk: 'MEDIUM', reason: `\`${firstLine(command)}\` may read outside the repository: ${reading.outside}` }]
  if (reading !== undefined) return [{ risk: 'LOW', reason: `\`${firstLine(command)}\`: ${reading.why}` }]
  const { name, risk } = verbOf(step)
  return [
    { risk, reason: `${name} step` },
    ...(worksOnDatabase(command) ? [{ risk: 'HIGH' as const, reason: 'its command works on a database' }] : []),
    ...criticalWords(command).map(({ path, why }) => ({
      risk: 'CRITICAL' as const,
      reason: `its command names a critical path: ${why} (${path})`,
    })),
  ]
}

function firstLine(command: string): string {
  const line = command.trim().split('\n', 1)[0] ?? ''
  return line.length > 40 ? `${line.slice(0, 40)}…` : line
}

/**
 * Reasons from the commands of a key. Even a reading command matters: its output is recorded and published with the
 * plan.
 */
function keyReasons(
  key: string,
  commands: readonly string[],
  reads: (command: string) => ReadingCommand | undefined,
): Reason[] {
  const readings = commands.map(reads)
  if (readings.includes(undefined)) return [{ risk: 'HIGH', reason: `its ${key} runs a command` }]
  const outside = readings.find((reading) => reading?.outside !== undefined)?.outside
  return outside === undefined
    ? []
    : [{ risk: 'MEDIUM', reason: `its ${key} may read outside the repository: ${outside}` }]
}

/** Reasons from the commands of a step other than its verb. */
function otherCommandReasons(step: Step, reads: Reads | undefined): Reason[] {
  const commandsIn = (checks: Step['verify']): string[] =>
    checks.flatMap((check) => (check.kind === 'run' ? [check.command] : []))
  const commands: readonly (readonly [string, readonly string[]])[] = [
    ['verify', commandsIn(step.verify)],
    ['criteria', step.criteria.flatMap(({ verify }) => commandsIn(verify))],
    ['test', step.test === undefined ? [] : [testCommand(step.test, step.counted)]],
    ...(['probe', 'undo'] as const).map((key) => [key, step[key] === undefined ? [] : [step[key]]] as const),
  ]
  return commands.flatMap(([key, all]) => keyReasons(key, all, (command) => readsIn(step, reads, command)))
}
