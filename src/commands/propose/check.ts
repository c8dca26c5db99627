// `git plan check`: checks a plan without running anything: format, graph, paths and risk; or the format of a
// configuration.

import { relative } from 'node:path'
import { inOrder } from '../../judge/plan/check-plan.ts'
import { checkWhole } from '../../judge/plan/check-whole.ts'
import type { RepositoryFacts } from '../../judge/plan/repository-facts.ts'
import { readersOf } from '../../judge/plan/readers.ts'
import { assessRisk } from '../../judge/plan/risk.ts'
import { sarifOf } from '../../judge/plan/sarif.ts'
import { PlanError } from '../../errors.ts'
import { defaultConfig, type PlanConfig } from '../../plan/config/config.ts'
import { hasErrors, type Finding } from '../../plan/model/finding.ts'
import { type Plan } from '../../plan/model/plan.ts'
import { readPlan } from '../../plan/file/read-plan.ts'
import { asProposed, type PlanAndText } from '../../plan/file/write.ts'
import { isId, nameOfPlan, type Oid, type PlanId } from '../../plan/model/ids.ts'
import { findPlan, planIds, resolvePlanName } from '../../store/resolve-plan.ts'
import { planFile, tipOfPlan } from '../../store/plan-at.ts'
import { findingsAgainst } from './check-against.ts'
import { findConfig, judgeConfig, repositoryTop } from './check-config.ts'
import type { CommandContext, CommandResult } from '../../operation/context.ts'
import { checkFacts } from '../../operation/check-findings.ts'
import { withRepositoryFacts } from '../../operation/repository-facts.ts'
import { tryExpandInput, type ExpandRequest } from '../../operation/expand-input.ts'
import { findPlanInput, findUnproposedFile, type PlanInput } from '../../operation/read-plan-input.ts'
import { quoteIfNeeded } from '../../process/shell-words.ts'
import { refuseWrongSafety } from '../../operation/safety.ts'
import { withRepository, type ReadContext } from '../with-repository.ts'

export interface CheckData {
  readonly file: string
  /** Left out for a plan. */
  readonly what?: 'configuration'
  /** True if it has no errors; warnings do not matter. */
  readonly valid: boolean
  readonly findings: readonly Finding[]
  readonly id: string | null
  readonly digest: string | null
  readonly risk: string | null
  readonly reasons: readonly string[]
  readonly steps: readonly { readonly id: string; readonly risk: string; readonly reasons: readonly string[] }[]
  /** The findings as SARIF, if requested. */
  readonly sarif?: object
}

export interface CheckRequest {
  readonly target?: string
  readonly sarif?: boolean
  /** Another plan, which may change the same files. */
  readonly against?: string
  /** `NAME=VALUE` */
  readonly param?: readonly string[]
  /** Check again whenever the file or the plan changes. */
  readonly watch?: boolean
}

interface Target extends Pick<PlanInput, 'file' | 'bytes' | 'id'>, Partial<Pick<PlanInput, 'path' | 'relocate'>> {
  /** It is a plan on its branch, not a file that may become one. */
  readonly isPlan?: true
  readonly tip?: Oid
}

export async function check(request: CheckRequest, context: CommandContext): Promise<CommandResult<CheckData>> {
  if (request.watch !== true) return checkNow(request, context)
  const { watchCheck } = await import('./watch-check.ts')
  return watchCheck(request.target, () => checkNow(request, context), context)
}

async function checkNow(request: CheckRequest, context: CommandContext): Promise<CommandResult<CheckData>> {
  const withSarif = (result: CommandResult<CheckData>, uri: string): CommandResult<CheckData> =>
    request.sarif === true ? { ...result, data: { ...result.data, sarif: sarifOf(result.data, uri) } } : result
  const config = await findConfig(request.target, context)
  if (config !== undefined) {
    const top = await repositoryTop(context)
    return withSarif(await judgeConfig(config), top === undefined ? config.file : pathInRepository(config, top))
  }
  try {
    return await withRepository(context, async (reading) => {
      await refuseWrongSafety(reading.repo, reading.settings)
      const found = await findTarget(request.target, context, reading)
      const places = { repo: reading.repo, dir: reading.settings.dir, context }
      const target = found.isPlan === true ? found : await expandTarget(found, request, places)
      if ('exitCode' in target) return withSarif(target, pathInRepository(found, reading.repo.root))
      const head = await reading.repo.headBranch()
      const base = head?.startsWith('refs/heads/') === true ? head.slice('refs/heads/'.length) : undefined
      const facts = {
        config: reading.settings.config,
        agents: reading.settings.agents,
        base,
        dir: reading.settings.dir,
      }
      const { against } = request
      const result = await judgeText(target, facts, {
        withRepositoryFacts: (plan, work) => withRepositoryFacts(reading.repo, plan, target.tip, context, work),
        ...(against === undefined ? {} : { more: (plan) => findingsAgainst(reading, plan, against) }),
      })
      return withSarif(result, pathInRepository(target, reading.repo.root))
    })
  } catch (error) {
    // A file can be checked outside a repository.
    if (!(error instanceof PlanError) || error.code !== 'not-a-repository' || request.target === undefined) throw error
    const found = await findPlanInput(request.target, context)
    if (found === undefined) throw error
    const target = await expandTarget(found, request, { repo: undefined, dir: '.plans', context })
    if ('exitCode' in target) return withSarif(target, found.file)
    return withSarif(await judgeText(target, { config: defaultConfig, base: undefined, dir: '.plans' }), target.file)
  }
}

