// How much can go wrong, and why. Computed from what the step is; the author can raise it, never lower it.

import { riskLevels } from '../plan/plan.ts'
import type { Plan, Risk, Step } from '../plan/plan.ts'
import type { StepId } from '../plan/values.ts'
import { verbOf } from '../plan/verbs/index.ts'
import { criticalGlobs } from './critical-globs.ts'

export interface StepRisk {
  readonly risk: Risk
  readonly reasons: readonly string[]
}

export interface RiskAssessment {
  readonly plan: Risk
  readonly steps: ReadonlyMap<StepId, StepRisk>
  /** Why the plan is at its level. */
  readonly reasons: readonly string[]
}

interface Critical {
  readonly path: RegExp
  readonly why: string
  /** Where it lies, for what is in one place. */
  readonly at?: string
}

/** What decides over the repository, its data or its keys. Expressions and not globs: a package for globs would be loaded, and they compiled, by every reader of a plan. */
const criticalPaths: readonly Critical[] = [
  { path: /^\.github\/workflows(\/|$)/i, at: '.github/workflows', why: 'changes what continuous integration runs' },
  { path: /^\.github\/actions(\/|$)/i, at: '.github/actions', why: 'changes what continuous integration runs' },
  { path: /^\.gitlab-ci\.yml$/i, at: '.gitlab-ci.yml', why: 'changes what continuous integration runs' },
  { path: /^\.plans\/config\.yml$/i, at: '.plans/config.yml', why: 'changes the policy for plans' },
  { path: /(^|\/)codeowners$/i, why: 'changes who has to review' },
  { path: /(^|\/)migrations(\/|$)/i, why: 'changes a database migration' },
  { path: /\.(pem|key)$/i, why: 'touches a key or certificate' },
  { path: /(^|\/)(auth|authentication)(\/|$)/i, why: 'changes authentication' },
  { path: /(^|\/)auth\.[^/]*$/i, why: 'changes authentication' },
  { path: /(^|\/)authorization(\/|$)/i, why: 'changes authorization' },
]

/** In every path that one of them is about, or that holds one: most paths need no closer look. */
const critical = /github|gitlab|\.plans|codeowners|migrations|\.pem|\.key|auth/i

const higher = (a: Risk, b: Risk): Risk => (riskLevels.indexOf(a) >= riskLevels.indexOf(b) ? a : b)

/** `critical`: the globs of the configuration. */
export function assessRisk(plan: Plan, critical: readonly string[]): RiskAssessment {
  const steps = new Map(plan.steps.map((step) => [step.id, assessStep(step, critical)]))
  const level = [...steps.values()].reduce<Risk>((highest, { risk }) => higher(highest, risk), 'LOW')
  const reasons = plan.steps.flatMap((step) => {
    const assessed = steps.get(step.id)!
    return assessed.risk === level ? assessed.reasons.map((reason) => `${step.id}: ${reason}`) : []
  })
  return { plan: level, steps, reasons }
}

function assessStep(step: Step, configured: readonly string[]): StepRisk {
  const verb = verbOf(step)
  const found: { risk: Risk; reason: string }[] = [{ risk: verb.risk, reason: `${verb.name} is ${verb.risk}` }]
  if (step.effect === 'external') found.push({ risk: 'HIGH', reason: 'has an effect outside the repository' })
  for (const key of commandKeys(step)) found.push({ risk: 'HIGH', reason: `its ${key} runs a command` })
  const { writes, deletes } = verb.paths(step.spec)
  for (const path of [...writes, ...deletes]) for (const why of criticalReasons(path)) found.push({ risk: 'CRITICAL', reason: `${why} (${path})` })
  for (const glob of step.files ?? []) for (const why of criticalReasons(glob)) found.push({ risk: 'CRITICAL', reason: `may do so: ${why} (${glob})` })
  if (configured.length > 0) {
    const leaving = new Set<string>(deletes)
    for (const path of new Set([...writes, ...deletes, ...(step.files ?? [])]))
      for (const glob of criticalGlobs(configured, path, { isLeaving: leaving.has(path) }))
        found.push({ risk: 'CRITICAL', reason: `the configuration calls ${glob} critical (${path})` })
  }
  if (step.allow.length > 0) found.push({ risk: 'CRITICAL', reason: `asks to accept ${step.allow.join(', ')}` })
  if (step.risk) found.push({ risk: step.risk, reason: `the plan says ${step.risk}` })
  const risk = found.reduce<Risk>((highest, entry) => higher(highest, entry.risk), 'LOW')
  return { risk, reasons: [...new Set(found.filter((entry) => entry.risk === risk).map((entry) => entry.reason))] }
}

/** The keys of a step, besides its verb, that run a shell command. */
function commandKeys(step: Step): string[] {
  const runs = (checks: Step['verify']): boolean => checks.some(({ kind }) => kind === 'run')
  return [
    ...(runs(step.verify) ? ['verify'] : []),
    ...(step.criteria.some(({ verify }) => runs(verify)) ? ['criteria'] : []),
    ...(['test', 'probe', 'undo'] as const).filter((key) => step[key] !== undefined),
  ]
}

/** A path counts where it is critical, or holds what is: deleting `.github` deletes the workflows. The same for a glob below a named directory. */
function criticalReasons(path: string): string[] {
  if (!critical.test(path)) return []
  const wild = path.search(/[*?(]|\[.*\]|\{.*(,|\.\.).*\}/)
  const base = (wild < 0 ? path : path.slice(0, Math.max(path.lastIndexOf('/', wild), 0))).toLowerCase()
  const holds = (at: string): boolean => base !== '' && (at === base || at.startsWith(`${base}/`))
  const within = criticalPaths.filter((each) => each.path.test(path) || (each.at !== undefined && holds(each.at)))
  return [...new Set(within.map(({ why }) => why))]
}