/** The expanded text, or the findings why it cannot be expanded. */
async function expandTarget(
  target: Target,
  { param }: CheckRequest,
  places: Pick<ExpandRequest, 'repo' | 'dir' | 'context'>,
): Promise<Target | CommandResult<CheckData>> {
  const { file, bytes, path, id } = target
  const command = `git plan check ${quoteIfNeeded(file)}`
  const input = { file, bytes, path, ...(id === undefined ? {} : { id }) }
  const expanded = await tryExpandInput(input, { ...places, param, command })
  return expanded.ok ? { ...target, ...expanded.input } : invalidResult(target, expanded.findings)
}

/** Returns the path from the top of the repository, as code hosts and editors name a file. */
function pathInRepository({ file, path }: Pick<Target, 'file' | 'path'>, root: string): string {
  const below = path === undefined ? '..' : relative(root, path)
  return below.startsWith('..') ? file : below
}

async function findTarget(
  name: string | undefined,
  context: CommandContext,
  { repo, settings }: ReadContext,
): Promise<Target> {
  const planName = name === undefined ? undefined : nameOfPlan(name)
  const isPlan = planName !== undefined && isId(planName) && (await planIds(repo)).includes(planName as PlanId)
  const fromFile = name === undefined || isPlan ? undefined : await findPlanInput(name, context)
  if (fromFile !== undefined) return fromFile
  const unproposed =
    name === undefined ? undefined : await findUnproposedFile(repo, { name, dir: settings.dir }, context)
  const fromPlans = unproposed === undefined ? undefined : await findPlanInput(unproposed, context)
  if (fromPlans !== undefined) return fromPlans
  // A name with a dot or a slash was meant as a file.
  if (name !== undefined && !isPlan && !isId(planName ?? ''))
    throw new PlanError('usage', `there is no file or plan ${JSON.stringify(name.slice(0, 200))}`, {
      hint: 'git plan list',
    })
  const id =
    name === undefined
      ? (await findPlan(repo, undefined, { dir: settings.dir }))?.id
      : await resolvePlanName(repo, name)
  if (id === undefined)
    throw new PlanError('usage', 'check needs a plan, a file, or - for standard input', { hint: 'git plan list' })
  const file = planFile(settings.dir, id)
  const { tip } = await tipOfPlan(repo, id)
  const bytes = await repo.readBlob(`${tip}:${file}`)
  if (bytes === undefined)
    throw new PlanError('invalid-plan', `plan/${id} has no ${file}`, { hint: `git log plan/${id}` })
  return { file, bytes, id, isPlan: true, tip }
}

type WithRepositoryFacts = <T>(plan: Plan, work: (repository: RepositoryFacts | undefined) => Promise<T>) => Promise<T>

/** Checks a text; the repository is consulted only if `withRepositoryFacts` provides it. */
export async function judgeText(
  target: Target,
  facts: { config: PlanConfig; agents?: Readonly<Record<string, string>>; base: string | undefined; dir: string },
  {
    withRepositoryFacts = (_, work) => work(undefined),
    more = async () => [],
  }: {
    readonly withRepositoryFacts?: WithRepositoryFacts
    /** Further findings. */
    readonly more?: (plan: Plan) => Promise<readonly Finding[]>
  } = {},
): Promise<CommandResult<CheckData>> {
  const origin = {
    file: target.file,
    ...(target.id === undefined ? {} : { id: target.id }),
    ...(facts.base === undefined ? {} : { base: facts.base }),
  }
  const { relocate = (finding: Finding) => finding } = target
  const read = readPlan(target.bytes, origin)
  const findingsOf = async (at: PlanAndText): Promise<Finding[]> => {
    const known = checkFacts(at, { file: planFile(facts.dir, at.plan.id), ...facts })
    const found = await withRepositoryFacts(at.plan, (repository) =>
      checkWhole(at.plan, repository === undefined ? known : { ...known, repository }),
    )
    // The rules name the file by its path in the repository; the findings should name the given one.
    return [...found, ...(await more(at.plan))].map((finding) => relocate({ ...finding, file: target.file }))
  }
  if (!read.ok) {
    // Of a plan that is known in part only the errors are certain.
    const others = read.rest === undefined ? [] : await findingsOf(read.rest)
    const findings = [...read.findings.map(relocate), ...others.filter(({ severity }) => severity === 'error')]
    return invalidResult(target, inOrder(findings))
  }
  const { plan } = read
  const findings = await findingsOf(read)
  const risk = assessRisk(plan, facts.config.risk.critical, await readersOf(plan, facts.config.safety))
  const steps = [...risk.steps].map(([id, assessed]) => ({ id, ...assessed }))
  // The digest of the text as it would be proposed, so that an approval can name it.
  const digest = target.isPlan === true ? plan.digest : asProposed(read).plan.digest
  const data = {
    file: target.file,
    valid: !hasErrors(findings),
    findings,
    id: plan.id,
    digest,
    risk: risk.plan,
    reasons: risk.reasons,
    steps,
  }
  return { kind: 'check', exitCode: hasErrors(findings) ? 1 : 0, data }
}

/** A file that breaks the format. */
const invalidResult = (target: Target, findings: readonly Finding[]): CommandResult<CheckData> => ({
  kind: 'check',
  exitCode: 2,
  data: {
    file: target.file,
    valid: false,
    findings,
    id: target.isPlan === true ? (target.id ?? null) : null,
    digest: null,
    risk: null,
    reasons: [],
    steps: [],
  },
})
